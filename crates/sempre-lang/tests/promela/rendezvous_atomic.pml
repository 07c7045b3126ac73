/* The receiver goes on alone, the sender does not. */
chan c = [0] of { byte };
byte x, y;
active proctype S() { do :: atomic { x = 1; c!1; x = 2; y++ } ; x = 0 od }
active [2] proctype R() { byte v; do :: atomic { c?v; y = v; x = x + y; y = 0 } :: x == 2 -> y = 0 od }
