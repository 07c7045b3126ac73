chan c = [3] of { byte, byte };
active proctype S() { byte i; do :: i < 3 -> c!!3 - i, i; i++ :: i < 3 -> c!!1, 2 - i; i++ :: else -> break od }
active proctype R() { byte a, b; do :: c?a, b :: c??2, b -> a = 9 :: c??eval(b), a od }
