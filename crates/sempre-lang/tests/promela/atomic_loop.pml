/* A loop inside, whose length is data. */
byte n, sum;
active proctype A() {
  byte i;
  do
  :: atomic { i = 0; do :: i < n -> sum = (sum + i) % 7; i++ :: else -> break od; i = 0 }
  :: n = (n + 1) % 5
  od
}
active proctype B() { do :: sum > 3 -> sum = 0 od }
