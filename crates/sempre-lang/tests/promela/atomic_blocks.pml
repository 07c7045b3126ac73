/* An atomic sequence that cannot go on lets others move. */
byte x, turn;
active proctype A() { do :: atomic { x < 4 -> x++; turn == 1; turn = 0; x++ } :: x > 3 -> x = 0 od }
active proctype B() { do :: atomic { turn == 0 -> turn = 2; x > 1 -> turn = 1 } :: turn == 2 -> x = 2 od }
