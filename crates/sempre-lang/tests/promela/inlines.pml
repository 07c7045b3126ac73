byte x, y;
inline add(v, n) { v = v + n; if :: v > 6 -> v = 0; goto small :: else fi; v++; small: skip }
inline twice(v) { byte k; k = v; add(v, 1); add(v, k) }
active proctype A() { do :: twice(x) :: add(y, 2); break od }
active proctype B() { add(y, x) ; twice(y) }
