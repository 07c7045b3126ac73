/* Peterson's algorithm, and what it promises. */
bool want[2];
byte turn, inside;

active [2] proctype P() {
  do
  :: want[_pid] = true;
     turn = 1 - _pid;
     !want[1 - _pid] || turn == _pid;
     inside++;
CS:  assert(inside == 1);
     inside--;
     want[_pid] = false
  od
}

ltl exclusive { [] !(P[0]@CS && P[1]@CS) }
ltl again     { [] <> P[0]@CS }
