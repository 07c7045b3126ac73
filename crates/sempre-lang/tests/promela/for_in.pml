/* `for` over arrays of any type, and over the messages of channels of an array. */
typedef Pair { byte a; bit b };
typedef Many { Pair pairs[2]; byte bytes[3] };
Pair pairs[3];
Many many[2];
chan links[2] = [3] of { Pair };
chan loose[4];
short sum;

active proctype P() {
  byte i, j;
  Pair p, q;
  p.a = 2; p.b = 1;
  links[0]!p; links[1]!p; p.a = 1; links[0]!p;
  for (i in pairs) { pairs[i].a = i }
  for (i in loose) { sum++ }
  for (i in many) {
    for (j in loose) {
      many[i].bytes[0] = j
    }
  }
  for (p in links[0]) {
    sum = sum + p.a;
    for (q in links[1]) { sum = sum + q.a + q.b }
  }
  for (q in links[0]) { sum++ }
}

active proctype R() { byte x; if :: x = 1 :: x = 2 fi; links[1]?_, _ ; x = 0 }
