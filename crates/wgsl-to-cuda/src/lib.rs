//! Translates one entry point of a WGSL source, and all that it uses, to readable CUDA C++ for NVRTC.
//!
//! naga parses, validates and specialises the WGSL; this crate writes naga's intermediate representation as CUDA C++.
//! It covers the constructs that kernels use: scalars and vectors of `f32`, `u32`, `i32` and `bool`, arrays, structs,
//! functions with `ptr<function, T>` arguments, storage and uniform buffers of group 0, workgroup memory, barriers and
//! 32-bit integer atomics. Anything else is refused with the construct's name and line.
//!
//! The same in both languages: layouts of buffers (asserted by the compiler), conversions, bits of NaN, zeroed `var`s;
//! sums, products, quotients and square roots, each rounded by itself (`-fmad=false`; other fast mathematics is off by
//! default).
//!
//! Deliberately different:
//! * workgroup memory is not zeroed: kernels write it before they read it;
//! * indices are not checked;
//! * signed overflow and integer division by zero are undefined, as in C++.
//!
//! All names of the kernel are in `namespace kernel`, so that they cannot clash with those of CUDA's library. Shared
//! memory is declared there too and is visible to all functions; buffers are passed from function to function as
//! arguments.

mod arithmetic;
mod constants;
mod error;
mod expressions;
mod function;
mod loops;
mod named_values;
mod names;
mod resources;
mod statements;
mod types;
mod uses;

pub use error::TranslationError;
pub use resources::{Access, BufferPart, Resource, resources};

use error::Result;
use function::{FunctionText, KernelSignature};
use naga::back::PipelineConstants;
use naga::back::pipeline_constants::process_overrides;
use naga::compact::{KeepUnused, compact};
use naga::proc::Layouter;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{
    AddressSpace, Barrier, Block, Expression, GlobalVariable, Handle, Literal, Module, ShaderStage,
    Statement, StorageAccess, TypeInner,
};
use names::ModuleNames;
use std::fmt::Write;

/// The source of the translator itself. A cache of translations makes the hash of it part of the key, so that
/// translations by another version are not found.
pub const TRANSLATOR: &[&str] = &[
    include_str!("arithmetic.rs"),
    include_str!("constants.rs"),
    include_str!("expressions.rs"),
    include_str!("function.rs"),
    include_str!("loops.rs"),
    include_str!("lib.rs"),
    include_str!("named_values.rs"),
    include_str!("names.rs"),
    include_str!("statements.rs"),
    include_str!("types.rs"),
    include_str!("uses.rs"),
    PRELUDE,
];

/// WGSL's types, operators and functions in CUDA C++.
pub const PRELUDE: &str = include_str!("prelude.cuh");

/// The call that a kernel begins with which may begin before the kernels whose results it needs have ended. Every
/// translated kernel begins so; hand-written ones may.
pub const AWAITS: &str = "wgsl::await_earlier_kernels()";

/// The name of a `const` in WGSL, of type `u32`: how many threads should fit a multiprocessor at once, so that some can run while
/// others wait for memory. The more there are, the fewer registers each has; a kernel whose loads wait for each other wants
/// many, one that keeps much at hand few.
pub const RESIDENT_THREADS: &str = "RESIDENT_THREADS";
/// Its value where a text does not say: 128 registers for each thread.
const DEFAULT_RESIDENT_THREADS: u32 = 512;

/// How much of a kernel's work a launch does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchExtent {
    /// All workgroups.
    Whole,
    /// Some of the workgroups: other launches do the rest, perhaps on other GPUs. The kernel's last parameter is a [`LaunchPart`].
    Part,
}

/// The last parameter of a kernel that launches do in parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct LaunchPart {
    /// The workgroup along x, y and z that the launch begins with.
    pub first: [u32; 3],
    /// Number of workgroups along x, y and z of all launches together, as WGSL's `num_workgroups` says.
    pub all: [u32; 3],
}

/// The CUDA C++ source of one entry point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaSource {
    /// A complete translation unit, which includes no header.
    pub source: String,
    /// The kernel's name in `source`, with C linkage.
    pub entry: String,
    /// The kernel's parameters in order: the bindings of group 0 that it uses, ascending.
    pub bindings: Vec<Binding>,
    /// Threads of a block along x, y and z; a launch must use exactly these.
    pub workgroup_size: [u32; 3],
}

/// A parameter of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// A pointer to a storage buffer in device memory.
    Storage {
        /// The binding's number in WGSL.
        binding: u32,
    },
    /// A uniform block, passed by value.
    Uniform {
        /// The binding's number in WGSL.
        binding: u32,
        /// The block's length in bytes, in WGSL's layout.
        size: u32,
    },
}

