//! Few items are public: what is public is a promise to users, and what is not can be changed by whoever reads the crate.
//!
//! Items with plain `pub` count, of the libraries of the workspace: functions, methods, types, traits, constants, statics, modules.
//! Fields and variants do not count, nor what stands in tests.

use crate::{Package, is_test};
use syn::visit::{self, Visit};

/// The number of public items of a package.
#[must_use]
pub fn items(package: &Package) -> usize {
    let mut count = Count(0);
    for source in &package.sources {
        count.visit_file(&source.syntax);
    }
    count.0
}

struct Count(usize);

impl Count {
    fn one(&mut self, visibility: &syn::Visibility) {
        self.0 += usize::from(matches!(visibility, syn::Visibility::Public(_)));
    }
}

impl<'ast> Visit<'ast> for Count {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Fn(item) => self.one(&item.vis),
            syn::Item::Struct(item) => self.one(&item.vis),
            syn::Item::Enum(item) => self.one(&item.vis),
            syn::Item::Union(item) => self.one(&item.vis),
            syn::Item::Trait(item) => self.one(&item.vis),
            syn::Item::Const(item) => self.one(&item.vis),
            syn::Item::Static(item) => self.one(&item.vis),
            syn::Item::Type(item) => self.one(&item.vis),
            syn::Item::Mod(item) if is_test(&item.attrs) => return,
            syn::Item::Mod(item) => self.one(&item.vis),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.one(&item.vis);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.one(&item.vis);
    }
}
