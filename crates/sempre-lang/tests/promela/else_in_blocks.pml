/* `else` at the start of a block that starts an option: it is asked in its turn. */
byte n, m;
active [2] proctype P() {
  byte x;
  do
  :: atomic { n == _pid; n++ }
  :: { m < 2; m++ }
  :: atomic { else; x++; n = 0; if :: x > 1 -> break :: else fi }
  od
}
