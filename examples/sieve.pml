/* The sieve of Eratosthenes. Each prime has a process that drops its multiples and hands on the other numbers; the
   first number that comes through all of them is the next prime, and gets a process of its own. */
#ifndef N
#define N 50
#endif

mtype = { number, end };
chan first = [0] of { mtype, byte };
byte prime, gap;  /* the last prime that was found, and how far it is from the one before */

proctype Filter(chan in; byte mine) {
  chan out = [0] of { mtype, byte };
  bool followed;
  byte x;
  d_step { gap = mine - prime; prime = mine };
  do
  :: in?number(x) ->
     if
     :: x % mine == 0
     :: else ->
        if
        :: followed -> out!number(x)
        :: else -> followed = true; run Filter(out, x)
        fi
     fi
  :: in?end(x) -> break
  od;
  if
  :: followed -> out!end(0)
  :: else
  fi
}

init {
  byte n = 2;
  run Filter(first, n);
  do
  :: n < N -> n++; first!number(n)
  :: else -> break
  od;
  first!end(0)
}
