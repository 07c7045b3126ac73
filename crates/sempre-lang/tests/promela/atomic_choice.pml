byte x, y;
active [2] proctype A() {
  do
  :: atomic { if :: x = 1 :: x = 2 :: x == 1 -> y = x fi; if :: y < 2 -> y++ :: y == 2 -> y = 0 :: else -> y-- fi; x = y }
  :: y > 0 -> y = 0
  od
}
