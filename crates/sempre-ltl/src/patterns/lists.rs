//! The formula lists of the literature, in the letters of their papers.

/// Dwyer, Avrunin, Corbett, "Property specification patterns for finite-state verification" (FMSP
/// 1998): eleven patterns, each in the scopes *globally*, *before r*, *after q*, *between q and r*,
/// *after q until r*.
pub(super) const DWYER: [&str; 55] = [
    // absence of p
    "G(!p)",
    "Fr -> (!p U r)",
    "G(q -> G(!p))",
    "G((q & !r & Fr) -> (!p U r))",
    "G((q & !r) -> (!p W r))",
    // existence of p
    "Fp",
    "!r W (p & !r)",
    "G(!q) | F(q & Fp)",
    "G((q & !r) -> (!r W (p & !r)))",
    "G((q & !r) -> (!r U (p & !r)))",
    // at most two stretches of p
    "!p W (p W (!p W (p W G(!p))))",
    "Fr -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r)))))))))",
    "Fq -> (!q U (q & (!p W (p W (!p W (p W G(!p)))))))",
    "G((q & Fr) -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p U r))))))))))",
    "G(q -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U (r | (!p W r) | Gp)))))))))",
    // universality of p
    "Gp",
    "Fr -> (p U r)",
    "G(q -> Gp)",
    "G((q & !r & Fr) -> (p U r))",
    "G((q & !r) -> (p W r))",
    // s precedes p
    "!p W s",
    "Fr -> (!p U (s | r))",
    "G(!q) | F(q & (!p W s))",
    "G((q & !r & Fr) -> (!p U (s | r)))",
    "G((q & !r) -> (!p W (s | r)))",
    // s responds to p
    "G(p -> Fs)",
    "Fr -> ((p -> (!r U (s & !r))) U r)",
    "G(q -> G(p -> Fs))",
    "G((q & !r & Fr) -> ((p -> (!r U (s & !r))) U r))",
    "G((q & !r) -> ((p -> (!r U (s & !r))) W r))",
    // s, t precede p
    "Fp -> (!p U (s & !p & X(!p U t)))",
    "Fr -> (!p U (r | (s & !p & X(!p U t))))",
    "G(!q) | (!q U ((q & Fp) -> (!p U (s & !p & X(!p U t)))))",
    "G((q & Fr) -> (!p U (r | (s & !p & X(!p U t)))))",
    "G(q -> (Fp -> (!p U (r | (s & !p & X(!p U t))))))",
    // p precedes s, t
    "F(s & XFt) -> (!s U p)",
    "Fr -> (!(s & !r & X(!r U (t & !r))) U (r | p))",
    "G(!q) | (!q U (q & (F(s & XFt) -> (!s U p))))",
    "G((q & Fr) -> (!(s & !r & X(!r U (t & !r))) U (r | p)))",
    "G(q -> ((!(s & !r & X(!r U (t & !r))) U (r | p)) | G(!(s & XFt))))",
    // p responds to s, t
    "G((s & XFt) -> XF(t & Fp))",
    "Fr -> (((s & X(!r U t)) -> X(!r U (t & Fp))) U r)",
    "G(q -> G((s & XFt) -> X(!t U (t & Fp))))",
    "G((q & Fr) -> (((s & X(!r U t)) -> X(!r U (t & Fp))) U r))",
    "G(q -> (((s & X(!r U t)) -> X(!r U (t & Fp))) U (r | G((s & X(!r U t)) -> X(!r U (t & Fp))))))",
    // s, t respond to p
    "G(p -> F(s & XFt))",
    "Fr -> ((p -> (!r U (s & !r & X(!r U t)))) U r)",
    "G(q -> G(p -> (s & XFt)))",
    "G((q & Fr) -> ((p -> (!r U (s & !r & X(!r U t)))) U r))",
    "G(q -> ((p -> (!r U (s & !r & X(!r U t)))) U (r | G(p -> (s & XFt)))))",
    // s, t without z between them respond to p
    "G(p -> F(s & !z & X(!z U t)))",
    "Fr -> ((p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U r)",
    "G(q -> G(p -> (s & !z & X(!z U t))))",
    "G((q & Fr) -> ((p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U r))",
    "G(q -> ((p -> (!r U (s & !r & !z & X((!r & !z) U t)))) U (r | G(p -> (s & !z & X(!z U t))))))",
];

/// Etessami, Holzmann, "Optimizing Büchi automata" (CONCUR 2000).
pub(super) const ETESSAMI_HOLZMANN: [&str; 12] = [
    "p U (q & Gr)",
    "p U (q & X(r U s))",
    "p U (q & X(r & F(s & XF(t & XF(u & XFv)))))",
    "F(p & XGq)",
    "F(p & X(q & XFr))",
    "F(p & X(q U r))",
    "FGp | GFq",
    "G(p -> (q U r))",
    "G(p & XF(q & XF(r & XFs)))",
    "GFp & GFq & GFr & GFs & GFt",
    "(p U (q U r)) | (q U (r U p)) | (r U (p U q))",
    "G(p -> (q U (Gr | Gs)))",
];

/// Somenzi, Bloem, "Efficient Büchi automata from LTL formulae" (CAV 2000).
pub(super) const SOMENZI_BLOEM: [&str; 27] = [
    "p U q",
    "p U (q U r)",
    "!(p U (q U r))",
    "GFp -> GFq",
    "Fp U Gq",
    "Gp U q",
    "!(Fp <-> Fq)",
    "!(GFp -> GFq)",
    "!(GFp <-> GFq)",
    "p R (p | q)",
    "(Xp U Xq) | !X(p U q)",
    "(Xp U q) | !X(p U (p & q))",
    "G(p -> Fq) & ((Xp U q) | !X(p U (p & q)))",
    "G(p -> Fq) & ((Xp U Xq) | !X(p U q))",
    "G(p -> Fq)",
    "!G(p -> X(q R r))",
    "!(FGp | FGq)",
    "G(Fp & Fq)",
    "Fp & F!p",
    "(p & Xq) R X(((r U s) R p) U (r R p))",
    "(G(q | GFp) & G(r | GF!p)) | Gq | Gr",
    "(G(q | FGp) & G(r | FG!p)) | Gq | Gr",
    "!((G(q | GFp) & G(r | GF!p)) | Gq | Gr)",
    "!((G(q | FGp) & G(r | FG!p)) | Gq | Gr)",
    "G(q | XGp) & G(r | XG!p)",
    "G(q | (Xp & X!p))",
    "p | (q U p)",
];
