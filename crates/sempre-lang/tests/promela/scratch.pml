/* The variable `_`: what is assigned to it or received into it is nowhere. */
byte x;
chan c = [2] of { byte, byte };

inline twice(value, result) {
    x = value;
    result = 2 * value
}

proctype Helper(byte k) {
    byte here;
    twice(k, _);
    twice(k + 1, here);
    c!here, k
}

active proctype Main() {
    _ = run Helper(2);
    d_step { _ = x; x++ }
    atomic { _ = x + 1; x++; _ = 0 }
    do
    :: c?_, _
    :: x < 6 -> _ = x; x = x + 2
    :: _ = 0; break
    od
}
