//! The files that commands are tried on, made from formulas.

use crate::BenchError;
use std::f64::consts::{PI, TAU};
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Grid, TriangleMesh, Volume, Warnings};
use veloxel_io::{self as io, PaintedMesh};
use veloxel_phantoms::{CineParams, CinePhantom};

/// How large inputs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scale {
    /// A run takes about a second on two cores.
    Whole,
    /// A run takes some hundredths of a second.
    Small,
}

/// Where files go, and how large they are.
pub(super) struct Inputs<'a> {
    pub folder: &'a Path,
    pub scale: Scale,
}

/// A pair of images and the true flow between them.
pub(super) struct PairFiles {
    pub fixed: PathBuf,
    pub moving: PathBuf,
    pub truth: PathBuf,
}

/// How far a texture lies from its place, pixels along x.
const SHIFT_PX: f64 = 1.5;

impl Inputs<'_> {
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A length of the whole scale, in this one.
    pub fn side(&self, whole: usize) -> usize {
        match self.scale {
            Scale::Whole => whole,
            Scale::Small => (whole / 4).max(32),
        }
    }

    /// A picture, its texture shifted along x.
    pub fn picture(&self, name: &str, size: [usize; 2], shift_px: f64) -> Result<PathBuf, BenchError> {
        let [nx, ny] = size.map(|side| self.side(side));
        let at = move |[x, y, _]: [usize; 3]| texture([x as f64 - shift_px, y as f64, 0.0]).round();
        let image = Volume::from_fn(Grid::image(nx, ny)?, at);
        let path = self.path(name);
        io::write_image(&path, &image, &mut Warnings::new())?;
        Ok(path)
    }

    /// Two pictures.
    pub fn pictures(&self, size: [usize; 2]) -> Result<PairFiles, BenchError> {
        let truth = self.path("truth.flo");
        let [nx, ny] = size.map(|side| self.side(side));
        let grid = Grid::image(nx, ny)?;
        io::write_flow(&truth, &Flow::from_fn(grid, |_| [SHIFT_PX, 0.0, 0.0]))?;
        Ok(PairFiles {
            fixed: self.picture("fixed.png", size, 0.0)?,
            moving: self.picture("moving.png", size, SHIFT_PX)?,
            truth,
        })
    }

    /// Two volumes of so many voxels an axis.
    pub fn volumes(&self, side: usize) -> Result<PairFiles, BenchError> {
        let side = self.side(side);
        let grid = Grid::volume(side, side, side)?;
        let write = |name: &str, shift: f64| -> Result<PathBuf, BenchError> {
            let at = move |p: [usize; 3]| texture([p[0] as f64 - shift, p[1] as f64, p[2] as f64]);
            let path = self.path(name);
            let image = Volume::from_fn(grid.clone(), at);
            io::write_image(&path, &image, &mut Warnings::new())?;
            Ok(path)
        };
        let truth = self.path("truth.nii");
        io::write_flow(&truth, &Flow::from_fn(grid.clone(), |_| [SHIFT_PX, 0.0, 0.0]))?;
        Ok(PairFiles { fixed: write("fixed.nii", 0.0)?, moving: write("moving.nii", SHIFT_PX)?, truth })
    }

    /// A folder of pictures that move along x.
    pub fn frames(
        &self,
        name: &str,
        size: [usize; 2],
        count: usize,
        view_px: f64,
    ) -> Result<PathBuf, BenchError> {
        let folder = self.path(name);
        std::fs::create_dir(&folder).map_err(|source| io::IoError::Write { path: folder.clone(), source })?;
        for frame in 0..count {
            self.picture(&format!("{name}/f{frame:02}.png"), size, 0.75 * frame as f64 + view_px)?;
        }
        Ok(folder)
    }

    /// Labels of balls on a lattice, moved along x.
    pub fn labels(&self, name: &str, side: usize, shift_vox: f64) -> Result<PathBuf, BenchError> {
        let side = self.side(side);
        let cell = side as f64 / 4.0;
        let label = |p: [usize; 3]| {
            let place = [p[0] as f64 - shift_vox, p[1] as f64, p[2] as f64].map(|x| x / cell);
            let inside: f64 = place.iter().map(|x| (x.rem_euclid(1.0) - 0.5).powi(2)).sum();
            let number = place.iter().fold(0, |number, x| 4 * number + x.floor().rem_euclid(4.0) as i32);
            if inside < 0.2 { 1 + number % 20 } else { 0 }
        };
        let path = self.path(name);
        io::write_labels(&path, &Volume::from_fn(Grid::volume(side, side, side)?, label))?;
        Ok(path)
    }

    /// A short-axis cine as one file, and its outlines.
    pub fn cine(
        &self,
        slices: usize,
        frames: usize,
    ) -> Result<(PathBuf, CinePhantom, io::CinePlace), BenchError> {
        let side = self.side(192);
        let spacing = 160.0 / side as f64;
        let grid = Grid::volume(side, side, slices)?.with_spacing_mm([spacing, spacing, 8.0])?;
        let params = CineParams { grid: grid.clone(), frames, ..CineParams::default() };
        let frame_interval_ms = Some(params.frame_interval_ms);
        let phantom = CinePhantom::new(params)?;
        let path = self.path("cine.nii");
        io::write_sequence(&path, &phantom.sequence())?;
        let place = io::CinePlace { grid, frames, frame_interval_ms, images: Vec::new() };
        Ok((path, phantom, place))
    }

    /// A closed body with bulges, of about `faces` triangles.
    pub fn body(&self, faces: usize) -> Result<(PathBuf, usize), BenchError> {
        let rings = self.side((faces as f64 / 2.0).sqrt() as usize);
        let mesh = body(rings)?;
        let count = mesh.triangles().len();
        let (rgb, certainty, segment) = (vec![[200; 3]; count], vec![1.0; count], vec![0; count]);
        let path = self.path("body.ply");
        io::write_painted_mesh(
            &path,
            &PaintedMesh { mesh: &mesh, rgb: &rgb, certainty: &certainty, segment: &segment },
        )?;
        Ok((path, count))
    }

    /// A grid of streets with lengths of their own, as a list of edges.
    pub fn streets(&self, side: usize) -> Result<PathBuf, BenchError> {
        let side = self.side(side);
        let mut text = String::new();
        for (x, y) in (0..side * side).map(|i| (i % side, i / side)) {
            let here = y * side + x;
            let length = |k: usize| 1.0 + ((x * 7 + y * 13 + k * 5) % 11) as f32 * 0.25;
            if x + 1 < side {
                text.push_str(&format!("{here} {} {}\n", here + 1, length(0)));
            }
            if y + 1 < side {
                text.push_str(&format!("{here} {} {}\n", here + side, length(1)));
            }
        }
        let path = self.path("streets.txt");
        io::write_text(&path, &text)?;
        Ok(path)
    }
}

