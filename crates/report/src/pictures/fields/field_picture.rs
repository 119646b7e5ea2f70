//! One plane of a field as a picture for people: the colours of the wheel, over the image where that is wanted, with a key.

use crate::error::ReportError;
use crate::number::text;
use crate::pictures::caption::{ColourKey, captioned_in_lines};
use crate::pictures::colour::{Rgb, full_hue, wheel};
use crate::pictures::maps::full_colour;
use crate::pictures::phase_pictures::MapPicture;
use crate::pictures::planes::{Plane, planes_through};
use std::str::FromStr;
use veloxel_core::{Control, Dimension, Flow, Grid, Stopped, Volume};
use veloxel_measure::{finite_quantiles, is_physical};

/// Which plane a picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlaneChoice {
    /// The axial plane in which most of the image moves: motion counts by the image's contrast there.
    #[default]
    ShowsMost,
    /// The axial, coronal or sagittal plane (0, 1, 2) in which most of the image moves.
    View(usize),
    /// The plane at a position along an axis of the grid.
    At {
        /// Number of the axis: 0, 1, 2 for x, y, z.
        axis: usize,
        /// The voxel along it.
        position: usize,
    },
}

/// Names of the views, in the order of [`PlaneChoice::View`].
const VIEWS: [&str; 3] = ["axial", "coronal", "sagittal"];
/// Names of the grid's axes.
const AXES: [&str; 3] = ["x", "y", "z"];

impl FromStr for PlaneChoice {
    type Err = String;

    /// The choice of a word such as `coronal` or `z=120`.
    fn from_str(word: &str) -> Result<Self, String> {
        let at = || {
            let (axis, position) = word.split_once('=')?;
            let axis = AXES.iter().position(|name| *name == axis.trim())?;
            Some(Self::At { axis, position: position.trim().parse().ok()? })
        };
        let view = VIEWS.iter().position(|name| *name == word).map(Self::View);
        view.or_else(at)
            .ok_or_else(|| "expected axial, coronal, sagittal, or an axis with a voxel: z=120".to_owned())
    }
}

/// What lies below the colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PictureGround {
    /// White: what does not move is white.
    #[default]
    White,
    /// The image in grey: what does not move shows it.
    Image,
}

/// Whether a strip below the picture says what it shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PictureKey {
    /// There is no strip.
    #[default]
    LeftOut,
    /// A strip has the plane's name, the wheel, and the length at its rim.
    Wheel,
}

/// How a field is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FieldDrawing {
    /// The plane.
    pub plane: PlaneChoice,
    /// The length with full colour, millimetres, of pictures without spacing pixels; without one a round number that 99 % of the
    /// vectors do not exceed.
    pub scale: Option<f64>,
    /// What lies below the colours.
    pub ground: PictureGround,
    /// Whether a strip says what the picture shows.
    pub key: PictureKey,
}

/// A field as a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldPicture {
    /// The picture; its pixels are squares of the finest spacing in the plane.
    pub picture: MapPicture,
    /// The plane in words, `axial, z = 120`; empty for a picture.
    pub plane: String,
    /// The length with full colour, in `unit`.
    pub scale: f64,
    /// The unit, `mm` or `px`.
    pub unit: &'static str,
}

impl FieldDrawing {
    /// Checks that a grid has the plane.
    ///
    /// # Errors
    /// [`ReportError::NoPlane`].
    pub fn require_plane(&self, grid: &Grid) -> Result<(), ReportError> {
        let (asked, has) = match self.plane {
            PlaneChoice::ShowsMost => return Ok(()),
            PlaneChoice::View(view) => (VIEWS[view].to_owned(), grid.dimension() == Dimension::Three),
            PlaneChoice::At { axis, position } => {
                let is_there = position < grid.size()[axis];
                let lies_so = grid.dimension() == Dimension::Three || axis == 2;
                (format!("{} = {position}", AXES[axis]), is_there && lies_so)
            }
        };
        if has { Ok(()) } else { Err(ReportError::NoPlane { asked, size: grid.size_text() }) }
    }

