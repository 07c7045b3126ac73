byte a[4], i, m;
active proctype A() {
  do
  :: d_step { i < 4 -> a[i] = 4 - i; i++; if :: a[0] > 2 -> m = 1 :: m == 1 -> m = 2 :: else -> m = 3 fi; m = m + i }
  :: i == 4 -> break
  od;
  m = 1;
  d_step { i = 0; m = 0; do :: i < 4 -> m = m + a[i]; i++ :: i < 2 -> m = 99 :: else -> break od; i = 7 };
  m = 0
}
active proctype B() { do :: d_step { m > 2; m = 1 } :: d_step { if :: m == 1 :: m == 9 fi; m = 0 } od }
