/* A timeout inside an atomic sequence: the others move first. */
byte x, y; chan c = [1] of { byte };
active proctype A() { do :: atomic { x < 3 -> x++; timeout -> y = 0; x++ } :: c?_ -> y = 2 od }
active proctype B() { do :: y < 2 -> y++ :: x == 2 && empty(c) -> c!1; x = 0 od }
