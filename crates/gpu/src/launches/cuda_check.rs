//! A check of the CUDA sources on machines without an NVIDIA GPU. If `VELOXEL_CHECK_CUDA=sm_90` is set and a kernel
//! runs through wgpu, its source is also translated and compiled by NVRTC; a kernel that spills registers is refused.

use crate::launches::launch::Launch;
use crate::launches::translation::text_of;
use crate::nvrtc::{ComputeCapability, Nvrtc};
use std::sync::OnceLock;
use wgsl_to_cuda::LaunchExtent;

/// The compute capability to compile for; `None` unless `VELOXEL_CHECK_CUDA` asks for the check.
fn architecture() -> Option<ComputeCapability> {
    let asked = std::env::var("VELOXEL_CHECK_CUDA").ok()?;
    let number: u32 = asked.strip_prefix("sm_")?.parse().ok()?;
    Some(ComputeCapability::new(number / 10, number % 10))
}

/// Sources that have a hand-written text for every entry point on CUDA; no device runs their translations.
const BY_HAND: [&str; 2] = ["floyd_warshall", "floyd_warshall_u16"];

/// Translates and compiles the source of a launch if the check is asked for. The error says what is wrong.
pub(crate) fn check(launch: &Launch<'_>, extent: LaunchExtent) -> Result<(), String> {
    static NVRTC: OnceLock<Result<Nvrtc, String>> = OnceLock::new();
    let Some(architecture) = architecture().filter(|_| !BY_HAND.contains(&launch.source.name)) else {
        return Ok(());
    };
    let nvrtc = NVRTC.get_or_init(|| Nvrtc::find().map_err(|e| e.to_string())).as_ref()?;
    let text = text_of(nvrtc.cache(), launch, extent).map_err(|e| e.to_string())?;
    let resources = nvrtc.resources(&text.source, launch.entry, architecture).map_err(|e| e.to_string())?;
    if resources.spill_bytes > 0 {
        return Err(format!(
            "{} bytes of registers spill ({} registers, {:?})",
            resources.spill_bytes, resources.registers, launch.constants
        ));
    }
    #[allow(clippy::print_stderr, reason = "asked for, to tune a kernel")]
    if std::env::var_os("VELOXEL_SHOW_RESOURCES").is_some() {
        eprintln!("{}, {}: {resources:?} {:?}", launch.source.name, launch.entry, launch.constants);
    }
    Ok(())
}