/// Translates the entry point `entry` of `wgsl`; `constants` are names and values of `override` constants.
///
/// ```
/// let wgsl = "
///     override FACTOR: f32 = 1.0;
///     @group(0) @binding(0) var<storage, read_write> samples: array<f32>;
///     @compute @workgroup_size(64)
///     fn scale(@builtin(global_invocation_id) id: vec3<u32>) { samples[id.x] *= FACTOR; }";
/// let cuda = wgsl_to_cuda::translate(wgsl, "scale", &[("FACTOR", 2.0)], wgsl_to_cuda::LaunchExtent::Whole)?;
/// assert_eq!((cuda.entry.as_str(), cuda.workgroup_size), ("scale", [64, 1, 1]));
/// # Ok::<(), wgsl_to_cuda::TranslationError>(())
/// ```
///
/// # Errors
/// [`TranslationError`] with the construct and its line.
pub fn translate(
    wgsl: &str,
    entry: &str,
    constants: &[(&str, f64)],
    extent: LaunchExtent,
) -> Result<CudaSource> {
    let Specialised { module, info, resident_threads } = specialise(wgsl, entry, constants)?;
    ModuleText::new(wgsl, &module, &info).write(extent, resident_threads)
}

/// Translates all functions of `wgsl`, to be used by hand-written CUDA C++. The text belongs after [`PRELUDE`], in
/// `namespace kernel`. Functions keep their names and parameters unless C++ reserves these names. The source may have
/// no `override`.
///
/// ```
/// let cuda = wgsl_to_cuda::translate_functions("fn twice(x: vec4<f32>) -> vec4<f32> { return x + x; }")?;
/// assert!(cuda.contains("float4 twice(const float4 x)"));
/// # Ok::<(), wgsl_to_cuda::TranslationError>(())
/// ```
///
/// # Errors
/// [`TranslationError`] with the construct and its line.
pub fn translate_functions(wgsl: &str) -> Result<String> {
    let module = parse(wgsl)?;
    let info = validate(&module, wgsl)?;
    let text = ModuleText::new(wgsl, &module, &info);
    match module.overrides.iter().next() {
        None => text.write_functions(),
        Some((handle, _)) => Err(text.unsupported("an `override`", module.overrides.get_span(handle))),
    }
}

fn parse(wgsl: &str) -> Result<Module> {
    naga::front::wgsl::parse_str(wgsl).map_err(|error| TranslationError::parse(&error, wgsl))
}

fn validate(module: &Module, wgsl: &str) -> Result<ModuleInfo> {
    // The capability is needed for half floats that are packed into words.
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::SHADER_FLOAT16_IN_FLOAT32);
    validator.validate(module).map_err(|error| TranslationError::invalid(&error, wgsl))
}

/// A module reduced to one entry point and all that it uses, with every `override` replaced by its value.
struct Specialised {
    module: Module,
    info: ModuleInfo,
    /// The value of [`RESIDENT_THREADS`].
    resident_threads: u32,
}

fn specialise(wgsl: &str, entry: &str, constants: &[(&str, f64)]) -> Result<Specialised> {
    let module = parse(wgsl)?;
    let resident_threads = resident_threads(&module);
    let is_entry = |point: &naga::EntryPoint| point.stage == ShaderStage::Compute && point.name == entry;
    if !module.entry_points.iter().any(is_entry) {
        return Err(TranslationError::NoEntry { entry: entry.to_owned() });
    }
    let info = validate(&module, wgsl)?;
    let values: PipelineConstants = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let (module, _) = process_overrides(&module, &info, Some((ShaderStage::Compute, entry)), &values)
        .map_err(|error| TranslationError::Constants { message: error.to_string() })?;
    let mut module = module.into_owned();
    module.entry_points.retain(is_entry);
    compact(&mut module, KeepUnused::No);
    let info = validate(&module, wgsl)?;
    Ok(Specialised { module, info, resident_threads })
}

/// The value that a text gives to [`RESIDENT_THREADS`], or [`DEFAULT_RESIDENT_THREADS`].
fn resident_threads(module: &Module) -> u32 {
    let own =
        module.constants.iter().find(|(_, constant)| constant.name.as_deref() == Some(RESIDENT_THREADS));
    match own.map(|(_, constant)| &module.global_expressions[constant.init]) {
        Some(Expression::Literal(Literal::U32(threads))) => *threads,
        _ => DEFAULT_RESIDENT_THREADS,
    }
}

/// The state of the translation of a module.
struct ModuleText<'a> {
    wgsl: &'a str,
    module: &'a Module,
    info: &'a ModuleInfo,
    names: ModuleNames,
    layouter: Layouter,
}

