mtype = { red, green, blue };
mtype = { black };
mtype:fruit = { apple, pear };
mtype colour = red; mtype:fruit f;
chan c = [2] of { mtype, byte };
active proctype P() { do :: c!colour, 1 :: c!green(2) :: c!blue, 3 -> colour = black od }
active proctype Q() { byte n; do :: c?red(n) :: c?eval(colour), n :: c?blue, 3 -> f = pear; f = apple od }
