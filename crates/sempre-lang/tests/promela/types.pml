/* Values are cut to their types. */
bit b = 1; bool t; byte y = 250; short s = 32765; int i = -2; unsigned u : 3 = 6;
active proctype P() {
  do
  :: y < 255 -> y++
  :: y == 255 -> y = y + 3; break
  od;
  do
  :: s > 0 -> s++
  :: else -> break
  od;
  u = u + 1; u = u + 1; u = u + 1; b = b + 1; t = 2; i = i - 1
}
active proctype Q() { do :: b -> b = !b :: !b -> b = 1; t = t ^ 1 od }