    /// Draws a plane of a field on its image.
    ///
    /// # Errors
    /// [`ReportError::NoPlane`]; [`ReportError::Core`] for an image on another grid; [`ReportError::Stopped`].
    pub fn draw(
        &self,
        flow: &Flow,
        image: &Volume<f32>,
        control: &Control,
    ) -> Result<FieldPicture, ReportError> {
        flow.grid().require_same(image.grid(), "field and image")?;
        self.require_plane(flow.grid())?;
        let plane = self.chosen(flow, image, control)?;
        let vector = |i: usize| flow.is_valid(i).then(|| plane.page_vector_mm(flow.vector_vox(i)));
        let lengths = || plane.indices().filter_map(vector).map(|[u, v]| u.hypot(v));
        let scale = self.scale.filter(|scale| scale.is_finite() && *scale > 0.0);
        let scale = scale.unwrap_or_else(|| full_colour(lengths()));
        let grey = Grey::of(image, &plane);
        let colour = |i: usize| match (vector(i), self.ground) {
            (None, PictureGround::White) => [0; 3],
            (Some(vector), PictureGround::White) => wheel(vector.map(|c| (f64::from(c) / scale) as f32)),
            (None, PictureGround::Image) => [grey.at(i) / 2; 3],
            (Some(vector), PictureGround::Image) => {
                mixed(vector.map(|c| (f64::from(c) / scale) as f32), grey.at(i))
            }
        };
        let picture = squares(&plane, colour, control)?;
        let unit = if is_physical(flow.grid()) { "mm" } else { "px" };
        let name =
            if plane.name.is_empty() { String::new() } else { format!("{}, {}", plane.name, plane.position) };
        let picture = match self.key {
            PictureKey::LeftOut => picture,
            PictureKey::Wheel => {
                captioned_in_lines(picture, &name, &ColourKey::Wheel(format!("{} {unit}", text(scale))))
            }
        };
        Ok(FieldPicture { picture, plane: name, scale, unit })
    }

    fn chosen(&self, flow: &Flow, image: &Volume<f32>, control: &Control) -> Result<Plane, Stopped> {
        let (grid, size) = (flow.grid(), flow.grid().size());
        let through = |voxel: [usize; 3]| planes_through(grid, voxel);
        let view = match self.plane {
            _ if grid.dimension() == Dimension::Two => return Ok(through([0; 3]).swap_remove(0)),
            PlaneChoice::ShowsMost => 0,
            PlaneChoice::View(view) => view,
            PlaneChoice::At { axis, position } => {
                let mut voxel = [0; 3];
                voxel[axis] = position;
                let mut planes = through(voxel);
                let nth = planes.iter().position(|plane| plane.normal() == axis).unwrap_or(0);
                return Ok(planes.swap_remove(nth));
            }
        };
        let normal = through([0; 3])[view].normal();
        let mut best = (f64::NEG_INFINITY, 0);
        for position in 0..size[normal] {
            control.check()?;
            let mut voxel = size.map(|n| n / 2);
            voxel[normal] = position;
            let shown = moving_contrast(&through(voxel)[view], flow, image);
            if shown > best.0 {
                best = (shown, position);
            }
        }
        let mut voxel = size.map(|n| n / 2);
        voxel[normal] = best.1;
        Ok(through(voxel).swap_remove(view))
    }
}

/// The sum over a plane of the length of motion times the image's contrast with its neighbours.
fn moving_contrast(plane: &Plane, flow: &Flow, image: &Volume<f32>) -> f64 {
    let ((columns, rows), data) = (plane.shape(), image.data());
    let mut sum = 0.0;
    for row in 1..rows {
        for column in 1..columns {
            let i = plane.index(column, row);
            let [u, v] = plane.page_vector_mm(flow.vector_vox(i));
            let [left, above] = [plane.index(column - 1, row), plane.index(column, row - 1)];
            let contrast = (data[i] - data[left]).abs() + (data[i] - data[above]).abs();
            let shown = f64::from(u.hypot(v) * contrast);
            if shown.is_finite() {
                sum += shown;
            }
        }
    }
    sum
}

/// The grey of an image between the 0.5 and 99.5 percentiles of a plane.
pub(super) struct Grey<'a> {
    image: &'a Volume<f32>,
    low: f32,
    range: f32,
}

impl<'a> Grey<'a> {
    pub fn of(image: &'a Volume<f32>, plane: &Plane) -> Self {
        let shown = plane.indices().map(|i| image.data()[i]);
        let [low, high] = finite_quantiles(shown, [0.005, 0.995]).unwrap_or([0.0, 1.0]);
        Self { image, low: low as f32, range: ((high - low) as f32).max(f32::MIN_POSITIVE) }
    }

