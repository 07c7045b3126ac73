/* A protocol with a trace: requests and answers alternate, and an answer has the number of the last request. */
mtype = { ask, answer, stop };
chan to = [2] of { mtype, byte };
chan back = [0] of { mtype, byte };
chan log = [1] of { byte };
byte number;

active proctype Client() {
  byte n;
  do
  :: number < 3 ->
     atomic { number++; to!ask(number) };
     back?answer(n);
     assert(n == number)
  :: number == 3 -> to!stop(0); break
  od
}

active proctype Server() {
  byte n;
  end: do
  :: to?ask(n) -> log!n; back!answer(n); log?_
  :: to?stop(_) -> break
  od
}

trace {
  do
  :: to!ask(number); back?answer(eval(number))
  :: to!stop(0) -> break
  od
}
