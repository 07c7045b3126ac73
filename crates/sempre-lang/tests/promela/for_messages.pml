/* `for` over the messages of a channel, each of which is taken and put back. */
typedef M { byte a; bit b };
chan c = [3] of { M };
chan d[2] = [2] of { M };
byte sum, found;

active proctype Filler() {
	M m;
	m.a = 1; m.b = 1;
	c!m;
	m.a = 3;
	c!m;
	d[1]!m;
	m.b = 0;
	c!m
}

active proctype Counter() {
	M m;
	len(c) > 1;
	for (m in c) {
		sum = sum + m.a;
		if
		:: m.b -> found++
		:: else
		fi
	}
	for (m in d[1]) {
		atomic { sum = sum + 10; m.a = 0 }
	}
}
