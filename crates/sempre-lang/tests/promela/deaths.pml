byte x;
active proctype A() { x = 1 }
active proctype B() { x = 2; x = 3 }
active proctype C() { do :: x < 5 -> x = x + 2 :: x > 4 -> break od }
