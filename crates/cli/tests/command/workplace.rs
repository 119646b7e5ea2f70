//! A folder to work in, and the binary to run there.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use veloxel_core::{Dimension, Grid, Volume, Warnings};
use veloxel_phantoms::catalogue::{Case, MotionKind, TextureKind};
use veloxel_phantoms::{Noise, Phantom};

/// A temporary folder and what the command left there.
pub struct Workplace {
    folder: TempDir,
}

impl Workplace {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    /// Runs the command here, without a data folder.
    pub fn run(&self, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_veloxel"));
        command.args(arguments);
        run_in(self.folder.path(), command)
    }
    /// Runs the command here with a file as its standard input.
    pub fn run_with(&self, arguments: &[&str], input: std::fs::File) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_veloxel"));
        command.args(arguments).stdin(input);
        run_in(self.folder.path(), command)
    }
    /// Runs the command here with the data folder.
    pub fn run_over(&self, data: &Path, arguments: &[&str]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_veloxel"));
        command.args(arguments).env("VELOXEL_DATA", data);
        ended(self.folder.path(), command)
    }
    pub fn write_image(&self, name: &str, image: &Volume<f32>) {
        veloxel_io::write_image(self.path(name), image, &mut Warnings::new()).expect("an image is written");
    }
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).expect("a file is written");
    }
    /// Names of everything here, hidden files included.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder can be listed");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// How a run ended.
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

pub fn run_in(folder: &Path, mut command: Command) -> Run {
    command.env_remove("VELOXEL_DATA");
    ended(folder, command)
}

fn ended(folder: &Path, mut command: Command) -> Run {
    let Output { status, stdout, stderr } =
        command.current_dir(folder).env("COLUMNS", "100").output().expect("the command starts");
    Run {
        code: status.code(),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

impl Run {
    /// Requires success, with nothing on standard error except warnings and notes.
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        let is_told = |line: &str| line.starts_with("warning: ") || line.starts_with("note: ");
        assert!(self.stderr.lines().all(is_told), "{}", self.stderr);
        self
    }
    /// Requires exit code 1 and one line that holds every one of these words.
    pub fn failed_with(self, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(1), "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stderr.lines().count(), 1, "one line, not {:?}", self.stderr);
        assert!(self.stderr.starts_with("error: "), "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is missing from {:?}", self.stderr);
        }
        self
    }
}

/// Images with a motion that small grids resolve.
pub fn pair(grid: &Grid) -> Phantom {
    Case { motion: MotionKind::Rotation, texture: TextureKind::Smooth, noise: Noise::None }.build(grid)
}

pub fn small_volume() -> Phantom {
    volume(20)
}

/// A pair of volumes with as many voxels along each side.
pub fn volume(size: usize) -> Phantom {
    pair(&veloxel_phantoms::catalogue::isotropic_grid(Dimension::Three, size).expect("a grid of constants"))
}
