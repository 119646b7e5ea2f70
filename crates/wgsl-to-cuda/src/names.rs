//! Names in the translation: WGSL's own, unless C++ or CUDA reserves them.

use naga::{Constant, Function, GlobalVariable, Handle, Module, Type, TypeInner};
use std::collections::{HashMap, HashSet};

/// Names that are reserved by C++ or CUDA, or used by the text around a kernel.
#[rustfmt::skip]
const TAKEN: &[&str] = &[
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char16_t", "char32_t", "char8_t", "class", "compl", "concept", "const", "const_cast", "consteval", "constexpr",
    "constinit", "continue", "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed",
    "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw",
    "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
    "wchar_t", "while", "xor", "xor_eq",
    "uint", "float2", "float3", "float4", "int2", "int3", "int4", "uint2", "uint3", "uint4", "wgsl", "kernel", "main",
    "linux", "unix", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "atomicAdd", "atomicSub", "atomicAnd",
    "atomicOr", "atomicXor", "atomicMin", "atomicMax", "atomicExch", "atomicCAS", "NULL", "INFINITY", "NAN", "assert",
];

/// The names used so far in one scope and in the scopes around it.
#[derive(Clone)]
pub(crate) struct Scope {
    taken: HashSet<String>,
}

impl Scope {
    fn outermost() -> Self {
        Self { taken: TAKEN.iter().map(|&word| word.to_owned()).collect() }
    }

    /// Returns a new name: `wanted` if it is free, else `wanted` with the lowest number, from 2, that makes it free.
    pub fn name(&mut self, wanted: &str) -> String {
        let plain = as_identifier(wanted);
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let mut candidates = std::iter::once(plain.clone()).chain(numbered);
        let free = candidates.find(|name| !self.taken.contains(name)).unwrap_or(plain);
        self.taken.insert(free.clone());
        free
    }
}

/// Turns a name into an identifier that C++ does not reserve. C++ reserves double underscores, and an underscore before
/// a capital. Macros of CUDA's compiler and of the prelude are in capitals.
fn as_identifier(wanted: &str) -> String {
    let mut name = String::new();
    for letter in wanted.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() => name.push(letter),
            // Names that naga makes contain angle brackets.
            letter if letter.is_ascii() => {
                if !name.ends_with('_') && !name.is_empty() {
                    name.push('_');
                }
            }
            letter => name += &format!("u{:x}", letter as u32),
        }
    }
    let starts_well =
        name.starts_with(|first: char| first.is_ascii_alphabetic()) && !name.starts_with("WGSL_");
    if starts_well { name } else { format!("v{name}") }
}

/// The names of a module's items in the translation.
pub(crate) struct ModuleNames {
    pub entry: String,
    pub types: HashMap<Handle<Type>, String>,
    pub members: HashMap<Handle<Type>, Vec<String>>,
    pub constants: HashMap<Handle<Constant>, String>,
    pub globals: HashMap<Handle<GlobalVariable>, String>,
    pub functions: HashMap<Handle<Function>, String>,
    /// The names that are in use when a function begins.
    pub scope: Scope,
}

impl ModuleNames {
    /// Chooses the names of a module with at most one entry point. The entry point chooses first, so that it keeps its
    /// name.
    pub fn of(module: &Module) -> Self {
        let mut scope = Scope::outermost();
        let mut named =
            |name: &Option<String>, otherwise: &str| scope.name(name.as_deref().unwrap_or(otherwise));
        let entry = named(&module.entry_points.first().map(|point| point.name.clone()), "entry");
        let structs = || {
            module.types.iter().filter_map(|(handle, type_)| match &type_.inner {
                TypeInner::Struct { members, .. } => Some((handle, type_, members)),
                _ => None,
            })
        };
        let types = structs().map(|(handle, type_, _)| (handle, named(&type_.name, "Struct"))).collect();
        let constants = module.constants.iter();
        let constants = constants.map(|(handle, each)| (handle, named(&each.name, "constant"))).collect();
        let globals = module.global_variables.iter();
        let globals = globals.map(|(handle, each)| (handle, named(&each.name, "global"))).collect();
        let functions = module.functions.iter();
        let functions = functions.map(|(handle, each)| (handle, named(&each.name, "function"))).collect();
        let members = structs().map(|(handle, _, members)| {
            let mut inside = Scope::outermost();
            let name = |member: &naga::StructMember| inside.name(member.name.as_deref().unwrap_or("member"));
            (handle, members.iter().map(name).collect())
        });
        Self { entry, types, members: members.collect(), constants, globals, functions, scope }
    }
}
