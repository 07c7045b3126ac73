/* A sliding window of W messages over channels that hold C each and lose some. Sequence numbers are counted modulo one
   more than the window; messages carry their number modulo 3 besides. */
#ifndef W
#define W 1
#endif
#ifndef C
#define C 1
#endif
#define M (W + 1)

chan data = [C] of { byte, byte };
chan ack = [C] of { byte };
byte got;

active proctype Sender() {
  byte oldest, sent, content, i, a;
  do
  :: sent < W -> data!(oldest + sent) % M, (content + sent) % 3; sent++
  :: sent > 0 ->
     i = 0;
     do
     :: i + 1 < sent -> i++
     :: break
     od;
     data!(oldest + i) % M, (content + i) % 3
  :: ack?a ->
     i = (a + M - oldest) % M;
     if
     :: i <= sent -> content = (content + i) % 3; sent = sent - i; oldest = a
     :: else
     fi
  od
}

active proctype Receiver() {
  byte expected, s, c;
  do
  :: data?s, c ->
     if
     :: s == expected -> got = c;
deliver: expected = (expected + 1) % M
     :: else
     fi;
     ack!expected
  od
}

active proctype Loss() {
  do
  :: data?_, _
  :: ack?_
  od
}
