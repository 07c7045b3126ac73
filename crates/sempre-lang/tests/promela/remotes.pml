byte x;
active [2] proctype P() { byte n; start: n = 1; middle: n = n + x; n = 2; last: x = 1 - x; if :: n > 1 -> goto start :: n == 2 fi }
active proctype W() { do :: P[0]@middle -> x = 1 :: P[1]:n == 2 && !P[1]@start -> x = 0 :: P[0]:n + P[1]:n > 3 -> x = 1 od }
