//! Functions: signatures, arguments, variables. Their statements are written in `statements`.

use super::error::Result;
use super::names::Scope;
use super::uses::{Uses, Value};
use super::{AWAITS, LaunchExtent, ModuleText, Passing, TranslationError};
use naga::valid::FunctionInfo;
use naga::{AddressSpace, Binding, BuiltIn, Function, Handle, LocalVariable, Span, TypeInner};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;

/// Threads of a warp: registers are allocated for whole warps.
const WARP: u32 = 32;

/// What a kernel is called, takes, and how many threads its blocks have.
pub(crate) struct KernelSignature<'a> {
    pub name: &'a str,
    pub parameters: &'a [String],
    pub size: [u32; 3],
}

/// The state of the translation of one function.
pub(crate) struct FunctionText<'a> {
    pub module: &'a ModuleText<'a>,
    pub function: &'a Function,
    pub info: &'a FunctionInfo,
    pub uses: Uses,
    pub scope: Scope,
    pub arguments: Vec<String>,
    pub locals: HashMap<Handle<LocalVariable>, String>,
    /// The names of the values that are declared at the current position of the text.
    pub named: HashMap<Value, String>,
    /// Values that were declared in a block that has ended.
    pub ended: HashSet<Value>,
    /// For each enclosing loop, innermost last: the label that `continue` jumps to, or `None` where C++'s `continue`
    /// does.
    pub labels: Vec<Option<String>>,
    /// Whether the text written now is the last of the function: a `return` without value is then left out.
    pub is_at_end: bool,
    text: String,
    depth: usize,
}

impl<'a> FunctionText<'a> {
    pub fn new(module: &'a ModuleText<'a>, function: &'a Function, info: &'a FunctionInfo) -> Self {
        let mut scope = module.names.scope.clone();
        let mut name =
            |name: &Option<String>, otherwise: &str| scope.name(name.as_deref().unwrap_or(otherwise));
        let arguments = function.arguments.iter().map(|each| name(&each.name, "argument")).collect();
        let locals = function.local_variables.iter();
        let locals = locals.map(|(handle, each)| (handle, name(&each.name, "local"))).collect();
        Self {
            module,
            function,
            info,
            uses: Uses::of(function),
            scope,
            arguments,
            locals,
            named: HashMap::new(),
            ended: HashSet::new(),
            labels: Vec::new(),
            is_at_end: true,
            text: String::new(),
            depth: 0,
        }
    }

    /// The text of a function other than the kernel.
    pub fn write_function(mut self, name: &str) -> Result<String> {
        let mut parameters = Vec::new();
        for (argument, name) in self.function.arguments.iter().zip(&self.arguments) {
            let types = &self.module.module.types;
            parameters.push(match types[argument.ty].inner {
                TypeInner::Pointer { base, space: AddressSpace::Function } => {
                    format!("{}& {name}", self.module.type_name(base)?)
                }
                _ => format!("const {} {name}", self.module.type_name(argument.ty)?),
            });
        }
        for global in self.module.buffers_of(self.info) {
            parameters.push(self.module.buffer_parameter(global, Passing::ToFunction)?);
        }
        let result = match &self.function.result {
            Some(result) => self.module.type_name(result.ty)?,
            None => "void".to_owned(),
        };
        self.line(format_args!("WGSL_FN {result} {name}({}) {{", parameters.join(", ")));
        self.body()
    }

    /// The text of the kernel (the entry point).
    pub fn write_kernel(
        mut self,
        signature: &KernelSignature<'_>,
        extent: LaunchExtent,
        resident_threads: u32,
    ) -> Result<String> {
        let KernelSignature { name, parameters, size } = *signature;
        let threads = size.iter().product::<u32>();
        // The compiler limits registers so that so many workgroups fit a multiprocessor.
        let groups = (resident_threads / threads.next_multiple_of(WARP)).clamp(1, 16);
        self.line(format_args!(
            "extern \"C\" __global__ void __launch_bounds__({threads}, {groups}) {name}({}) {{",
            parameters.join(", ")
        ));
        self.indented(format_args!("{AWAITS};"));
        for (argument, name) in self.function.arguments.iter().zip(self.arguments.clone()) {
            let type_ = self.module.type_name(argument.ty)?;
            let value = self.input(argument, size, extent)?;
            self.indented(format_args!("const {type_} {name} = {value};"));
        }
        self.body()
    }

