typedef Point { byte x; byte y[2] };
typedef Line { Point from; Point to[2]; bit drawn };
Line l[2]; Point p;
chan c = [1] of { Point };
active proctype A() { l[1].to[0].y[1] = 3; p.x = 2; p.y[0] = 4; p.y[1] = 5; c!p; l[0].drawn = 1; l[l[0].drawn].from.x++ }
active proctype B() { Point q; c?q; l[0].from.y[q.x - 1] = q.y[1]; c!q; c?q; assert(q.y[0] == 4) }
