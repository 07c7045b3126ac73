byte a[3], s, t;
active proctype A() { byte i; for (i : 1 .. 3) { a[i - 1] = i; s = s + i }; for (i in a) { s = s - a[i] }; select (t : 2 .. 4); s = t }
active proctype B() { byte k; do :: select (k : 0 .. 2); a[k] = k :: s == 4 -> break od }
