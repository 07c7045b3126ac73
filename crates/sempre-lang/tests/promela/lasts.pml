byte x;
active proctype A() { do :: _last == 1 -> x = 1 :: x == 1 -> x = 0 od }
active proctype B() { do :: _last == 0 && x == 0 -> skip :: x == 1 -> skip od }
