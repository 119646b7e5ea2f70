//! A look at CUDA text where there is no NVIDIA GPU: whoever runs a kernel through wgpu with `VELOXEL_CHECK_CUDA=sm_90` set
//! has its text translated and compiled by NVRTC as well, and refused if it spills registers.

use crate::nvrtc::Nvrtc;
use crate::{Launch, cuda_source};
use std::sync::OnceLock;

/// The architecture to check for, if `VELOXEL_CHECK_CUDA` asks for it.
fn architecture() -> Option<(u32, u32)> {
    let asked = std::env::var("VELOXEL_CHECK_CUDA").ok()?;
    let number: u32 = asked.strip_prefix("sm_")?.parse().ok()?;
    Some((number / 10, number % 10))
}

/// Kernels that may spill: bytes, each with its reason in docs/status/performance.md.
const MAY_SPILL: [(&str, u32); 0] = [];

/// Translates and compiles the text of a launch, if that is asked for.
pub(crate) fn check(launch: &Launch<'_>) -> Result<(), String> {
    static NVRTC: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
    let Some(architecture) = architecture() else { return Ok(()) };
    let nvrtc = NVRTC.get_or_init(|| Nvrtc::find().map_err(|e| e.to_string())).as_ref()?;
    let text = cuda_source(launch).map_err(|e| e.to_string())?;
    let (_, resources) =
        nvrtc.compile_with_resources(&text.source, launch.entry, architecture).map_err(|e| e.to_string())?;
    let allowed = MAY_SPILL.iter().find(|(entry, _)| *entry == launch.entry).map_or(0, |(_, bytes)| *bytes);
    if resources.spill_bytes > allowed {
        return Err(format!(
            "{} bytes of registers spill ({} registers, {:?})",
            resources.spill_bytes, resources.registers, launch.constants
        ));
    }
    #[allow(clippy::print_stderr, reason = "asked for, by whoever tunes a kernel")]
    if std::env::var_os("VELOXEL_SHOW_RESOURCES").is_some() {
        eprintln!("{}, {}: {resources:?} {:?}", launch.source.name, launch.entry, launch.constants);
    }
    Ok(())
}
