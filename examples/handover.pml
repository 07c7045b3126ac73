/* A client that may give up while the server still answers. */
mtype = { ask, tell };
chan to = [1] of { mtype, byte }, back = [0] of { byte };

active proctype Client() {
  byte n;
  do
  :: n < 2 -> to!ask(n); if :: back?n :: timeout -> break fi
  :: n == 2 -> n = 0
  od
}

active proctype Server() {
  byte n;
end: do
  :: to?ask(n) -> if :: back!n + 1 :: n == 1 -> skip fi
  od
}
