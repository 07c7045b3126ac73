/* Peterson's mutual exclusion for N processes: each climbs through N - 1 levels, and on each waits until the others are
   below or somebody else has come, looking at them one by one. */
#ifndef N
#define N 3
#endif

byte level[N], last[N], inside;

active [N] proctype P() {
  byte l, i;
  do
  :: l = 1;
     do
     :: l < N ->
        level[_pid] = l;
        last[l] = _pid;
        i = 0;
        do
        :: i < N -> (i == _pid || level[i] < l || last[l] != _pid); i++
        :: else -> break
        od;
        l++
     :: else -> break
     od;
     inside++;
CS:  inside--;
     level[_pid] = 0
  od
}
