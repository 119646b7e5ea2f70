//! NVIDIA's run-time compiler: CUDA C++ in, code for one GPU out.
//!
//! It is looked for when it is needed, so that programs start without it; what was compiled once is kept on disk.
//! Compilers of versions 11.2 to 13 speak the same C interface.

mod cache;
mod library;
mod resources;
mod search_paths;
#[cfg(test)]
mod tests;

pub(crate) use cache::{Cache, Key};
pub use resources::Resources;

use library::{Library, Program};
use std::path::PathBuf;

/// NVRTC, found and loaded.
#[derive(Debug)]
pub struct Nvrtc {
    library: Library,
    found_at: PathBuf,
    version: (i32, i32),
    cache: Cache,
}

/// What a kernel was compiled to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// What the driver loads.
    pub image: Image,
    /// What the compiler said: warnings, or nothing. Empty where the image comes from the cache.
    pub log: String,
}

/// What a driver loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    /// Machine code of the architecture asked for.
    Cubin(Vec<u8>),
    /// Assembly that the driver compiles for a GPU younger than the compiler; ends with a zero byte.
    Ptx(Vec<u8>),
}

/// NVRTC is absent, or refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NvrtcError {
    /// Nowhere.
    #[error(
        "NVRTC, the CUDA compiler, was not found: install the CUDA toolkit or `pip install nvidia-cuda-nvrtc`, or set \
         VELOXEL_NVRTC to its file; looked at {looked}"
    )]
    NotFound {
        /// Every place, and why a file there did not do.
        looked: String,
    },
    /// The file that was asked for does not do.
    #[error("VELOXEL_NVRTC names `{}`, which cannot be loaded: {reason}", .path.display())]
    Named {
        /// As set.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The GPU is older than what the compiler knows.
    #[error(
        "NVRTC {}.{} compiles for compute capability {oldest} and later, not {}.{}: install an older one",
        .version.0, .version.1, .architecture.0, .architecture.1
    )]
    TooOld {
        /// The compiler's.
        version: (i32, i32),
        /// The GPU's compute capability.
        architecture: (u32, u32),
        /// The first that would do, as 10 · major + minor.
        oldest: u32,
    },
    /// The text has errors.
    #[error("NVRTC refused `{name}`: {log}")]
    Compile {
        /// The kernel.
        name: String,
        /// What the compiler said.
        log: String,
    },
    /// A call failed for another reason.
    #[error("NVRTC: {call} failed: {reason}")]
    Call {
        /// The function.
        call: &'static str,
        /// What the compiler said.
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

    /// Loads the first whose major version is at most the driver's: drivers refuse machine code of younger ones.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn find_for(driver_major: i32) -> Result<Self, NvrtcError> {
        let (library, found_at) = search_paths::find(driver_major)?;
        let version = library.version()?;
        Ok(Self { library, found_at, version, cache: Cache::of_platform() })
    }

    /// The same, with another cache.
    #[cfg(test)]
    pub(crate) fn with_cache(self, cache: Cache) -> Self {
        Self { cache, ..self }
    }

    /// Where compiled kernels are kept.
    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    /// Major and minor version.
    pub fn version(&self) -> (i32, i32) {
        self.version
    }

    /// The file, or the name under which the system found it.
    pub fn found_at(&self) -> &std::path::Path {
        &self.found_at
    }

    /// Compiles `source` for a compute capability; `name` is what errors call it.
    ///
    /// # Errors
    /// [`NvrtcError::Compile`] with what the compiler says; [`NvrtcError::TooOld`]; [`NvrtcError::Call`].
    pub fn compile(
        &self,
        source: &str,
        name: &str,
        architecture: (u32, u32),
    ) -> Result<Compiled, NvrtcError> {
        self.compile_with(source, name, &self.options(architecture)?)
    }

    /// The same, and what the kernel needs of the GPU. Without numbers where the image is [`Image::Ptx`].
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn compile_with_resources(
        &self,
        source: &str,
        name: &str,
        architecture: (u32, u32),
    ) -> Result<(Compiled, Resources), NvrtcError> {
        let mut options = self.options(architecture)?;
        options.arguments.push("--ptxas-options=-v".to_owned());
        let compiled = self.compile_with(source, name, &options)?;
        let resources = Resources::of_log(&compiled.log);
        Ok((compiled, resources))
    }

    /// As `compile`, but only once: later the image comes from disk.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn cached(&self, source: &str, name: &str, architecture: (u32, u32)) -> Result<Compiled, NvrtcError> {
        let options = self.options(architecture)?;
        let version = format!("NVRTC {}.{}", self.version.0, self.version.1);
        let made_of = [source, &options.arguments.join(" "), &version, env!("CARGO_PKG_VERSION")];
        let key = Key::of(&made_of);
        if let Some(image) = self.cache.read(key) {
            return Ok(Compiled { image, log: String::new() });
        }
        let compiled = self.compile_with(source, name, &options)?;
        self.cache.write(key, &compiled.image);
        Ok(compiled)
    }

    fn compile_with(&self, source: &str, name: &str, options: &Options) -> Result<Compiled, NvrtcError> {
        let program = Program::new(&self.library, source, name)?;
        let done = program.compile(&options.arguments);
        let log = program.log()?;
        if done.is_err() && !log.is_empty() {
            return Err(NvrtcError::Compile { name: name.to_owned(), log });
        }
        done?;
        let image = match options.kind {
            Kind::Cubin => Image::Cubin(program.cubin()?),
            Kind::Ptx => Image::Ptx(program.ptx()?),
        };
        Ok(Compiled { image, log })
    }

    /// Machine code where the compiler knows the GPU, otherwise assembly for the youngest that it knows.
    fn options(&self, architecture: (u32, u32)) -> Result<Options, NvrtcError> {
        let wanted = 10 * architecture.0 + architecture.1;
        let known = self.library.architectures()?;
        let (kind, target) = match known.iter().copied().filter(|&each| each <= wanted).max() {
            _ if known.is_empty() => (Kind::Cubin, format!("sm_{wanted}")),
            Some(same) if same == wanted => (Kind::Cubin, format!("sm_{wanted}")),
            Some(older) => (Kind::Ptx, format!("compute_{older}")),
            None => {
                let oldest = known.iter().copied().min().unwrap_or_default();
                return Err(NvrtcError::TooOld { version: self.version, architecture, oldest });
            }
        };
        let arguments = [
            &format!("--gpu-architecture={target}"),
            "--std=c++17",
            "-default-device",
            // The processor's texts do not contract, and the same bits come out of both.
            "-fmad=false",
            // Constants and inputs that a specialised kernel no longer uses, and statements that it does not reach.
            "--diag-suppress=177,111",
        ];
        Ok(Options { kind, arguments: arguments.map(str::to_owned).to_vec() })
    }
}

struct Options {
    kind: Kind,
    arguments: Vec<String>,
}

enum Kind {
    Cubin,
    Ptx,
}
