//! One beat as an animated GIF: the slices with outlines side by side, the outlines on them.

use super::region::Region;
use super::{Setting, Tracked};
use crate::Result;
use crate::jobs::film::Film;
use std::path::Path;
use veloxel_core::{Polygon, Structure};
use veloxel_report::MapPicture;

/// Pixels of the film for a pixel of the cine, along a side: outlines are thin.
const SCALE: usize = 3;
/// Films are no wider and no higher than that where fewer pixels do.
const MOST_PX: usize = 1600;
/// Shares of samples below black and above white.
const CLIPPED: [f64; 2] = [0.01, 0.005];

/// Writes the outlines of a run over the moving images.
pub(super) fn write(path: &Path, tracked: &Tracked, setting: &Setting<'_>) -> Result<()> {
    let slices = setting.seeds.contours.slices();
    let sheet = Sheet::of(setting.region, slices);
    let [width, height] = sheet.size_px();
    let mut film = Film::new(path.to_owned(), setting.cine.place.frame_interval_ms);
    for frame in 0..setting.cine.place.frames {
        let mut rgb = vec![0u8; 3 * width * height];
        for nth in 0..sheet.slices.len() {
            sheet.draw(&mut rgb, nth, setting, frame);
            for structure in Structure::ALL {
                if let Some(contour) = tracked.contours.get(structure, sheet.slices[nth], frame) {
                    sheet.trace(&mut rgb, nth, &contour.polygon, ink(structure));
                }
            }
        }
        film.push(frame as u64, &MapPicture { width, height, rgb })?;
    }
    film.finish()
}

/// Colours that are told apart on grey, whichever colours an eye lacks.
fn ink(structure: Structure) -> [u8; 3] {
    match structure {
        Structure::Endo => [240, 228, 66],
        Structure::Epi => [86, 180, 233],
        Structure::Rv | Structure::RvEpi => [230, 120, 60],
        Structure::Region => [160, 160, 160],
    }
}

/// Slices in rows, as square as they go.
struct Sheet {
    region: Region,
    slices: Vec<usize>,
    columns: usize,
    scale: usize,
}

impl Sheet {
    fn of(region: Region, slices: Vec<usize>) -> Self {
        let columns = (slices.len() as f64).sqrt().ceil().max(1.0) as usize;
        let widest = columns * region.size[0].max(region.size[1]);
        let scale = (MOST_PX / widest.max(1)).clamp(1, SCALE);
        Self { region, slices, columns, scale }
    }

    fn tile_px(&self) -> [usize; 2] {
        self.region.size.map(|n| n * self.scale)
    }

    fn size_px(&self) -> [usize; 2] {
        let [w, h] = self.tile_px();
        [w * self.columns, h * self.slices.len().div_ceil(self.columns).max(1)]
    }

    /// The first pixel of a slice's tile.
    fn corner_px(&self, nth: usize) -> [usize; 2] {
        let [w, h] = self.tile_px();
        [nth % self.columns * w, nth / self.columns * h]
    }

    fn draw(&self, rgb: &mut [u8], nth: usize, setting: &Setting<'_>, frame: usize) {
        let ([x0, y0], [w, h], width) = (self.corner_px(nth), self.tile_px(), self.size_px()[0]);
        let frames = setting.cine.sequence.frames();
        let at = |x: usize, y: usize, frame: usize| {
            let [fx, fy] = self.region.from;
            *frames[frame].at([fx + x, fy + y, self.slices[nth]])
        };
        // The first frame's range is that of all: what flickers is the heart.
        let [columns, rows] = self.region.size;
        let mut sorted: Vec<f32> = (0..columns * rows).map(|i| at(i % columns, i / columns, 0)).collect();
        sorted.sort_unstable_by(f32::total_cmp);
        let last = sorted.len() - 1;
        let low = sorted[(CLIPPED[0] * last as f64) as usize];
        let high = sorted[((1.0 - CLIPPED[1]) * last as f64) as usize];
        for y in 0..h {
            for x in 0..w {
                let value = at(x / self.scale, y / self.scale, frame);
                let grey = (255.0 * (value - low) / (high - low).max(f32::MIN_POSITIVE)).clamp(0.0, 255.0);
                let start = 3 * ((y0 + y) * width + x0 + x);
                rgb[start..start + 3].fill(grey as u8);
            }
        }
    }

    fn trace(&self, rgb: &mut [u8], nth: usize, polygon: &Polygon, ink: [u8; 3]) {
        let ([x0, y0], [w, h], width) = (self.corner_px(nth), self.tile_px(), self.size_px()[0]);
        // The middle of a pixel is half a pixel from its border.
        let place = |v: f64, axis: usize| (v - self.region.from[axis] as f64 + 0.5) * self.scale as f64;
        for [a, b] in polygon.edges_px() {
            let [dx, dy] = [0, 1].map(|k: usize| place(b[k], k) - place(a[k], k));
            let steps = (2.0 * dx.abs().max(dy.abs())).ceil().clamp(1.0, 4.0 * MOST_PX as f64) as usize;
            for step in 0..steps {
                let share = step as f64 / steps as f64;
                let [x, y] = [place(a[0], 0) + share * dx, place(a[1], 1) + share * dy];
                if x >= 0.0 && y >= 0.0 && (x as usize) < w && (y as usize) < h {
                    let start = 3 * ((y0 + y as usize) * width + x0 + x as usize);
                    rgb[start..start + 3].copy_from_slice(&ink);
                }
            }
        }
    }
}
