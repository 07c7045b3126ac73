/* Declarations among statements are steps. */
byte x;
active proctype A() { x = 1; byte k = 2; { byte j = 3; x = j; { int z; z = x; x = z - 1 } }; x = k; bit l; { x = 0; { skip; x = 4 } } ; l = 1 }
active proctype B() { do :: x == 3 -> x = 5 :: x > 3 -> goto out od; out: x = x }
