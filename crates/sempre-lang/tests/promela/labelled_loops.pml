/* A label of a `for` stands at its loop, behind the first assignment. */
byte x, i, a[2];
chan c = [2] of { byte };
typedef Pair { byte first; byte second };

active proctype P() {
    x = 1;
again:
    for (i : 1 .. 2) { x++ }
    if
    :: x < 5 -> goto again
    :: x < 4 -> i = 0; goto again
    :: x > 3 -> skip
    fi;
over:
    for (i in a) { x = x + 2 }
    if
    :: x < 9 -> i = 1; goto over
    :: else
    fi
}

active proctype Q() {
    byte n;
    do
    :: n < 2 -> Pair b; Pair d; n++; b.first = n
    :: Pair e; skip; Pair f; n == 2 -> n = n + e.second; break
    :: P@again -> skip; Pair g; break
    od
}
