#define N 4
byte up;
proctype P(byte me) { up++; up--; if :: me > 1 -> up = up :: else fi }
init { byte i = 0; atomic { do :: i < N -> run P(i); i++ :: else -> break od }; up == 0 }
