//! Which module of a crate uses which, from the paths in its source.
//!
//! Nodes are the files of a crate. File *a* uses file *b* if a path in *a*, outside of tests, names something that *b* declares.
//! A path through `pub use` counts for the file that declares the item, and a re-export by itself is no use: `mod.rs` may list
//! what its children offer. Inline modules belong to their file. Names that arrive by glob imports of enums and the like are not
//! followed; neither are macros.

use crate::{Package, Source, is_test};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};

/// A use of one module by another: a place in the user's file.
#[derive(Clone, Debug)]
pub struct Use {
    /// Which file is used.
    pub target: usize,
    /// The line of the first such path.
    pub line: usize,
    /// The path as written.
    pub path: String,
}

/// The files of a crate and who uses whom.
pub struct Graph {
    /// For each source of the package, the sources that it uses.
    pub uses: Vec<Vec<Use>>,
}

impl Graph {
    /// The graph of a package.
    #[must_use]
    pub fn of(package: &Package) -> Self {
        let names = Names::of(package);
        let uses = package
            .sources
            .iter()
            .enumerate()
            .map(|(i, source)| uses_of(&names, i, source))
            .collect();
        Graph { uses }
    }

    /// The strongly connected components of more than one file, by Tarjan's algorithm.
    #[must_use]
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        let mut search = Components {
            graph: self,
            index: vec![usize::MAX; self.uses.len()],
            low: vec![0; self.uses.len()],
            on_stack: vec![false; self.uses.len()],
            stack: Vec::new(),
            next: 0,
            found: Vec::new(),
        };
        for file in 0..self.uses.len() {
            if search.index[file] == usize::MAX {
                search.visit(file);
            }
        }
        search.found
    }
}

struct Components<'a> {
    graph: &'a Graph,
    index: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    found: Vec<Vec<usize>>,
}

impl Components<'_> {
    fn visit(&mut self, file: usize) {
        self.index[file] = self.next;
        self.low[file] = self.next;
        self.next += 1;
        self.stack.push(file);
        self.on_stack[file] = true;
        for k in 0..self.graph.uses[file].len() {
            let target = self.graph.uses[file][k].target;
            if self.index[target] == usize::MAX {
                self.visit(target);
                self.low[file] = self.low[file].min(self.low[target]);
            } else if self.on_stack[target] {
                self.low[file] = self.low[file].min(self.index[target]);
            }
        }
        if self.low[file] == self.index[file] {
            let start = self
                .stack
                .iter()
                .position(|&other| other == file)
                .expect("it is on the stack");
            let mut component = self.stack.split_off(start);
            for &member in &component {
                self.on_stack[member] = false;
            }
            if component.len() > 1 {
                component.sort_unstable();
                self.found.push(component);
            }
        }
    }
}

/// What the modules of a crate declare: files by module path, and re-exported names.
struct Names {
    file_of: BTreeMap<Vec<String>, usize>,
    /// The module and the name that it re-exports, to the path behind it.
    re_exports: BTreeMap<(Vec<String>, String), Vec<String>>,
    crate_name: String,
}

impl Names {
    fn of(package: &Package) -> Self {
        let mut names = Names {
            file_of: BTreeMap::new(),
            re_exports: BTreeMap::new(),
            crate_name: package.name.replace('-', "_"),
        };
        for (i, source) in package.sources.iter().enumerate() {
            // A binary beside a library is a crate of its own, whose root is no module of the library.
            let is_second_root = source.file.ends_with("src/main.rs")
                && package
                    .sources
                    .iter()
                    .any(|s| s.file.ends_with("src/lib.rs"));
            if !is_second_root {
                names.file_of.insert(source.module.clone(), i);
            }
        }
        for source in &package.sources {
            for item in &source.syntax.items {
                if let syn::Item::Use(item) = item
                    && !matches!(item.vis, syn::Visibility::Inherited)
                {
                    for (path, name) in flatten(&item.tree) {
                        if let Some(absolute) = names.absolute(&source.module, &path) {
                            names
                                .re_exports
                                .insert((source.module.clone(), name), absolute);
                        }
                    }
                }
            }
        }
        names
    }

    /// A path seen from the root of the crate, or none if it leaves the crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut at = module.to_vec();
        let first = path.first()?;
        let rest = if first == "crate" || *first == self.crate_name {
            at.clear();
            &path[1..]
        } else if first == "self" {
            &path[1..]
        } else if first == "super" {
            let ups = path.iter().take_while(|part| *part == "super").count();
            at.truncate(at.len().checked_sub(ups)?);
            &path[ups..]
        } else {
            // A child of this module, named without `self`.
            let mut child = at.clone();
            child.push(first.clone());
            if !self.file_of.contains_key(&child) {
                return None;
            }
            path
        };
        at.extend(rest.iter().cloned());
        Some(at)
    }

    /// The file that declares what a path from the root of the crate names.
    fn declares(&self, path: &[String]) -> Option<usize> {
        let mut path = path.to_vec();
        // As many steps as there can be re-exports in a row; a cycle of them would not compile.
        for _ in 0..16 {
            let known = (0..=path.len())
                .rev()
                .find(|&n| self.file_of.contains_key(&path[..n]))?;
            let (module, rest) = path.split_at(known);
            let next = rest
                .first()
                .and_then(|name| self.re_exports.get(&(module.to_vec(), name.clone())));
            match next {
                Some(target) => path = [target.as_slice(), &rest[1..]].concat(),
                None => return self.file_of.get(module).copied(),
            }
        }
        None
    }
}

