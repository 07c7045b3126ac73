chan c = [0] of { byte, bit };
byte got;
active proctype S() { byte i; do :: c!i, i % 2 -> i = (i + 1) % 5 od }
active proctype T() { byte x; do :: c?x, 0 -> got = x :: c?3, _ -> got = 9 od }
active proctype U() { byte x; bit y; do :: c?x, y; if :: y -> skip :: else -> got = 0 fi od }
