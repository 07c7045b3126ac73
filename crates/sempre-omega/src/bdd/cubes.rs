//! Functions as sums: of products, and of pairs of a label and a rest.

use super::{AUXILIARY, Bdd, Bdds, Literal};
use std::collections::BTreeMap;

impl Bdds {
    /// `f` as a sum of pairs `label & rest`: the labels depend on propositions only, are disjoint and never false;
    /// the rests depend on auxiliaries only, are different from each other and never false. Since propositions are
    /// above auxiliaries this is one pass over the nodes of `f`, not over the letters.
    pub fn split_propositions(&mut self, f: Bdd) -> Vec<(Bdd, Bdd)> {
        let mut parts = Vec::new();
        if f.is_false() {
            return parts;
        }
        // Nodes above the auxiliaries, each with the condition under which it is reached; a node is
        // taken when all its parents, which have smaller variables, have been.
        let mut reached: BTreeMap<(u32, Bdd), Bdd> = BTreeMap::new();
        reached.insert((self.var(f), f), Bdd::TRUE);
        while let Some(((var, g), label)) = reached.pop_first() {
            if var >= AUXILIARY {
                parts.push((label, g));
                continue;
            }
            for (child, sign) in [(self.low(g), false), (self.high(g), true)] {
                if child.is_false() {
                    continue;
                }
                let step = self.literal((var, sign));
                let way = self.and(label, step);
                let entry = reached
                    .entry((self.var(child), child))
                    .or_insert(Bdd::FALSE);
                *entry = self.or(*entry, way);
            }
        }
        parts
    }

    /// An irredundant sum of products of `f` (Minato, Morreale): calls `emit` with the literals of each cube, in
    /// ascending order of variables. If `f` is monotone in a variable, no cube has a negative literal of it.
    pub fn sum_of_products(&mut self, f: Bdd, mut emit: impl FnMut(&[Literal])) {
        self.isop(f, f, &mut Vec::new(), &mut emit);
    }

    fn isop(
        &mut self,
        lower: Bdd,
        upper: Bdd,
        path: &mut Vec<Literal>,
        emit: &mut impl FnMut(&[Literal]),
    ) -> Bdd {
        sempre_base::checkpoint();
        // Beyond the bound, `lower` need not imply `upper` any more, and the recursion would not end.
        if lower.is_false() || self.is_full() {
            return Bdd::FALSE;
        }
        if upper.is_true() {
            emit(path);
            return Bdd::TRUE;
        }
        let (var, l0, l1, u0, u1) = self.split(lower, upper);
        let only0 = self.minus(l0, u1);
        path.push((var, false));
        let r0 = self.isop(only0, u0, path, emit);
        path.pop();
        let only1 = self.minus(l1, u0);
        path.push((var, true));
        let r1 = self.isop(only1, u1, path, emit);
        path.pop();
        let rest0 = self.minus(l0, r0);
        let rest1 = self.minus(l1, r1);
        let rest = self.or(rest0, rest1);
        let both = self.and(u0, u1);
        let r = self.isop(rest, both, path, emit);
        let lo = self.or(r0, r);
        let hi = self.or(r1, r);
        self.node(var, lo, hi)
    }
}
