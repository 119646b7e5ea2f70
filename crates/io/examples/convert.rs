//! Converts between formats: `convert image|labels|flow|sequence|transform|surface INPUT OUTPUT`.
//!
//! What is read is what is written: samples, place in the world and vectors stay; only the format changes. Of a surface the corners of
//! its triangles are written, a plane of three by three numbers each.

// A command prints; the library does not.
#![allow(clippy::print_stderr)]

use std::path::Path;
use std::process::ExitCode;
use veloxel_core::Warnings;
use veloxel_io as io;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, input, output] = &arguments[..] else {
        eprintln!("usage: convert image|labels|flow|sequence|transform|surface INPUT OUTPUT");
        return ExitCode::from(2);
    };
    let mut warnings = Warnings::new();
    let result = convert(kind, Path::new(input), Path::new(output), &mut warnings);
    for warning in warnings.iter() {
        eprintln!("warning: {}", warning.message);
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn convert(kind: &str, input: &Path, output: &Path, warnings: &mut Warnings) -> Result<(), io::IoError> {
    let lenient = io::Strictness::Lenient;
    match kind {
        "labels" => io::write_labels(output, &io::read_labels(input, lenient, warnings)?),
        "flow" => io::write_flow(output, &io::read_flow(input, lenient, warnings)?),
        "transform" => io::write_transform(output, &io::read_transform(input, lenient, warnings)?),
        "sequence" => io::write_sequence(output, &io::read_sequence(input, lenient, warnings)?),
        "surface" => {
            let mesh = io::read_surface(input, lenient, warnings)?;
            let corners = mesh.triangles().iter().flatten().map(|&nth| mesh.points()[nth as usize]);
            let numbers: Vec<f32> = corners.flatten().map(|v| v as f32).collect();
            let rows: Vec<&[f32]> = numbers.chunks_exact(9).collect();
            let columns: Vec<String> = (0..9).map(|nth| nth.to_string()).collect();
            io::write_matrix(output, &io::Matrix { columns: &columns, rows: &rows })
        }
        _ => io::write_image(output, &io::read_image(input, lenient, warnings)?, warnings),
    }
}
