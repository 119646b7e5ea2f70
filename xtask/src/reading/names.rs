//! Finds the file of a crate that defines what a path names, through modules, imports and re-exports.

use crate::reading::modules::Crate;
use std::collections::HashMap;
use syn::{Item, UseTree};

/// The names in every module of a crate.
pub struct Names<'a> {
    source: &'a Crate,
    /// The possible meanings of each name: a module and a function may share one.
    scopes: Vec<HashMap<String, Vec<Named>>>,
    /// Paths of the imports with a `*`.
    globs: Vec<Vec<Vec<String>>>,
}

enum Named {
    Module(usize),
    Item,
    Import(Vec<String>),
}

/// The result of following a path.
#[derive(Clone, Copy)]
enum Found {
    Module(usize),
    /// The item's file.
    Item(usize),
}

/// Most imports and re-exports that one path may lead through; imports may go in circles.
const LONGEST_CHAIN: usize = 12;

impl<'a> Names<'a> {
    pub fn new(source: &'a Crate) -> Self {
        let mut names = Self {
            source,
            scopes: source.modules.iter().map(|_| HashMap::new()).collect(),
            globs: vec![Vec::new(); source.modules.len()],
        };
        for (module, each) in source.modules.iter().enumerate() {
            if let Some(parent) = each.parent {
                names.add(parent, &each.name, Named::Module(module));
            }
            for item in &each.items {
                if let Item::Use(import) = item {
                    imports(&import.tree, &mut Vec::new(), &mut |name, path| match name {
                        Some(name) => names.add(module, &name, Named::Import(path)),
                        None => names.globs[module].push(path),
                    });
                } else if let Some(name) = name_of(item) {
                    names.add(module, &name, Named::Item);
                }
            }
        }
        names
    }

    /// The file, as an index, that defines what `path` names in `module`; none for modules and for other crates' items.
    pub fn defining_file(&self, module: usize, path: &[String]) -> Option<usize> {
        match self.resolve(module, path, LONGEST_CHAIN)? {
            Found::Module(_) => None,
            Found::Item(file) => Some(file),
        }
    }

    fn add(&mut self, module: usize, name: &str, named: Named) {
        self.scopes[module].entry(name.to_owned()).or_default().push(named);
    }

    fn resolve(&self, module: usize, path: &[String], chain: usize) -> Option<Found> {
        let mut here = module;
        for (position, name) in path.iter().enumerate() {
            match name.as_str() {
                "crate" => here = 0,
                "self" => {}
                "super" => here = self.source.modules[here].parent?,
                name => match self.lookup(here, name, position + 1 == path.len(), chain) {
                    Some(Found::Module(found)) => here = found,
                    Some(item) => return Some(item),
                    // Another crate, or a name of the language.
                    None if position == 0 => return None,
                    // A macro makes it.
                    None => return Some(Found::Item(self.source.modules[here].file)),
                },
            }
        }
        Some(Found::Module(here))
    }

    fn lookup(&self, module: usize, name: &str, is_last: bool, chain: usize) -> Option<Found> {
        let chain = chain.checked_sub(1)?;
        let named = self.scopes[module].get(name).map_or(&[][..], Vec::as_slice);
        let mut found = named.iter().filter_map(|each| match each {
            Named::Module(found) => Some(Found::Module(*found)),
            Named::Item => Some(Found::Item(self.source.modules[module].file)),
            Named::Import(path) => self.resolve(module, path, chain),
        });
        // At the end of a path an item is meant, before its end a module.
        let first = found.next();
        let other = found.find(|_| first.is_some_and(|first| matches!(first, Found::Module(_)) == is_last));
        other.or(first).or_else(|| {
            let through = |path: &Vec<String>| match self.resolve(module, path, chain)? {
                Found::Module(found) if found != module => self.lookup(found, name, is_last, chain),
                _ => None,
            };
            self.globs[module].iter().find_map(through)
        })
    }
}

/// Calls `found` with the name and the path of everything that is imported; for a `*` without a name.
pub fn imports(tree: &UseTree, path: &mut Vec<String>, found: &mut impl FnMut(Option<String>, Vec<String>)) {
    let leaf = |last: String, name: String, found: &mut dyn FnMut(Option<String>, Vec<String>)| {
        let own = (last != "self").then_some(last);
        let whole: Vec<String> = path.iter().cloned().chain(own).collect();
        let name = if name == "self" { whole.last().cloned().unwrap_or_default() } else { name };
        found(Some(name), whole);
    };
    match tree {
        UseTree::Name(name) => leaf(name.ident.to_string(), name.ident.to_string(), found),
        UseTree::Rename(name) => leaf(name.ident.to_string(), name.rename.to_string(), found),
        UseTree::Glob(_) => found(None, path.clone()),
        UseTree::Path(step) => {
            path.push(step.ident.to_string());
            imports(&step.tree, path, found);
            path.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| imports(tree, path, found)),
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
