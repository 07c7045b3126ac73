/* Links that are sent over links: the rendezvous channel of a statement is known in the step only, and three proctypes
   make processes. */
mtype = { data, move, done };
chan a = [0] of { mtype };
chan b = [0] of { mtype };
chan news = [0] of { chan, chan };
chan box = [1] of { chan };
byte moves;

proctype Station(chan link; bool starts) {
  mtype m;
  if
  :: starts
  :: !starts -> link?m
  fi;
  do
  :: link!data
  :: moves < 2 -> link!move; moves++; news?link, _; link?done
  od
}

proctype Mobile(chan here, there) {
  chan old = [0] of { mtype };
  chan now;
  mtype m;
  now = here;
  do
  :: now?m ->
     if
     :: m == data
     :: m == move ->
        news!there, old;
        now = there; there = here; here = now;
        box!now;
        now!done;
        box?now
     fi
  od
}

proctype Network(chan first) {
  run Mobile(first, b);
  atomic { run Station(first, true); run Listener() }
}

proctype Listener() {
  chan c;
  byte seen;
  end: do
  :: box?<c> ->
     if
     :: c == a -> seen = 1
     :: c == b -> seen = 2; box?c; box!c
     fi
  od
}

init {
  run Network(a);
  run Listener()
}
