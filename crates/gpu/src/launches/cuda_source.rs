//! The CUDA C++ source of a launch: translated from WGSL, or written by hand.

use crate::launches::launch::Launch;
use std::fmt::Write;
use wgsl_to_cuda::{
    Binding, CudaSource, LaunchExtent, PRELUDE, TranslationError, translate, translate_functions,
};

/// The CUDA C++ source of a launch. A hand-written text is put behind the prelude, the launch's constants and the
/// translated functions; otherwise the WGSL is translated.
///
/// # Errors
/// [`TranslationError`] if the WGSL has no translation.
pub fn cuda_source(launch: &Launch<'_>) -> Result<CudaSource, TranslationError> {
    let wgsl = launch.source.whole_wgsl();
    let Some(text) = launch.source.cuda_text() else {
        return translate(&wgsl, launch.entry, launch.constants, LaunchExtent::Whole);
    };
    let mut source = format!("{PRELUDE}\nnamespace kernel {{\n");
    for (name, value) in launch.constants {
        let _ = writeln!(source, "constexpr uint {name} = {value}u;");
    }
    let _ = writeln!(source, "\n{}}} // namespace kernel\n\n{text}", translate_functions(&wgsl)?);
    let along = |name| launch.constants.iter().find(|c| c.0 == name).map_or(1, |c| c.1 as u32);
    let block = Binding::Uniform { binding: 0, size: launch.uniform.len() as u32 };
    let buffers =
        (1..=launch.source.declaration.buffers().len() as u32).map(|binding| Binding::Storage { binding });
    Ok(CudaSource {
        source,
        entry: launch.entry.to_owned(),
        bindings: std::iter::once(block).chain(buffers).collect(),
        workgroup_size: [along("WIDTH"), along("HEIGHT"), 1],
    })
}
