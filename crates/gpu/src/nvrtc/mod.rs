//! NVRTC, NVIDIA's run-time compiler: compiles CUDA C++ to machine code for one GPU.
//!
//! The library is loaded when it is first needed, so that programs start without it; compiled kernels are cached on
//! disk. Versions 11.2 to 13 have the same C interface.

mod cache;
mod library;
mod resources;
mod search_paths;
#[cfg(test)]
mod tests;

pub(crate) use cache::{Cache, Key};
pub use resources::KernelResources;

use library::{Library, Program};
use std::path::PathBuf;

/// The loaded NVRTC library, and the cache of compiled kernels.
#[derive(Debug)]
pub struct Nvrtc {
    library: Library,
    version: (i32, i32),
    cache: Cache,
}

/// The result of a compilation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledText {
    /// The image that the driver loads.
    pub image: CompiledImage,
    /// The compiler's warnings; empty if there are none, or if the image comes from the cache.
    pub log: String,
}

/// A compiled kernel in a form that the driver loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompiledImage {
    /// Machine code for the architecture asked for.
    Cubin(Vec<u8>),
    /// PTX assembly, for a GPU newer than the compiler: the driver compiles it when it is loaded. Ends with a zero
    /// byte.
    Ptx(Vec<u8>),
}

/// Which instructions an NVIDIA GPU has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ComputeCapability {
    /// The generation.
    pub major: u32,
    /// The member of the generation.
    pub minor: u32,
}

impl ComputeCapability {
    /// Major and minor number.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }
}

/// NVRTC was not found, cannot be used, or refused a source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NvrtcError {
    /// No NVRTC was found.
    #[error(
        "NVRTC, the CUDA compiler, was not found: install the CUDA toolkit or `pip install nvidia-cuda-nvrtc`, or set \
         VELOXEL_NVRTC to its file; looked at {looked}"
    )]
    NotFound {
        /// Every place searched, with the reason where a file there could not be used.
        looked: String,
    },
    /// The file that `VELOXEL_NVRTC` names cannot be used.
    #[error("VELOXEL_NVRTC names `{}`, which cannot be loaded: {reason}", .path.display())]
    Named {
        /// The path in the variable.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// The GPU is older than all architectures that the compiler supports.
    #[error(
        "NVRTC {}.{} compiles for compute capability {oldest} and later, not {}.{}: install an older one",
        .version.0, .version.1, .architecture.major, .architecture.minor
    )]
    TooOld {
        /// The compiler's version, major and minor.
        version: (i32, i32),
        /// The GPU's compute capability.
        architecture: ComputeCapability,
        /// The oldest architecture supported, as 10 · major + minor.
        oldest: u32,
    },
    /// The source has errors.
    #[error("NVRTC refused `{name}`: {log}")]
    Compile {
        /// The kernel's name.
        name: String,
        /// The compiler's message.
        log: String,
    },
    /// A call failed for another reason.
    #[error("NVRTC: {call} failed: {reason}")]
    Call {
        /// The name of the function.
        call: &'static str,
        /// The compiler's message.
        reason: String,
    },
}

impl Nvrtc {
    /// Loads the first NVRTC that is found.
    ///
    /// # Errors
    /// [`NvrtcError::NotFound`] with every place; [`NvrtcError::Named`]; [`NvrtcError::Call`].
    pub fn find() -> Result<Self, NvrtcError> {
        Self::find_for(i32::MAX)
    }

