#define A 2
#define INC(v, n) v = (v + n) % A
#ifdef B
byte wrong;
#else
byte x = A;
#endif
#if A == 2 && !defined(C)
active proctype P() { do :: INC(x, 1); x = x + A :: x == 3 -> break od }
#endif
