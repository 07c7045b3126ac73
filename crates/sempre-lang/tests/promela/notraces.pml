/* What must not happen: two letters one after the other, and then an empty box. Other letters end the watch. */
mtype = { letter, parcel };
chan box = [2] of { mtype };
byte sent;

active [2] proctype Sender() {
  do
  :: d_step { sent < 4 && nfull(box) -> sent++; box!letter }
  :: sent < 4 -> sent++; box!!parcel
  :: sent >= 4 -> break
  od
}

active proctype Postman() {
  mtype m;
  end: do
  :: box??parcel -> m = parcel
  :: box?m
  od
}

notrace { box!letter; box!letter; box?letter; box!letter; box!letter; box!letter }
