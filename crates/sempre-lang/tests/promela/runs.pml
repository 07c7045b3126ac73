byte done;
proctype W(byte id; byte n) { byte i = id + n; do :: i > 0 -> i-- :: i == 0 -> break od; done++ }
init { byte p; run W(1, 1); run W(2, 0); p = run W(0, 3); done == 3; assert(p > 0); run W(1, 0); done == 4; done = 0 }
