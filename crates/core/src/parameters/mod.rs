//! Parameters of methods, each declared once.
//!
//! [`parameters!`](crate::parameters!) takes a table with one row a parameter: meaning, name, symbol in the paper, type, range,
//! unit, and its value, with those of the presets in which it differs.
//! [`choices!`](crate::choices!) does the same for a parameter that is one of a few words.
//! They give the struct and the enums with serde, `Default`, the presets, and [`ParameterDeclaration`]s, from which everything else is
//! made: checks, help, JSON, its schema.
//! Methods of one kind have a table of [`MethodEntry`]s.
//! A [`MethodDraft`] of an entry collects settings by name, checks each at once, and becomes the struct later, when the images are known.
//!
//! ```
//! use veloxel_core::parameters::{MethodDraft, MethodEntry, MethodParameters, Parameters};
//! use veloxel_core::{Dimension, choices, parameters};
//!
//! choices! {
//!     /// How intensities are mapped.
//!     pub enum Intensity {
//!         /// As they are.
//!         Raw = "raw",
//!         /// To the power of γ.
//!         Gamma = "gamma" {
//!             /// The exponent.
//!             exponent "γ": f32 in 0.1..=10,
//!         },
//!     }
//! }
//! parameters! {
//!     /// Parameters of a small method.
//!     pub struct SmallParams of "small";
//!     /// Named sets of parameters.
//!     pub enum SmallPreset {
//!         /// The best accuracy.
//!         Accurate = "accurate",
//!         /// Little work.
//!         Fast = "fast",
//!     }
//!     /// Weight of smoothness. 0: none; large: the flow goes towards its mean.
//!     alpha "α": f32 in 0..=1e6 = 0.2 { accurate.image: 0.4, accurate.volume: 0.1 };
//!     /// Standard deviation of the window.
//!     rho "ρ": f64 in 0..=16 "voxels" = 1.0;
//!     /// How intensities are mapped.
//!     intensity: Intensity = Raw { fast: Gamma { exponent: 2.0 } };
//! }
//! #[derive(PartialEq)]
//! struct SmallMethod(MethodParameters);
//! static METHODS: [SmallMethod; 1] = [SmallMethod(MethodParameters::of::<SmallParams>())];
//! impl MethodEntry for SmallMethod {
//!     fn table() -> &'static [Self] {
//!         &METHODS
//!     }
//!     fn parameters(&self) -> &MethodParameters {
//!         &self.0
//!     }
//! }
//!
//! let mut draft: MethodDraft<SmallMethod> = MethodDraft::named("small")?;
//! draft.set("rho", 2.0.into(), "--set")?;
//! let params: SmallParams = draft.build(Dimension::Three)?;
//! assert_eq!(params, SmallParams { rho: 2.0, ..SmallParams::preset(SmallPreset::Accurate, Dimension::Three) });
//! let error = draft.set("alpha", (-1).into(), "--set").unwrap_err();
//! assert_eq!(error.to_string(), "--set: parameter `alpha` is -1, expected a number from 0 to 1e6");
//! # Ok::<(), veloxel_core::parameters::ParameterError>(())
//! ```
//!
//! A preset that there is not, and a preset with two values, do not compile:
//!
//! ```compile_fail,E0080
//! veloxel_core::parameters! {
//!     /// Parameters of a small method.
//!     pub struct SmallParams of "small";
//!     /// Named sets of parameters.
//!     pub enum SmallPreset {
//!         /// Little work.
//!         Fast = "fast",
//!     }
//!     /// Weight of smoothness.
//!     alpha: f32 in 0..=1 = 0.4 { faster: 0.2 };
//! }
//! ```
//!
//! ```compile_fail,E0080
//! veloxel_core::parameters! {
//!     /// Parameters of a small method.
//!     pub struct SmallParams of "small";
//!     /// Named sets of parameters.
//!     pub enum SmallPreset {
//!         /// Little work.
//!         Fast = "fast",
//!     }
//!     /// Weight of smoothness.
//!     alpha: f32 in 0..=1 = 0.4 { fast: 0.2, fast.image: 0.1 };
//! }
//! ```

mod declaration;
mod draft;
mod error;
mod macros;
mod method;
mod presets;

pub use declaration::{ParameterChoice, ParameterDeclaration, ParameterKind, shown};
pub use draft::{MethodDraft, MethodEntry};
pub use error::ParameterError;
pub use method::{MethodParameters, ParameterValues, Parameters};
pub use presets::{PresetPlace, PresetRow, PresetScope, is_double, is_preset};
