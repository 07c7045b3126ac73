//! Functions are short: whoever reads one sees it whole.
//!
//! A function's length is the number of lines from its signature to its closing brace. Tests count, too.

use crate::{Finding, Tree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The functions with more lines than that, the longest first.
#[must_use]
pub fn longer_than(tree: &Tree, lines: usize) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in tree.sources() {
        let mut search = Search {
            file: &source.file,
            lines,
            found: &mut found,
        };
        search.visit_file(&source.syntax);
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.into_iter().map(|(_, finding)| finding).collect()
}

struct Search<'a> {
    file: &'a str,
    lines: usize,
    found: &'a mut Vec<(usize, Finding)>,
}

impl Search<'_> {
    fn function(&mut self, name: &syn::Ident, signature: &syn::Signature, block: &syn::Block) {
        let start = signature.span().start().line;
        let length = block.span().end().line + 1 - start;
        if length > self.lines {
            self.found.push((
                length,
                Finding {
                    file: self.file.to_owned(),
                    line: start,
                    text: format!(
                        "function {name} has {length} lines, more than {}",
                        self.lines
                    ),
                },
            ));
        }
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig.ident, &item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig.ident, &item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }
}