/// Waves of several lengths, from 0 to 255.
fn texture([x, y, z]: [f64; 3]) -> f32 {
    let waves = (0.41 * x + 0.2 * z).sin() * (0.37 * y + 0.2 * x).cos()
        + 0.7 * (0.13 * y - 0.11 * x + 0.31 * z).sin()
        + 0.4 * (0.047 * x + 0.071 * y).sin() * (0.83 * x - 0.61 * y + 0.5 * z).cos();
    (127.5 + 58.0 * waves).clamp(0.0, 255.0) as f32
}

/// `rings` circles of as many points from pole to pole.
fn body(rings: usize) -> Result<TriangleMesh, BenchError> {
    let mut points = Vec::new();
    for ring in 0..=rings {
        let along = (ring as f64 + 0.001) / (rings as f64 + 0.002);
        let radius = (PI * along).sin() * (1.0 + 0.6 * (6.0 * PI * along).cos());
        for corner in 0..rings {
            let angle = TAU * corner as f64 / rings as f64;
            let bulge = radius * (1.0 + 0.3 * (3.0 * angle).cos());
            points.push([bulge * angle.cos(), bulge * angle.sin(), 4.0 * along]);
        }
    }
    let square = |i: usize| {
        let ring = i / rings * rings;
        let [a, b] = [i % rings, (i % rings + 1) % rings].map(|corner| (ring + corner) as u32);
        let next = rings as u32;
        [[a, b, b + next], [a, b + next, a + next]]
    };
    Ok(TriangleMesh::new(points, (0..rings * rings).flat_map(square).collect())?)
}
