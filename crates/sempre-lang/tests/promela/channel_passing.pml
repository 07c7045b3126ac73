chan serve = [0] of { chan, byte };
byte result;
active proctype Client() { chan me = [0] of { byte }; byte r; do :: serve!me, 2 -> me?r; result = r od }
active proctype Other() { chan mine = [1] of { byte }; byte r; do :: serve!mine, 1 -> mine?r; result = r + 10 od }
active proctype Server() { chan who; byte n; do :: serve?who, n -> who!n + 1; n = 0 od }
