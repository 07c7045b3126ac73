/* A timeout in an escape leaves its main sequence alone as long as something is possible. */
byte a, b;
bool f;
active proctype P() {
  { b = 1; a == b; f = true } unless { timeout; b = 2 };
  { f = !f; a = b } unless { if :: timeout -> b = 0 :: f && a == 2 fi }
}
active proctype Q() { a = 1; f; do :: a < 2 -> a++ :: timeout -> break od }
