//! A cache of translated CUDA sources, in the same folder as the compiled kernels: one translation takes milliseconds,
//! and a run needs about a hundred.

use crate::launches::cuda_source::cuda_source;
use crate::launches::declared;
use crate::launches::launch::Launch;
use crate::nvrtc::{Cache, Key};
use std::sync::OnceLock;
use wgsl_to_cuda::{Binding, CudaSource, LaunchExtent, TRANSLATOR, TranslationError, translate};

/// The CUDA source of a launch ([`cuda_source`]); a translation from WGSL is cached. A hand-written text does all the work in
/// one launch.
pub(crate) fn text_of(
    cache: &Cache,
    launch: &Launch<'_>,
    extent: LaunchExtent,
) -> Result<CudaSource, TranslationError> {
    if launch.source.cuda_text().is_some() {
        return cuda_source(launch);
    }
    let wgsl = launch.source.whole_wgsl();
    kept_or(cache, &wgsl, launch.entry, launch.constants, extent, || {
        declared::check(launch.source);
        translate(&wgsl, launch.entry, launch.constants, extent)
    })
}

/// A translation from the cache on disk, or a new one, which is kept. The key is the WGSL, the entry point, the constants, the
/// extent, and the versions of the translator and of this crate.
fn kept_or(
    cache: &Cache,
    wgsl: &str,
    entry: &str,
    constants: &[(&str, f64)],
    extent: LaunchExtent,
    translate: impl FnOnce() -> Result<CudaSource, TranslationError>,
) -> Result<CudaSource, TranslationError> {
    static BY: OnceLock<String> = OnceLock::new();
    let by = BY.get_or_init(|| Key::of(TRANSLATOR).name());
    let constants_text: String =
        constants.iter().map(|(name, value)| format!("{name}={:x} ", value.to_bits())).collect();
    let extent_text = match extent {
        LaunchExtent::Whole => "whole",
        LaunchExtent::Part => "part",
    };
    let key = Key::of(&[by, env!("CARGO_PKG_VERSION"), wgsl, entry, &constants_text, extent_text]);
    if let Some(text) = cache.read_text(key).and_then(|kept| unpack(&kept)) {
        return Ok(text);
    }
    let text = translate()?;
    cache.write_text(key, &pack(&text));
    Ok(text)
}

/// One line each for the entry point, the threads of a block and the parameters; then the source.
fn pack(text: &CudaSource) -> String {
    let [x, y, z] = text.workgroup_size;
    let bindings = text.bindings.iter().map(|binding| match binding {
        Binding::Storage { binding } => format!("{binding}"),
        Binding::Uniform { binding, size } => format!("{binding}:{size}"),
    });
    let bindings: Vec<_> = bindings.collect();
    format!("{}\n{x} {y} {z}\n{}\n{}", text.entry, bindings.join(" "), text.source)
}

/// The inverse of [`pack`]; `None` if the text is not complete.
fn unpack(packed: &str) -> Option<CudaSource> {
    let mut lines = packed.splitn(4, '\n');
    let entry = lines.next()?.to_owned();
    let threads: Vec<u32> = lines.next()?.split(' ').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    let bindings = lines.next()?.split_whitespace().map(|binding| {
        Some(match binding.split_once(':') {
            None => Binding::Storage { binding: binding.parse().ok()? },
            Some((binding, size)) => {
                Binding::Uniform { binding: binding.parse().ok()?, size: size.parse().ok()? }
            }
        })
    });
    let bindings = bindings.collect::<Option<_>>()?;
    Some(CudaSource {
        source: lines.next()?.to_owned(),
        entry,
        bindings,
        workgroup_size: threads.try_into().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WGSL: &str = "
        override FACTOR: f32 = 1.0;
        struct Block { count: u32 }
        @group(0) @binding(0) var<uniform> block: Block;
        @group(0) @binding(1) var<storage, read> image: array<f32>;
        @group(0) @binding(2) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(64)
        fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
            if (id.x < block.count) { out[id.x] = FACTOR * image[id.x]; }
        }";

    #[test]
    fn a_text_that_was_kept_is_the_text_that_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let files = || std::fs::read_dir(&folder).map_or(0, Iterator::count);
        let (whole, part) = (LaunchExtent::Whole, LaunchExtent::Part);
        let asked = [
            (2.0, whole, 1),
            (2.0, whole, 1),
            (3.0, whole, 2),
            (2.0, whole, 2),
            (2.0, part, 3),
            (2.0, part, 3),
        ];
        for (factor, extent, count) in asked {
            let constants = [("FACTOR", factor)];
            let translated = || translate(WGSL, "scale", &constants, extent);
            let text = kept_or(&cache, WGSL, "scale", &constants, extent, translated).unwrap();
            assert_eq!(text, translated().unwrap());
            assert_eq!(text.bindings.len(), 3);
            assert_eq!(files(), count);
        }
    }

    #[test]
    fn what_is_not_whole_is_no_text() {
        for packed in ["", "entry\n1 2\n0:16 1\nsource", "entry\n1 2 3\nx\nsource", "entry\n1 2 3\n0:16 1"] {
            assert_eq!(unpack(packed), None, "{packed}");
        }
    }
}
