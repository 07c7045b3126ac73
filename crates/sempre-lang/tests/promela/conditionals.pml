#define MAX(a, b) ((a) > (b) -> (a) : (b))
int a = -3, b = 2; byte n;
active proctype P() { do :: n < 3 -> a = MAX(a + 1, b - a) % 9; b = (a & 3) | (b << 1) ^ n; b = (b % 5) + ~a / 2 - (a >> 1); n++ :: else -> break od }
active proctype Q() { byte k; do :: k < 2 && a != b && !(n == 2) || b <= -1 && k < 3 -> n = (n == 0 -> 1 : 0); k++ :: n >= 3 -> break od }
