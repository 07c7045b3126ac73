/* SPIN reads a `;` at the end of a line, wherever a statement may end there. */
#define CELL cell[1]
#define NOTHING
#define TWICE(x) x++; x++
#define IS(x, y) (x == y)
byte cell[2], n, m;
chan c = [2] of { byte, byte };
chan d = [2] of { byte };
mtype = { red, green, };
mtype colour = red

inline more(x) {
  x++
  x++
}

inline set(to, value) {
  printf("set ")
  to = value
}

active proctype P() {
  byte x, y
  printf("P1=")
  more(n)
  printf("again")
  CELL = 1
  NOTHING
  TWICE(m)
  if
  :: n > 1
     -> x = n
     -x + 2 == 0
     !(x == 0)
  :: else x = 3
     y = 1
  fi
  d!x
  (y == 0)
  c!1(2)
  -1 < 0
  set(y,
      n)
  IS(x,
     y)
  do
  :: x > 0 -> x--
  :: else break
  od
  atomic { x = 1 } x = 2
  { x = 3 }
  x = 4
  skip
}

active proctype Q() {
  byte a, b
  d?a
  (b == 0)
  c?a,b
  assert(
    a >= 1
  )
  a = a +
    1
}