    /// 0 to 255; black where the image has no value.
    pub fn at(&self, index: usize) -> u8 {
        (255.0 * ((self.image.data()[index] - self.low) / self.range).clamp(0.0, 1.0)) as u8
    }
}

/// The hue of a vector (1 has full colour) over a grey, the stronger the longer it is.
fn mixed(vector: [f32; 2], grey: u8) -> Rgb {
    let (length, grey) = (vector[0].hypot(vector[1]), f32::from(grey));
    let hue = full_hue(vector);
    let share = 0.75 * length.min(1.0);
    hue.map(|hue| (grey + share * (f32::from(hue) - grey)).round() as u8)
}

/// A plane as square pixels of its finest spacing.
fn squares(plane: &Plane, colour: impl Fn(usize) -> Rgb, control: &Control) -> Result<MapPicture, Stopped> {
    let finest = plane.across.spacing_mm.min(plane.down.spacing_mm);
    let side = |extent_mm: f64| ((extent_mm / finest).round() as usize).max(1);
    let (width, height) = (side(plane.across.extent_mm()), side(plane.down.extent_mm()));
    let (columns, rows) = plane.shape();
    let mut rgb = Vec::with_capacity(3 * width * height);
    for y in 0..height {
        control.check()?;
        rgb.extend((0..width).flat_map(|x| colour(plane.index(x * columns / width, y * rows / height))));
    }
    Ok(MapPicture { width, height, rgb })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A volume that shows something in the planes z = 3 and 4 alone, and moves most in the last one, where nothing is to be seen.
    fn head() -> (Flow, Volume<f32>) {
        let grid = Grid::volume(12, 10, 8).and_then(|grid| grid.with_spacing_mm([1.0, 1.0, 3.0])).unwrap();
        let seen = |[x, y, z]: [usize; 3]| if (3..5).contains(&z) { ((x + y) % 2) as f32 } else { 0.0 };
        let flow = Flow::from_fn(grid.clone(), |[_, _, z]| match z as usize {
            4 => [2.0, 0.0, 0.0],
            7 => [0.0, 9.0, 0.0],
            _ => [1.0, 0.0, 0.0],
        });
        (flow, Volume::from_fn(grid, seen))
    }

    #[test]
    fn the_plane_that_shows_most_is_where_the_image_moves() {
        let ((flow, image), control) = (head(), Control::default());
        let found = FieldDrawing::default().draw(&flow, &image, &control).unwrap();
        assert_eq!((found.plane.as_str(), found.scale, found.unit), ("axial, z = 4", 2.0, "mm"));
        assert_eq!((found.picture.width, found.picture.height), (12, 10));
        assert_eq!(found.picture.rgb[..3], [255, 0, 0]);
    }

    #[test]
    fn a_plane_a_scale_a_ground_and_a_key_are_taken() {
        let ((flow, image), control) = (head(), Control::default());
        let drawing = FieldDrawing { plane: "y=2".parse().unwrap(), ..FieldDrawing::default() };
        let found = drawing.draw(&flow, &image, &control).unwrap();
        assert_eq!(found.plane, "coronal, y = 2");
        assert_eq!(
            (found.picture.width, found.picture.height),
            (12, 24),
            "pixels are squares of a millimetre"
        );
        let still =
            FieldDrawing { scale: Some(1e9), ground: PictureGround::Image, ..FieldDrawing::default() };
        let found = still.draw(&flow, &image, &control).unwrap();
        assert!(
            found
                .picture
                .rgb
                .as_chunks::<3>()
                .0
                .iter()
                .all(|[r, g, b]| r == g && g == b && [0, 255].contains(r))
        );
        let keyed = FieldDrawing { key: PictureKey::Wheel, ..FieldDrawing::default() };
        assert!(keyed.draw(&flow, &image, &control).unwrap().picture.height > 10);
        let missing = FieldDrawing { plane: "z=8".parse().unwrap(), ..FieldDrawing::default() };
        let error = missing.draw(&flow, &image, &control).unwrap_err().to_string();
        assert!(error.contains("z = 8") && error.contains("12 × 10 × 8"), "{error}");
        assert!("w=3".parse::<PlaneChoice>().is_err() && "z=".parse::<PlaneChoice>().is_err());
    }
}
