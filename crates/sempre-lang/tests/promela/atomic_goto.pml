byte x;
active proctype A() {
again: atomic { x++; if :: x > 5 -> goto out :: x == 3 -> goto again :: else fi; x++ };
  goto again;
out: x = 0;
  atomic { x = 1; goto inside };
  x = 9;
  atomic { x = 2; inside: x++; x++ };
  if :: x == 3 -> goto again :: else -> goto again fi
}
active proctype B() { do :: x == 1 -> x = 7 :: x == 7 -> x = 2 od }
