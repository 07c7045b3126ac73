//! Structs have few fields: one that has many does the work of several.
//!
//! Structs whose fields clap fills from the command line are exempt.

use crate::{Finding, Tree};
use syn::visit::{self, Visit};

/// The structs with more fields than that.
#[must_use]
pub fn with_more_fields_than(tree: &Tree, fields: usize) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in tree.sources() {
        let mut search = Search {
            file: &source.file,
            fields,
            found: &mut found,
        };
        search.visit_file(&source.syntax);
    }
    found
}

struct Search<'a> {
    file: &'a str,
    fields: usize,
    found: &'a mut Vec<Finding>,
}

fn is_of_clap(item: &syn::ItemStruct) -> bool {
    item.attrs.iter().any(|attribute| {
        attribute.path().is_ident("derive")
            && matches!(&attribute.meta, syn::Meta::List(list)
                if list.tokens.to_string().split(|c: char| !c.is_alphanumeric()).any(|word| word == "Args" || word == "Parser"))
    })
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        if item.fields.len() > self.fields && !is_of_clap(item) {
            self.found.push(Finding {
                file: self.file.to_owned(),
                line: crate::line(&item.ident),
                text: format!(
                    "struct {} has {} fields, more than {}",
                    item.ident,
                    item.fields.len(),
                    self.fields
                ),
            });
        }
        visit::visit_item_struct(self, item);
    }
}
