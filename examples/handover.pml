/* A client that may give up. The server is not told, and waits for ever: no label says that it may end so. */
mtype = { ask, tell };
chan to = [1] of { mtype, byte };
chan back = [0] of { byte };

active proctype Client() {
  byte n;
  do
  :: n < 2 -> to!ask(n); if :: back?n :: timeout -> break fi
  :: n == 2 -> n = 0
  od
}

active proctype Server() {
  byte n;
  do
  :: to?ask(n) -> if :: back!n + 1 :: n == 1 -> skip fi
  od
}