/// The paths of a `use` item, each with the name that it brings.
fn flatten(tree: &syn::UseTree) -> Vec<(Vec<String>, String)> {
    match tree {
        syn::UseTree::Path(path) => {
            let head = path.ident.to_string();
            flatten(&path.tree)
                .into_iter()
                .map(|(mut rest, name)| {
                    rest.insert(0, head.clone());
                    // `a::{self}` brings `a`.
                    match name.as_str() {
                        "self" => (rest[..rest.len() - 1].to_vec(), head.clone()),
                        _ => (rest, name),
                    }
                })
                .collect()
        }
        syn::UseTree::Name(name) => {
            let name = name.ident.to_string();
            vec![(vec![name.clone()], name)]
        }
        syn::UseTree::Rename(rename) => {
            vec![(vec![rename.ident.to_string()], rename.rename.to_string())]
        }
        syn::UseTree::Glob(_) => vec![(Vec::new(), "*".to_owned())],
        syn::UseTree::Group(group) => group.items.iter().flat_map(flatten).collect(),
    }
}

struct Paths<'a> {
    source: &'a Source,
    names: &'a Names,
    file: usize,
    /// How many inline modules enclose the place: each takes one `super` away.
    inline: usize,
    seen: BTreeSet<usize>,
    uses: Vec<Use>,
}

fn uses_of(names: &Names, file: usize, source: &Source) -> Vec<Use> {
    let mut paths = Paths {
        source,
        names,
        file,
        inline: 0,
        seen: BTreeSet::new(),
        uses: Vec::new(),
    };
    paths.visit_file(&source.syntax);
    paths.uses
}

impl Paths<'_> {
    fn add(&mut self, mut path: Vec<String>, line: usize) {
        for _ in 0..self.inline {
            match path.first().map(String::as_str) {
                Some("super") if path.get(1).is_some_and(|p| p == "super") => {
                    path.remove(0);
                }
                Some("super") => path[0] = "self".to_owned(),
                _ => break,
            }
        }
        let Some(absolute) = self.names.absolute(&self.source.module, &path) else {
            return;
        };
        if let Some(target) = self.names.declares(&absolute)
            && target != self.file
            && self.seen.insert(target)
        {
            self.uses.push(Use {
                target,
                line,
                path: path.join("::"),
            });
        }
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !matches!(item.vis, syn::Visibility::Inherited) || is_test(&item.attrs) {
            return;
        }
        for (path, _) in flatten(&item.tree) {
            self.add(path, crate::line(item));
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            self.inline += 1;
            visit::visit_item_mod(self, item);
            self.inline -= 1;
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_test(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() && path.segments.len() > 1 {
            let names = path.segments.iter().map(|s| s.ident.to_string()).collect();
            self.add(names, crate::line(path));
        }
        visit::visit_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::Graph;
    use crate::{Package, Source};

    fn package(files: &[(&str, &str)]) -> Package {
        let sources = files
            .iter()
            .map(|(module, text)| Source {
                file: format!("src/{}.rs", module.replace("::", "/")),
                module: module
                    .split("::")
                    .filter(|part| !part.is_empty() && *part != "lib")
                    .map(str::to_owned)
                    .collect(),
                text: (*text).to_owned(),
                syntax: syn::parse_file(text).expect("it is Rust"),
            })
            .collect();
        Package {
            name: "sample".to_owned(),
            folder: String::new(),
            sources,
            manifest: String::new(),
        }
    }

    #[test]
    fn a_cycle_of_two_through_a_re_export() {
        let package = package(&[
            ("lib", "mod a; mod b; pub use b::B;"),
            ("a", "use crate::B; pub struct A(B);"),
            ("b", "pub struct B; fn f() { let _: Option<super::a::A>; }"),
        ]);
        assert_eq!(Graph::of(&package).cycles(), [vec![1, 2]]);
    }

    #[test]
    fn tests_and_re_exports_are_no_uses() {
        let package = package(&[
            ("lib", "mod a; mod b; pub use a::A;"),
            ("a", "use crate::b::B; pub struct A(B);"),
            (
                "b",
                "pub struct B; #[cfg(test)] mod tests { use super::super::a::A; }",
            ),
        ]);
        assert_eq!(Graph::of(&package).cycles(), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn a_parent_that_calls_its_child_and_is_used_by_it() {
        let package = package(&[
            ("p", "mod c; pub struct P; fn f() { c::g() }"),
            ("p::c", "pub fn g() { let _: super::P; }"),
        ]);
        assert_eq!(Graph::of(&package).cycles(), [vec![0, 1]]);
    }
}
