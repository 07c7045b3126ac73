/* Numbers and names of other lists in mtypes, which are bytes for SPIN. */
mtype = { red, green };
mtype:fruit = { apple, pear, plum, lime, fig };
mtype light;
mtype:fruit basket = 200;
chan colours = [2] of { mtype, byte };
chan fruits = [1] of { mtype:fruit };
chan either = [0] of { mtype };

proctype Painter(mtype first; chan out) {
    mtype own = first;
    do
    :: own < 20 -> own = own + 7; out!own, own
    :: own >= 20 -> out!green, light; break
    od
}

active proctype Eater() {
    mtype m;
    do
    :: colours?m, _ -> light = m
    :: either?m -> light = m + 250
    :: fruits?light -> basket = lime
    od
}

init {
    run Painter(9, colours);
    either!fig;
    fruits!basket;
    if
    :: light == red -> basket = 3
    :: light > 100 -> basket = basket * 2
    :: else -> light = (basket == 200 -> fig : red)
    fi
}
