#define N 3
byte a[N] = 1, c[4] = {5, 6, 7, 8};
active [2] proctype P() {
  byte i, mine[N];
  do
  :: i < N -> a[i] = a[i] + c[i + 1]; mine[i] = a[i] % 4; i++
  :: i == N -> i = 0; break
  od;
  a[_pid] = 0
}
