byte a, b;
active proctype A() {
  do
  :: atomic { a < 2 -> { b++; atomic { a++ } ; d_step { b = b % 3; a = a } } ; if :: b > 1 -> b = 0 :: else -> skip fi }
  :: { a == 2; { a = 0 } }
  :: atomic { b == 2 -> do :: b > 0 -> b-- :: b == 1 -> break :: b == 0 -> break od }
  od
}
active proctype B() { L: if :: b == 1 -> goto L :: a == 1 -> { a = 2 }; goto L fi }
