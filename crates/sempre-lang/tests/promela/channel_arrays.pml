#define N 3
chan q[N] = [1] of { byte };
active [N] proctype P() {
  byte v, k;
  do
  :: q[_pid]?v -> v = (v + 1) % 3; q[(_pid + 1) % N]!v
  :: _pid == 0 && k < 2 -> k++; q[k]!k
  od
}
