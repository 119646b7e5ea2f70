//! Texts that are written in CUDA C++ to begin with.

use super::super::Launch;
use super::{Binding, CudaText, CudaTextError, PRELUDE, write};
use std::fmt::Write;

/// The text of a launch: as it was written, with the launch's constants, or translated.
pub(crate) fn of_launch(launch: &Launch<'_>) -> Result<CudaText, CudaTextError> {
    if launch.text.is_cuda() {
        Ok(complete(launch))
    } else {
        write(&launch.text.whole(), launch.entry, launch.constants)
    }
}

fn complete(launch: &Launch<'_>) -> CudaText {
    let mut source = format!("{PRELUDE}\nnamespace kernel {{\n");
    for (name, value) in launch.constants {
        let _ = writeln!(source, "constexpr uint {name} = {value}u;");
    }
    source += "} // namespace kernel\n\n";
    source += &launch.text.parts[1..].join("\n");
    let along = |name| launch.constants.iter().find(|c| c.0 == name).map_or(1, |c| c.1 as u32);
    let block = Binding::Uniform { binding: 0, size: launch.uniform.clone().bytes().len() as u32 };
    let buffers = (1..=launch.buffers.len() as u32).map(|binding| Binding::Storage { binding });
    CudaText {
        source,
        entry: launch.entry.to_owned(),
        bindings: std::iter::once(block).chain(buffers).collect(),
        workgroup_size: [along("WIDTH"), along("HEIGHT"), 1],
    }
}
