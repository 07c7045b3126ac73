byte x, y, z;
active proctype A() {
  { do :: x < 5 -> x++; y = x od } unless { y == 3 -> z = 1; x = 0 };
  { x = 1; { x = 2; x = 3; x = 4 } unless { z == 2 -> x = 9 }; y = 7 } unless { z == 3 -> y = 8 };
  x = 0
}
active proctype B() { do :: z < 3 -> z++ :: x == 9 -> x = 6 od }
