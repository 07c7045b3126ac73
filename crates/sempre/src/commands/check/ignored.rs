//! Options of `sempre check` that have no effect beside others: each is reported, none silently ignored.
//!
//! Not reported: an option that has no effect on one of several properties, for example `--shorten` where that one holds.

/// What was given on the command line, as far as it matters here.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Given {
    /// The symbolic engine alone.
    pub symbolic: bool,
    /// A method for reachability, which needs no product.
    pub method: bool,
    /// Another format than states: `--mcc`, or a picture of runs.
    pub mcc: bool,
    pub picture: bool,
    /// An order that is drawn.
    pub drawn: bool,
    /// The options themselves.
    pub workers: bool,
    pub order: bool,
    pub seed: bool,
    pub shorten: bool,
    pub no_jit: bool,
    pub full: bool,
    pub explain: bool,
}

/// The options that are given and have no effect, each with the reason.
pub(super) fn ignored(given: Given) -> Vec<(&'static str, &'static str)> {
    let engine = match (given.symbolic, given.method) {
        (true, _) => Some("the symbolic engine has no use for it"),
        (_, true) => Some("the methods `walk` and `state-equation` have no use for it"),
        _ => None,
    };
    let format = match (given.mcc, given.picture) {
        (true, _) => Some(MCC),
        (_, true) => Some("this format shows no states"),
        _ => None,
    };
    let each = [
        ("--workers", given.workers, engine),
        ("--order", given.order, engine),
        ("--shorten", given.shorten, engine),
        ("--no-jit", given.no_jit, engine),
        (
            "--seed",
            given.seed && !given.drawn,
            Some("only a drawn --order has a seed"),
        ),
        ("--full", given.full, format),
        ("--explain", given.explain && given.mcc, Some(MCC)),
    ];
    let told = each.into_iter().filter(|&(_, is_given, _)| is_given);
    told.filter_map(|(option, _, why)| Some((option, why?)))
        .collect()
}

const MCC: &str = "--mcc prints verdicts only";

#[cfg(test)]
mod tests {
    use super::*;

    fn names(given: Given) -> Vec<&'static str> {
        ignored(given).iter().map(|i| i.0).collect()
    }

    #[test]
    fn what_has_no_effect_is_named() {
        assert!(names(Given::default()).is_empty());
        let all = Given {
            workers: true,
            order: true,
            drawn: true,
            seed: true,
            shorten: true,
            no_jit: true,
            full: true,
            explain: true,
            ..Given::default()
        };
        assert!(names(all).is_empty());
        let symbolic = Given {
            symbolic: true,
            ..all
        };
        assert_eq!(
            names(symbolic),
            ["--workers", "--order", "--shorten", "--no-jit"]
        );
        let method = Given {
            method: true,
            workers: true,
            ..Given::default()
        };
        assert_eq!(names(method), ["--workers"]);
        assert_eq!(
            names(Given {
                drawn: false,
                ..all
            }),
            ["--seed"]
        );
        assert_eq!(names(Given { mcc: true, ..all }), ["--full", "--explain"]);
        assert_eq!(
            names(Given {
                picture: true,
                ..all
            }),
            ["--full"]
        );
    }
}
