/* An `else` that does not start an option is always executable. */
byte x;

active [2] proctype P() {
    do
    :: x < 3 -> x++; else
    :: x == 3 -> break; else
    od;
    else;
    x = 4;
    { x = 5; else; x = 6 } unless { x == 5 -> x = 7 }
    if
    :: x > 6 -> skip; else; x = 8
    :: else -> else; x = 9
    fi;
    atomic { else; x = 10 }
    d_step { else; x = 11 }
    { x = 12; x = 13 } unless { else -> x = 14 }
}
