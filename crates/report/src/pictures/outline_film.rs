//! Pictures of a beat: the slices with outlines side by side, the outlines on them.

use crate::pictures::phase_pictures::MapPicture;
use crate::pictures::track_view::TrackView;
use veloxel_core::{Polygon, Structure};

/// Pixels of the film for one pixel of the cine along a side, because outlines are thin.
const SCALE: usize = 3;
/// Greatest width and height of a film, pixels, unless the cine itself has more.
const MOST_PX: usize = 1600;
/// Shares of samples below black and above white.
const CLIPPED: [f64; 2] = [0.01, 0.005];

/// The pictures of a film of outlines over the moving images: slices in rows, arranged as square as possible.
///
/// All frames have the grey levels of the first one, so that changes of brightness are those of the heart.
#[derive(Debug)]
pub struct OutlineFilm<'a> {
    view: TrackView<'a>,
    slices: &'a [usize],
    columns: usize,
    scale: usize,
    /// For each slice the samples that are shown black and white.
    ranges: Vec<[f32; 2]>,
}

impl<'a> OutlineFilm<'a> {
    /// A film of these slices of what a view shows.
    pub fn new(view: TrackView<'a>, slices: &'a [usize]) -> Self {
        let columns = (slices.len() as f64).sqrt().ceil().max(1.0) as usize;
        let [width, height] = view.region_size_px;
        let scale = (MOST_PX / (columns * width.max(height)).max(1)).clamp(1, SCALE);
        let ranges = slices.iter().map(|&slice| grey_range(&view, slice)).collect();
        Self { view, slices, columns, scale, ranges }
    }

    /// The picture of a frame.
    pub fn picture(&self, frame: usize) -> MapPicture {
        let [width, height] = self.size_px();
        let mut picture = MapPicture { width, height, rgb: vec![0u8; 3 * width * height] };
        for (nth, &slice) in self.slices.iter().enumerate() {
            self.draw(&mut picture, nth, frame);
            for structure in Structure::ALL {
                if let Some(contour) = self.view.contours.get(structure, slice, frame) {
                    self.trace(&mut picture, nth, &contour.polygon, ink(structure));
                }
            }
        }
        picture
    }

    fn tile_px(&self) -> [usize; 2] {
        self.view.region_size_px.map(|n| n * self.scale)
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

    fn draw(&self, picture: &mut MapPicture, nth: usize, frame: usize) {
        let ([x0, y0], [w, h]) = (self.corner_px(nth), self.tile_px());
        let [low, high] = self.ranges[nth];
        for y in 0..h {
            for x in 0..w {
                let value = sample(&self.view, [x / self.scale, y / self.scale], self.slices[nth], frame);
                let grey = (255.0 * (value - low) / (high - low).max(f32::MIN_POSITIVE)).clamp(0.0, 255.0);
                let start = 3 * ((y0 + y) * picture.width + x0 + x);
                picture.rgb[start..start + 3].fill(grey as u8);
            }
        }
    }

    fn trace(&self, picture: &mut MapPicture, nth: usize, polygon: &Polygon, ink: [u8; 3]) {
        let ([x0, y0], [w, h]) = (self.corner_px(nth), self.tile_px());
        // The middle of a pixel is half a pixel from its border.
        let from = self.view.region_from_px;
        let place = |v: f64, axis: usize| (v - from[axis] as f64 + 0.5) * self.scale as f64;
        for [a, b] in polygon.edges_px() {
            let [dx, dy] = [0, 1].map(|k: usize| place(b[k], k) - place(a[k], k));
            let steps = (2.0 * dx.abs().max(dy.abs())).ceil().clamp(1.0, 4.0 * MOST_PX as f64) as usize;
            for step in 0..steps {
                let share = step as f64 / steps as f64;
                let [x, y] = [place(a[0], 0) + share * dx, place(a[1], 1) + share * dy];
                if x >= 0.0 && y >= 0.0 && (x as usize) < w && (y as usize) < h {
                    let start = 3 * ((y0 + y as usize) * picture.width + x0 + x as usize);
                    picture.rgb[start..start + 3].copy_from_slice(&ink);
                }
            }
        }
    }
}

/// A sample of a slice, at a pixel of the region.
fn sample(view: &TrackView<'_>, [x, y]: [usize; 2], slice: usize, frame: usize) -> f32 {
    let [fx, fy] = view.region_from_px;
    *view.frames[frame].at([fx + x, fy + y, slice])
}

/// The samples of the first frame that are shown black and white.
fn grey_range(view: &TrackView<'_>, slice: usize) -> [f32; 2] {
    let [columns, rows] = view.region_size_px;
    let pixels = (0..columns * rows).map(|i| [i % columns, i / columns]);
    let mut sorted: Vec<f32> = pixels.map(|pixel| sample(view, pixel, slice, 0)).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    let last = sorted.len() - 1;
    [sorted[(CLIPPED[0] * last as f64) as usize], sorted[((1.0 - CLIPPED[1]) * last as f64) as usize]]
}

/// A colour for each structure; they can be distinguished on grey with any kind of colour blindness.
fn ink(structure: Structure) -> [u8; 3] {
    match structure {
        Structure::Endo => [240, 228, 66],
        Structure::Epi => [86, 180, 233],
        Structure::Rv | Structure::RvEpi => [230, 120, 60],
        Structure::Region => [160, 160, 160],
    }
}
