/* Polls that name less than all fields of a message; and labels of jumps that somebody asks for. */
mtype = { red, blue };
chan c = [1] of { mtype, byte };
chan d[2] = [1] of { byte, byte };
byte n;
active proctype P() {
  byte x;
  do
  :: c!red,n; n = (n + 1) % 3
  :: n == 1 -> c!blue,1
  :: d[n % 2]!n,2
  :: n == 2 -> break
  od
}
active proctype Q() {
  byte k;
  do
  :: c?[red] -> c?red,_
  :: c??[blue] -> c??blue,k
  :: d[k % 2]?[1] -> d[k % 2]?_,_; n = 0
  :: c?[red, 0] -> break
  od;
  n = 1
}
active proctype R() {
  byte x;
again:
  do
  :: x < 2 -> x++
  :: x > 0 ->
leaves: break
  od;
  if
  :: n == 2 ->
back: goto again
  :: n == 1
  fi
}
active proctype S() { R[2]@leaves -> R[2]@back }
