chan c = [2] of { byte }; chan d = [1] of { bit };
byte x;
active proctype S() { do :: nfull(c) -> c!x :: x = (x + 1) % 3 :: full(c) && empty(d) -> d!1 od }
active proctype R() { byte v; do :: c?[1] -> c?v :: c?<v> -> x = v :: c??[2] -> c??2 :: nempty(d) -> d?_; c?v :: len(c) == 1 -> v = 0 od }
