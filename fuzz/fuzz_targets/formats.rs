//! The promise of every reader for any bytes: an answer or an error, in bounded time, and in the memory of its budget.
//!
//! `VELOXEL_FUZZ_FORMAT=nifti` fuzzes that format of the table; without it the first byte of an input chooses one.
//! `VELOXEL_FUZZ_SEEDS=FOLDER` writes small complete files to begin with, in a folder for each format, and ends. `cargo xtask
//! fuzz` does both for all formats.
#![no_main]

#[path = "../../crates/io/tests/counting/mod.rs"]
mod counting;
mod mutators;
#[path = "../../crates/io/tests/samples/mod.rs"]
mod samples;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use veloxel_core::Warnings;
use veloxel_io::{Content, Format, ReadOptions, Reading, Strictness, read_bytes};

/// Memory that a reader may take for an input: its budget.
const BUDGET_BYTES: u64 = 32 << 20;
/// Memory that decoders may keep beside the budget.
const KEPT_BYTES: usize = 64 << 20;

fn chosen() -> Option<&'static Format> {
    static CHOSEN: OnceLock<Option<&Format>> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let name = std::env::var("VELOXEL_FUZZ_FORMAT").ok()?;
        let found = Format::all().iter().find(|format| format.name() == name);
        Some(*found.unwrap_or_else(|| panic!("VELOXEL_FUZZ_FORMAT: no format is called {name}")))
    })
}

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let format = chosen().map_or("", Format::name);
    mutators::mutate(format, &mut data[..max_size], size, seed)
});

fuzz_target!(
    init: {
        if let Some(folder) = std::env::var_os("VELOXEL_FUZZ_SEEDS") {
            write_seeds(&PathBuf::from(folder)).expect("seeds should be writable");
            std::process::exit(0);
        }
    },
    |bytes: &[u8]| {
        let before = counting::begin();
        match (chosen(), bytes) {
            (Some(format), _) => read(format, bytes),
            (None, [first, rest @ ..]) => read(Format::all()[usize::from(*first) % Format::all().len()], rest),
            (None, []) => {}
        }
        let peak = counting::peak_since(before);
        assert!(peak <= (1.1 * BUDGET_BYTES as f64) as usize + KEPT_BYTES, "{peak} bytes at the peak");
    }
);

fn write_seeds(folder: &Path) -> std::io::Result<()> {
    for format in Format::all() {
        std::fs::create_dir_all(folder.join(format.name()))?;
    }
    for sample in samples::samples() {
        let format = Format::from_path(Path::new(&sample.name)).expect("a sample should have a format");
        std::fs::write(folder.join(format.name()).join(&sample.name), &sample.bytes)?;
    }
    Ok(())
}

fn read(format: &Format, bytes: &[u8]) {
    let name = PathBuf::from(format!("fuzz.{}", format.extensions()[0]));
    let mut warnings = Warnings::new();
    let lenient = ReadOptions { max_decode_bytes: Some(BUDGET_BYTES), ..ReadOptions::default() };
    match read_bytes(&name, bytes, Reading::alone(lenient), &mut warnings) {
        Ok(Content::Image(image)) => assert_eq!(image.data().len(), image.grid().len()),
        Ok(Content::Sequence(sequence)) => assert!(!sequence.frames().is_empty()),
        Ok(Content::Flow(flow)) => {
            assert_eq!(flow.components_vox().len(), flow.grid().dimension().count());
        }
        Ok(Content::Mesh(mesh)) => {
            let nodes = mesh.points.len();
            assert!(mesh.tetrahedra.iter().flatten().all(|&node| (node as usize) < nodes));
        }
        // The type itself promises that every corner is a point.
        Ok(Content::Surface(mesh)) => assert!(!mesh.triangles().is_empty()),
        Err(_) => {}
    }
    // A strict reader may refuse more, but must not fall over either.
    let strict = ReadOptions { strictness: Strictness::Strict, ..lenient };
    let _ = read_bytes(&name, bytes, Reading::alone(strict), &mut warnings);
}
