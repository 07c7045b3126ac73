/* More processes than are guessed at first. */
byte go;
proctype P(byte n) { go == n; go++ }
init { byte i; do :: i < 9 -> run P(8 - i); i++ :: i == 9 -> break od; go == 9; go = 20 }