    /// The value of a kernel's argument: built-in numbers of the thread that runs it.
    fn input(
        &self,
        argument: &naga::FunctionArgument,
        size: [u32; 3],
        extent: LaunchExtent,
    ) -> Result<String> {
        let types = &self.module.module.types;
        if let TypeInner::Struct { members, .. } = &types[argument.ty].inner {
            let values: Result<Vec<_>, _> =
                members.iter().map(|member| self.builtin(member.binding.as_ref(), size, extent)).collect();
            return self.module.composed(argument.ty, &values?);
        }
        self.builtin(argument.binding.as_ref(), size, extent)
    }

    fn builtin(
        &self,
        binding: Option<&Binding>,
        [x, y, z]: [u32; 3],
        extent: LaunchExtent,
    ) -> Result<String> {
        let Some(&Binding::BuiltIn(builtin)) = binding else {
            return Err(self.unsupported("an input that is not built in", Span::UNDEFINED));
        };
        // Along an axis with one thread per block, `threadIdx` is 0 and left out.
        let group = |axis: &str| match extent {
            LaunchExtent::Whole => format!("blockIdx.{axis}"),
            LaunchExtent::Part => format!("(wgsl_part.first.{axis} + blockIdx.{axis})"),
        };
        let global = |axis: &str, size: u32| match size {
            1 => group(axis),
            _ => format!("{} * {size}u + threadIdx.{axis}", group(axis)),
        };
        Ok(match builtin {
            BuiltIn::GlobalInvocationId => {
                format!("uint3{{{}, {}, {}}}", global("x", x), global("y", y), global("z", z))
            }
            BuiltIn::LocalInvocationId => "uint3{threadIdx.x, threadIdx.y, threadIdx.z}".to_owned(),
            BuiltIn::LocalInvocationIndex if y * z == 1 => "threadIdx.x".to_owned(),
            BuiltIn::LocalInvocationIndex => {
                format!("(threadIdx.z * {y}u + threadIdx.y) * {x}u + threadIdx.x")
            }
            BuiltIn::WorkGroupId => format!("uint3{{{}, {}, {}}}", group("x"), group("y"), group("z")),
            BuiltIn::NumWorkGroups => match extent {
                LaunchExtent::Whole => "uint3{gridDim.x, gridDim.y, gridDim.z}".to_owned(),
                LaunchExtent::Part => "wgsl_part.all".to_owned(),
            },
            other => return Err(self.unsupported(format!("the input {other:?}"), Span::UNDEFINED)),
        })
    }

    /// The local variables and statements, up to and including the closing brace.
    fn body(mut self) -> Result<String> {
        self.depth += 1;
        for (handle, local) in self.function.local_variables.iter() {
            let type_ = self.module.type_name(local.ty)?;
            let value = match local.init {
                Some(value) => self.value(value)?,
                // WGSL's variables are zero unless initialised.
                None => "{}".to_owned(),
            };
            let name = self.locals[&handle].clone();
            self.line(format_args!("{type_} {name} = {value};"));
        }
        let function = self.function;
        self.statements(&function.body, None)?;
        self.depth -= 1;
        self.line("}\n");
        Ok(self.text)
    }

    pub fn line(&mut self, line: impl Display) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text += &line.to_string();
        self.text.push('\n');
    }

    pub fn indented(&mut self, line: impl Display) {
        self.depth += 1;
        self.line(line);
        self.depth -= 1;
    }

    /// Writes a block with `inside`, indented by one level. Values declared in the block have no name after it.
    pub fn within(&mut self, inside: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let before = self.named.clone();
        self.depth += 1;
        inside(self)?;
        self.depth -= 1;
        let after = std::mem::replace(&mut self.named, before);
        self.ended.extend(after.into_keys().filter(|handle| !self.named.contains_key(handle)));
        Ok(())
    }

    /// Writes a block with braces; `head` ends with the first one.
    pub fn braced(&mut self, head: impl Display, inside: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.line(head);
        self.within(inside)?;
        self.line("}");
        Ok(())
    }

    pub fn unsupported(&self, construct: impl Into<String>, span: Span) -> TranslationError {
        self.module.unsupported(construct, span)
    }

    /// The type of an expression.
    pub fn inner(&self, handle: Value) -> &TypeInner {
        self.info[handle].ty.inner_with(&self.module.module.types)
    }

    pub fn is_pointer(&self, handle: Value) -> bool {
        self.inner(handle).pointer_space().is_some()
    }
}
