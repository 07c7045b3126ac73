byte turn, n[2];
active [2] proctype P() provided (turn == _pid) { do :: n[_pid] < 3 -> n[_pid]++ :: turn = 1 - turn :: n[_pid] == 3 -> n[_pid] = 0; break od }
