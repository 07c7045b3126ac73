/* The public-key protocol of Needham and Schroeder (1978): Alice and Bob want to be sure of each other, and to share two
   numbers that nobody else knows. An intruder has a key of his own, reads and answers every message, and can open those
   that are locked with his key. With LOWE defined this is the protocol as Lowe mended it in 1995.

     1. Alice -> Bob: {Alice, nonceA} locked with Bob's key
     2. Bob -> Alice: {nonceA, nonceB} locked with Alice's key       Lowe: {nonceA, nonceB, Bob}
     3. Alice -> Bob: {nonceB} locked with Bob's key */

mtype = { none, alice, bob, intruder, nonceA, nonceB, nonceI, keyA, keyB, keyI, first, second, third, busy, done };

#ifdef LOWE
#define NAMES(who) who
#else
#define NAMES(who) none
#endif

/* Kind of message, receiver, key, and up to three secrets inside. */
chan net = [0] of { mtype, mtype, mtype, mtype, mtype, mtype };

mtype statusA = busy, statusB = busy;
mtype partnerA = none, partnerB = none;
bool knowsA, knowsB;   /* what the intruder knows */

active proctype Alice() {
  mtype key, other;
  if
  :: partnerA = bob; key = keyB
  :: partnerA = intruder; key = keyI
  fi;
  net!first, partnerA, key, alice, nonceA, none;
  net?second, alice, keyA, nonceA, other, eval(NAMES(partnerA));
  net!third, partnerA, key, other, none, none;
  statusA = done
}

active proctype Bob() {
  mtype key, other;
  net?first, bob, keyB, partnerB, other, none;
  if
  :: partnerB == alice -> key = keyA
  :: partnerB == intruder -> key = keyI
  fi;
  net!second, partnerB, key, other, nonceB, NAMES(bob);
  net?third, bob, keyB, nonceB, none, none;
  statusB = done
}

active proctype Intruder() {
  mtype kind, key, x, y, z;                            /* what was heard last */
  mtype keptKind = none, keptKey, keptX, keptY, keptZ; /* a message kept, perhaps without being able to open it */
  do
  :: net?kind, _, key, x, y, z ->
     d_step {
       if
       :: key == keyI ->
          if
          :: x == nonceA || y == nonceA -> knowsA = true
          :: else
          fi;
          if
          :: x == nonceB || y == nonceB -> knowsB = true
          :: else
          fi
       :: else -> keptKind = kind; keptKey = key; keptX = x; keptY = y; keptZ = z
       fi;
       kind = none; key = none; x = none; y = none; z = none
     }
  :: /* send on what was kept */
     keptKind == first -> net!first, bob, keptKey, keptX, keptY, keptZ
  :: keptKind == second -> net!second, alice, keptKey, keptX, keptY, keptZ
  :: keptKind == third -> net!third, bob, keptKey, keptX, keptY, keptZ
  :: /* or write a message of his own, with what he knows */
     if
     :: x = alice
     :: x = intruder
     fi;
     if
     :: y = nonceI
     :: knowsA -> y = nonceA
     :: knowsB -> y = nonceB
     fi;
     net!first, bob, keyB, x, y, none;
     x = none; y = none
  :: knowsA ->
     if
     :: y = nonceI
     :: knowsB -> y = nonceB
     fi;
     net!second, alice, keyA, nonceA, y, NAMES(intruder);
     y = none
  :: knowsB -> net!third, bob, keyB, nonceB, none, none
  od
}

/* If Bob believes that he has spoken with Alice, Alice believes that she has spoken with Bob. */
ltl agreement { [] ((statusB == done && partnerB == alice) -> partnerA == bob) }
/* And then nobody else knows Bob's number. */
ltl secrecy { [] ((statusB == done && partnerB == alice) -> !knowsB) }