impl<'a> ModuleText<'a> {
    fn new(wgsl: &'a str, module: &'a Module, info: &'a ModuleInfo) -> Self {
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).expect("a valid module's types should have layouts");
        Self { wgsl, module, info, names: ModuleNames::of(module), layouter }
    }

    fn write(&self, extent: LaunchExtent, resident_threads: u32) -> Result<CudaSource> {
        let point = &self.module.entry_points[0];
        let info = self.info.get_entry_point(0);
        let mut source = format!("{PRELUDE}\nnamespace kernel {{\n\n");
        source += &self.write_functions()?;
        let mut parameters = Vec::new();
        let mut bindings = Vec::new();
        let mut globals = self.buffers_of(info);
        globals.sort_by_key(|&handle| self.module.global_variables[handle].binding.map(|at| at.binding));
        for handle in globals {
            bindings.push(self.binding(handle)?);
            parameters.push(self.buffer_parameter(handle, Passing::ToKernel)?);
        }
        if extent == LaunchExtent::Part {
            parameters.push("const __grid_constant__ wgsl::Part wgsl_part".to_owned());
        }
        let entry = self.names.entry.clone();
        let text = FunctionText::new(self, &point.function, info);
        let signature = KernelSignature { name: &entry, parameters: &parameters, size: point.workgroup_size };
        source += &text.write_kernel(&signature, extent, resident_threads)?;
        source += "} // namespace kernel\n";
        let workgroup_size = point.workgroup_size;
        debug_assert!(!workgroup_size.contains(&0), "naga should have resolved the workgroup's size");
        Ok(CudaSource { source, entry, bindings, workgroup_size })
    }

    /// The text of everything except the entry point.
    fn write_functions(&self) -> Result<String> {
        let mut source = String::new();
        self.write_structs(&mut source)?;
        self.write_constants(&mut source)?;
        self.write_workgroup_memory(&mut source)?;
        for (handle, function) in self.module.functions.iter() {
            let text = FunctionText::new(self, function, &self.info[handle]);
            source += &text.write_function(&self.names.functions[&handle])?;
        }
        Ok(source)
    }

    fn write_workgroup_memory(&self, source: &mut String) -> Result<()> {
        for (handle, global) in self.module.global_variables.iter() {
            match global.space {
                AddressSpace::WorkGroup => {
                    let (type_, name) = (self.workgroup_name(global.ty)?, &self.names.globals[&handle]);
                    let _ = writeln!(source, "__shared__ {type_} {name};");
                }
                AddressSpace::Storage { .. } | AddressSpace::Uniform => {}
                space => {
                    let span = self.module.global_variables.get_span(handle);
                    return Err(self.unsupported(format!("a variable in {space:?} memory"), span));
                }
            }
        }
        Ok(())
    }

    /// Storage and uniform buffers that a function or its callees use, in the order of declaration.
    fn buffers_of(&self, info: &naga::valid::FunctionInfo) -> Vec<Handle<GlobalVariable>> {
        let is_buffer = |global: &GlobalVariable| {
            matches!(global.space, AddressSpace::Storage { .. } | AddressSpace::Uniform)
        };
        let globals = self.module.global_variables.iter();
        globals
            .filter(|(handle, global)| is_buffer(global) && !info[*handle].is_empty())
            .map(|(handle, _)| handle)
            .collect()
    }

    fn binding(&self, handle: Handle<GlobalVariable>) -> Result<Binding> {
        let global = &self.module.global_variables[handle];
        let span = self.module.global_variables.get_span(handle);
        let at = global.binding.filter(|at| at.group == 0);
        let Some(naga::ResourceBinding { binding, .. }) = at else {
            return Err(self.unsupported("a binding outside group 0", span));
        };
        if global.space == AddressSpace::Uniform {
            let size = self.module.types[global.ty].inner.size(self.module.to_ctx());
            return Ok(Binding::Uniform { binding, size });
        }
        Ok(Binding::Storage { binding })
    }

    /// The declaration of a buffer as a parameter of the kernel or of a function.
    fn buffer_parameter(&self, handle: Handle<GlobalVariable>, passing: Passing) -> Result<String> {
        let global = &self.module.global_variables[handle];
        let name = &self.names.globals[&handle];
        let pointee = match self.module.types[global.ty].inner {
            TypeInner::Array { base, size: naga::ArraySize::Dynamic, .. } => self.element_name(base)?,
            _ => self.type_name(global.ty)?,
        };
        Ok(match (global.space, passing) {
            (AddressSpace::Storage { access }, _) if access.contains(StorageAccess::STORE) => {
                let alone = if self.is_shared_between_threads(handle) { "" } else { " __restrict__" };
                format!("{pointee}*{alone} {name}")
            }
            (AddressSpace::Storage { .. }, _) => format!("const {pointee}* __restrict__ {name}"),
            (_, Passing::ToKernel) => format!("const __grid_constant__ {pointee} {name}"),
            (_, Passing::ToFunction) => format!("const {pointee}& {name}"),
        })
    }

    /// Whether a thread may have to see other threads' stores to a buffer: a pointer to it must not be `__restrict__`
    /// then.
    fn is_shared_between_threads(&self, handle: Handle<GlobalVariable>) -> bool {
        let type_ = self.module.global_variables[handle].ty;
        let functions = self.module.functions.iter().map(|(_, function)| function);
        let mut all = functions.chain(self.module.entry_points.iter().map(|point| &point.function));
        self.holds_atomics(type_) || all.any(|function| has_storage_barrier(&function.body))
    }
}

/// Whether a buffer is a parameter of the kernel or of a function that it calls.
#[derive(Clone, Copy)]
enum Passing {
    ToKernel,
    ToFunction,
}

fn has_storage_barrier(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::ControlBarrier(barrier) => barrier.contains(Barrier::STORAGE),
        other => uses::inner_blocks(other).into_iter().any(has_storage_barrier),
    })
}