    /// Loads the first NVRTC whose major version is at most the driver's: a driver refuses machine code of newer
    /// compilers.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub(crate) fn find_for(driver_major: i32) -> Result<Self, NvrtcError> {
        let library = search_paths::find(driver_major)?;
        let version = library.version()?;
        Ok(Self { library, version, cache: Cache::of_platform() })
    }

    /// This compiler with another cache.
    #[cfg(test)]
    pub(crate) fn with_cache(self, cache: Cache) -> Self {
        Self { cache, ..self }
    }

    /// The cache of compiled kernels.
    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The compiler's version, major and minor.
    pub fn version(&self) -> (i32, i32) {
        self.version
    }

    /// Compiles `source` for the compute capability `architecture`; `name` stands in error messages.
    ///
    /// # Errors
    /// [`NvrtcError::Compile`] with what the compiler says; [`NvrtcError::TooOld`]; [`NvrtcError::Call`].
    pub fn compile(
        &self,
        source: &str,
        name: &str,
        architecture: ComputeCapability,
    ) -> Result<CompiledText, NvrtcError> {
        self.compile_with(source, name, &self.options(architecture)?)
    }

    /// Registers and memory that a kernel uses; all are 0 if it becomes [`CompiledImage::Ptx`]. The assembler's log is cached on disk.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn resources(
        &self,
        source: &str,
        name: &str,
        architecture: ComputeCapability,
    ) -> Result<KernelResources, NvrtcError> {
        let mut options = self.options(architecture)?;
        options.arguments.push("--ptxas-options=-v".to_owned());
        let key = self.key(source, &options);
        if let Some(log) = self.cache.read_text(key) {
            return Ok(KernelResources::of_log(&log));
        }
        let log = self.compile_with(source, name, &options)?.log;
        self.cache.write_text(key, &log);
        Ok(KernelResources::of_log(&log))
    }

    /// Compiles as [`Self::compile`] does, with the cache on disk: a source is compiled only once.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn cached(
        &self,
        source: &str,
        name: &str,
        architecture: ComputeCapability,
    ) -> Result<CompiledText, NvrtcError> {
        let options = self.options(architecture)?;
        let key = self.key(source, &options);
        if let Some(image) = self.cache.read(key) {
            return Ok(CompiledText { image, log: String::new() });
        }
        let compiled = self.compile_with(source, name, &options)?;
        self.cache.write(key, &compiled.image);
        Ok(compiled)
    }

    /// What a compilation is cached under.
    fn key(&self, source: &str, options: &Options) -> Key {
        let version = format!("NVRTC {}.{}", self.version.0, self.version.1);
        Key::of(&[source, &options.arguments.join(" "), &version, env!("CARGO_PKG_VERSION")])
    }

    fn compile_with(&self, source: &str, name: &str, options: &Options) -> Result<CompiledText, NvrtcError> {
        let program = Program::new(&self.library, source, name)?;
        let done = program.compile(&options.arguments);
        let log = program.log()?;
        if done.is_err() && !log.is_empty() {
            return Err(NvrtcError::Compile { name: name.to_owned(), log });
        }
        done?;
        let image = match options.is_machine_code {
            true => CompiledImage::Cubin(program.output(&self.library.cubin)?),
            false => CompiledImage::Ptx(program.output(&self.library.ptx)?),
        };
        Ok(CompiledText { image, log })
    }

    /// The options for a GPU: machine code if the compiler supports its architecture, otherwise PTX for the newest
    /// older architecture that it supports.
    fn options(&self, architecture: ComputeCapability) -> Result<Options, NvrtcError> {
        let wanted = 10 * architecture.major + architecture.minor;
        let known = self.library.architectures()?;
        let nearest = known.iter().copied().filter(|&each| each <= wanted).max();
        let target = match (nearest, known.into_iter().min()) {
            (Some(older), _) if older < wanted => format!("compute_{older}"),
            (None, Some(oldest)) => {
                return Err(NvrtcError::TooOld { version: self.version, architecture, oldest });
            }
            _ => format!("sm_{wanted}"),
        };
        let arguments = [
            &format!("--gpu-architecture={target}"),
            "--std=c++17",
            "-default-device",
            // The kernels for the processor do not contract products and sums either; both give the same bits.
            "-fmad=false",
            // Warnings on unused constants and inputs of a specialised kernel (177), and on statements it cannot reach
            // (111).
            "--diag-suppress=177,111",
        ];
        let is_machine_code = target.starts_with("sm_");
        Ok(Options { is_machine_code, arguments: arguments.map(str::to_owned).to_vec() })
    }
}

struct Options {
    is_machine_code: bool,
    arguments: Vec<String>,
}
