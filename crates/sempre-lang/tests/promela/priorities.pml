/* Priorities from the start, from `run`, and changed on the way; an atomic sequence that a higher process breaks into. */
byte turns, level;
chan box = [1] of { byte };

active proctype Low() {
  byte k;
  do
  :: turns < 3 && level < 20 ->
     atomic { turns++; box!turns; turns = turns % 3; level = get_priority(1) }
  :: d_step { turns == 2; turns = 0; k = 1 - k }
  :: k == 1 -> set_priority(1, 4); k = 0
  od
}

active proctype High() priority 3 {
  byte x;
  end: do
  :: box?x ->
     if
     :: x == 2 -> _priority = _priority - 1
     :: _priority == 2 -> set_priority(_pid, 3)
     :: else
     fi
  :: _priority == 4; _priority--
  od
}

proctype Child(byte n) priority 9 { level = n; turns != 1; level = get_priority(_pid) }

active proctype Parent() priority 2 {
  run Child(1) priority 5;
  run Child(2);
  turns == 1;
  run Child(3) priority 2
}
