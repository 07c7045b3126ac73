use sempre_ltl::*;
pub fn nnf(a: &mut Formulas, f: Formula) -> Formula {
    go(a, f, false)
}
fn go(a: &mut Formulas, f: Formula, n: bool) -> Formula {
    let ops = a.operands(f).to_vec();
    match a.op(f) {
        Op::True => a.constant(!n),
        Op::False => a.constant(n),
        Op::Proposition => {
            if n {
                a.not(f)
            } else {
                f
            }
        }
        Op::Not => go(a, ops[0], !n),
        Op::Implies => {
            let x = go(a, ops[0], !n);
            let y = go(a, ops[1], n);
            if n { a.and(&[x, y]) } else { a.or(&[x, y]) }
        }
        Op::Equiv | Op::Xor => {
            let n2 = n ^ (a.op(f) == Op::Xor);
            let (p, np, q, nq) = (
                go(a, ops[0], false),
                go(a, ops[0], true),
                go(a, ops[1], false),
                go(a, ops[1], true),
            );
            let (x, y) = if !n2 {
                (a.and(&[p, q]), a.and(&[np, nq]))
            } else {
                (a.and(&[p, nq]), a.and(&[np, q]))
            };
            a.or(&[x, y])
        }
        o => {
            let o2 = if !n {
                o
            } else {
                match o {
                    Op::And => Op::Or,
                    Op::Or => Op::And,
                    Op::Finally => Op::Globally,
                    Op::Globally => Op::Finally,
                    Op::Until => Op::Release,
                    Op::Release => Op::Until,
                    Op::WeakUntil => Op::StrongRelease,
                    Op::StrongRelease => Op::WeakUntil,
                    x => x,
                }
            };
            let c: Vec<_> = ops.iter().map(|&g| go(a, g, n)).collect();
            a.make(o2, &c)
        }
    }
}
