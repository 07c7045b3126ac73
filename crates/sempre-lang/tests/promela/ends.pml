byte sem = 1;
active [3] proctype P() { end: do :: sem > 0 -> sem--; progress: skip; sem++ :: sem == 0 -> break od; endnow: sem == 5 }
