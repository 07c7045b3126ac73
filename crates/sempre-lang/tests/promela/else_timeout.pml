byte x, lost;
chan c = [2] of { byte };
active proctype A() { do :: x < 3 -> if :: c!x :: lost++ fi; x++ :: else -> x = 0; lost = 0; break od; do :: c?_ :: timeout -> x = 1; break od }
active proctype B() { do :: c?x :: timeout -> lost = 5; goto done od; done: skip }
