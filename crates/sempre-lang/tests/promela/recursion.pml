/* Processes that make processes and die in the reverse order. */
byte alive, most;
proctype P(byte n) { alive++; if :: n > 0 -> run P(n - 1) :: n > 1 -> run P(n - 2); run P(0) :: n == 0 fi; alive--; if :: alive > most -> most = alive :: else fi }
init { run P(3); _nr_pr == 1; most = 0 }
