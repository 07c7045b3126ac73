chan c = [0] of { byte }; byte x;
active proctype A() { { do :: x < 3 -> x++ :: c?2 -> x = 0 od } unless { c?1 -> x = 7 } ; x = 1 }
active proctype B() { do :: c!1 -> break :: c!2 od; c!1 }
