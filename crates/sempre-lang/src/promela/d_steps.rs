//! A `d_step` without loops and jumps as one effect.

use super::flow::{El, Kind};
use super::resolve::Value;
use super::steps::{Half, Stepper, any, has_run};
use sempre_model::ir::{Expr, Stmt};

impl Stepper<'_> {
    /// A `d_step` as one effect; `None` if it has loops or jumps.
    pub fn one_effect(&self, first: El, end: Option<El>) -> Option<Vec<Half>> {
        let flow = &self.body().flow;
        let mut first = first;
        // To the first that does something.
        loop {
            match &flow.elements[first].kind {
                Kind::Block(s) => first = flow.sequences[*s].first?,
                Kind::Dot | Kind::Break => first = flow.elements[first].next?,
                _ => break,
            }
        }
        let half = |guard, effect, offer| Half {
            element: first,
            also: Vec::new(),
            guard,
            effect,
            offer,
            to: None,
            atom: false,
            timeout: false,
        };
        let element = &flow.elements[first];
        if let Kind::Condition(value) = &element.kind {
            if has_run(value) || value.any(&|v| *v == Value::Timeout) {
                return None;
            }
            let mut effect = Vec::new();
            self.run_on(element.next, end, &mut effect, 0)?;
            return Some(vec![half(self.condition(value, false), effect, None)]);
        }
        if let Some(options) = self.communication(first) {
            let mut rest = Vec::new();
            self.run_on(element.next, end, &mut rest, 0)?;
            let mut halves = Vec::new();
            for (guard, mut effect, offer) in options {
                effect.extend(rest.iter().cloned());
                halves.push(half(guard, effect, offer));
            }
            return Some(halves);
        }
        let guard = match &element.kind {
            Kind::If(options) => any((options.iter())
                .map(|&s| self.option_guard(flow.sequences[s].first?))
                .collect::<Option<Vec<_>>>()?),
            _ => Expr::TRUE,
        };
        let mut effect = Vec::new();
        self.run_on(Some(first), end, &mut effect, 0)?;
        Some(vec![half(guard, effect, None)])
    }

    /// When an option of an `if` in a `d_step` is possible.
    fn option_guard(&self, first: El) -> Option<Expr> {
        let flow = &self.body().flow;
        match &flow.elements[first].kind {
            Kind::Else => Some(Expr::TRUE),
            Kind::Condition(value) => {
                let simple = !has_run(value) && !value.any(&|v| *v == Value::Timeout);
                simple.then(|| self.condition(value, false))
            }
            Kind::Block(s) => self.option_guard(flow.sequences[*s].first?),
            Kind::If(options) => Some(any((options.iter())
                .map(|&s| self.option_guard(flow.sequences[s].first?))
                .collect::<Option<Vec<_>>>()?)),
            Kind::Send(..) | Kind::Receive(..) => {
                let options = self.communication(first)?;
                if options.iter().any(|o| o.2.is_some()) {
                    return None;
                }
                Some(any(options.into_iter().map(|o| o.0)))
            }
            Kind::Assign(_, value) if !has_run(value) => Some(Expr::TRUE),
            Kind::Assert(_) | Kind::Print(..) | Kind::SetPriority(..) => Some(Expr::TRUE),
            _ => None,
        }
    }

    /// Adds the effect of the statements from here to `end`; `None` if it has loops or jumps.
    fn run_on(
        &self,
        from: Option<El>,
        end: Option<El>,
        out: &mut Vec<Stmt>,
        depth: usize,
    ) -> Option<()> {
        let flow = &self.body().flow;
        if depth > 50 {
            return None;
        }
        let mut at = from;
        while at != end {
            let e = at?;
            if out.len() > 5000 {
                return None;
            }
            let element = &flow.elements[e];
            at = element.next;
            match &element.kind {
                Kind::Assign(_, value) | Kind::Assert(value) if !has_run(value) => {
                    out.extend(self.effect(e));
                }
                Kind::SetPriority(..) => out.extend(self.effect(e)),
                Kind::Print(..) | Kind::Dot => {}
                Kind::Condition(value) if !has_run(value) => {
                    let condition = self.condition(value, false);
                    if condition != Expr::TRUE {
                        let Stmt::Assert(_, text) = self.blocked(e) else {
                            return None;
                        };
                        out.push(Stmt::Assert(condition, text));
                    }
                }
                Kind::Send(..) | Kind::Receive(..) => {
                    let options = self.communication(e)?;
                    let mut chain = vec![self.blocked(e)];
                    for (guard, effect, offer) in options.into_iter().rev() {
                        if offer.is_some() {
                            return None;
                        }
                        chain = vec![Stmt::If(guard, effect, chain)];
                    }
                    out.extend(chain);
                }
                Kind::Block(s) => at = flow.sequences[*s].first,
                Kind::If(options) => {
                    // The target comes after it, and what follows after that.
                    let target = element.next;
                    let mut chain = vec![self.blocked(e)];
                    for &s in options.iter().rev() {
                        let first = flow.sequences[s].first?;
                        let guard = self.option_guard(first)?;
                        let from = match &flow.elements[first].kind {
                            Kind::Condition(_) | Kind::Else => flow.elements[first].next,
                            _ => Some(first),
                        };
                        let mut effect = Vec::new();
                        self.run_on(from, target, &mut effect, depth + 1)?;
                        chain = match guard {
                            Expr::Constant(0) => chain,
                            Expr::Constant(_) => effect,
                            guard => vec![Stmt::If(guard, effect, chain)],
                        };
                    }
                    out.extend(chain);
                }
                _ => return None,
            }
        }
        Some(())
    }
}
