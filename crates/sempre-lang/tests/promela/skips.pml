byte x;
active proctype A() { do :: skip; skip; printf("a %d\n", x); skip; x++; if :: x == 4 -> break :: x < 4 -> goto next :: true -> skip; skip fi; next: skip od; x = 0 }
active proctype B() { if :: x > 2 -> skip :: x > 1 -> goto l :: else -> goto m fi; l: x = 0; m: goto n; x = 8; n: x = x }
