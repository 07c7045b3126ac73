/* Claims on channels, kept and violated; the violations change nothing about the states. */
chan c = [2] of { byte };
chan d[2] = [1] of { byte };
byte x, y;

active proctype Owner() {
  xs c;
  xr d[0];
  do
  :: c!1; y = 1 - y
  :: c!2
  :: d[0]?x
  :: timeout -> break
  od
}

active proctype Reader() {
  byte k;
  do
  :: c?x -> x == 2 && nfull(d[0]); d[0]!x
  :: c?<k> -> k == 1; c?x
  :: len(d[1]) > 0; atomic { d[1]?k; k == 2 -> d[0]?k }
  od
}

proctype Child(chan e) {
  xs e;
  e!2;
  do :: x == 1 -> c!3; break :: y == 1; e!1; break od
}

active proctype Maker() {
  run Child(d[1]);
  y == 1;
  d[1]!2
}
