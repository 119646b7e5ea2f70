//! The part of every frame in which motion is estimated.

use super::HeartError;
use crate::Result;
use veloxel_core::{ContourSet, Dimension, Grid, Mask, Polygon, PolygonRow, Structure, Volume};
use veloxel_motion::over::cycle::offset_vertices;

/// Around the outlines, millimetres: the heart moves, and methods look around.
pub(super) const MARGIN_MM: f64 = 25.0;
/// Fewest pixels along a side, where the image has as many: pyramids need them.
const LEAST_PX: usize = 64;

/// The wall around a cavity whose outer border is not outlined, mm: that of a right ventricle.
const WALL_MM: f64 = 3.0;

/// Where motion is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum RegionChoice<'a> {
    /// Around the outlines, or those that outline a region.
    #[default]
    Auto,
    /// All of the image.
    All,
    /// From pixel (x, y) on, so many along x and y.
    Pixels([usize; 4]),
    /// The rectangle around all that lies inside a mask, in any of its slices.
    Mask {
        /// The mask.
        mask: &'a Mask,
        /// What messages call it.
        name: &'a str,
    },
}

/// Fewest pixels along a side of a given region.
const LEAST_GIVEN_PX: usize = 16;

/// A rectangle of pixels, the same in every slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    /// Its first pixel.
    pub from: [usize; 2],
    /// Pixels along x and y.
    pub size: [usize; 2],
}

/// A slice of a cine at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SliceInTime {
    pub slice: usize,
    pub frame: usize,
}

impl Region {
    /// The region of a choice around outlines on a grid.
    pub fn of(choice: &RegionChoice<'_>, contours: &ContourSet, grid: &Grid) -> Result<Self, HeartError> {
        let [nx, ny, _] = grid.size();
        let size = [nx, ny];
        match *choice {
            RegionChoice::All => Ok(Self { from: [0, 0], size }),
            RegionChoice::Pixels([x, y, w, h]) => Self { from: [x, y], size: [w, h] }
                .within(size)
                .ok_or_else(|| HeartError::Region { what: format!("{x},{y},{w},{h}"), size }),
            RegionChoice::Mask { mask, name } => {
                let ([mx, my, _], name) = (mask.grid().size(), name.to_owned());
                if [mx, my] != size {
                    return Err(HeartError::RegionMask { name, got: [mx, my], expected: size });
                }
                Self::around_mask(mask).within(size).ok_or(HeartError::Region { what: name, size })
            }
            RegionChoice::Auto => Ok(Self::around(contours, grid)),
        }
    }

    /// The region, if it is large enough and lies within an image.
    fn within(self, [nx, ny]: [usize; 2]) -> Option<Self> {
        let ([x, y], [w, h]) = (self.from, self.size);
        let fits = |from: usize, size: usize, all: usize| {
            size >= LEAST_GIVEN_PX && from.checked_add(size).is_some_and(|end| end <= all)
        };
        (fits(x, w, nx) && fits(y, h, ny)).then_some(self)
    }

    fn around_mask(mask: &Mask) -> Self {
        let [nx, ny, _] = mask.grid().size();
        let (mut low, mut end) = ([nx, ny], [0, 0]);
        for i in (0..mask.grid().len()).filter(|&i| mask.data()[i]) {
            let [x, y, _] = mask.grid().position(i);
            low = [low[0].min(x), low[1].min(y)];
            end = [end[0].max(x + 1), end[1].max(y + 1)];
        }
        Self { from: low, size: [0, 1].map(|axis: usize| end[axis].saturating_sub(low[axis])) }
    }

    fn around(contours: &ContourSet, grid: &Grid) -> Self {
        let regions = contours.contours().iter().filter(|c| c.structure == Structure::Region);
        let is_given = regions.clone().next().is_some();
        let own: Vec<_> = if is_given { regions.collect() } else { contours.contours().iter().collect() };
        let side = |axis: usize| {
            let points = own.iter().flat_map(|c| c.polygon.points_px()).map(|p| p[axis]);
            let (low, high) =
                points.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
            let margin = if is_given { 0.0 } else { MARGIN_MM / grid.spacing_mm()[axis] };
            let last = grid.size()[axis] as f64 - 1.0;
            let middle = 0.5 * (low + high);
            let half = (0.5 * (high - low) + margin).max(0.5 * LEAST_PX as f64);
            let from = (middle - half).floor().clamp(0.0, last) as usize;
            // Even numbers halve well.
            let to = ((middle + half).ceil().clamp(0.0, last) as usize + 1 - from).next_multiple_of(4);
            (from, to.min(grid.size()[axis] - from))
        };
        let (x, y) = (side(0), side(1));
        Self { from: [x.0, y.0], size: [x.1, y.1] }
    }

    /// The grid of one slice in the region.
    pub fn plane(&self, grid: &Grid) -> Result<Grid> {
        let [sx, sy, _] = grid.spacing_mm();
        Ok(Grid::image(self.size[0], self.size[1])?.with_spacing_mm([sx, sy, 1.0])?)
    }

    /// The grid of all slices in the region, placed in the world.
    pub fn stack(&self, grid: &Grid) -> Result<Grid> {
        let [w, h] = self.size;
        let part = match grid.dimension() {
            Dimension::Two => Grid::image(w, h)?,
            Dimension::Three => Grid::volume(w, h, grid.size()[2])?,
        };
        let origin = grid.world_from_voxel([self.from[0] as f64, self.from[1] as f64, 0.0]);
        Ok(part.with_spacing_mm(grid.spacing_mm())?.with_direction(grid.direction())?.with_origin_mm(origin))
    }

    /// Within the outlines of a frame on a slice, on the grid of that, `plane`; none where nothing is outlined.
    pub fn outlined(&self, contours: &ContourSet, at: SliceInTime, plane: &Grid) -> Option<Mask> {
        let SliceInTime { slice, frame } = at;
        let polygon = |structure| contours.get(structure, slice, frame).map(|contour| &contour.polygon);
        let outer = |cavity: &Polygon| {
            let wall_px = WALL_MM / plane.spacing_mm()[0];
            Polygon::of_moved(offset_vertices(cavity.points_px(), wall_px)).ok()
        };
        let ventricle = |[outer_border, cavity]: [Structure; 2]| match polygon(outer_border) {
            Some(border) => Some(border.clone()),
            None => polygon(cavity).and_then(outer),
        };
        let ventricles: Vec<Polygon> = [[Structure::Epi, Structure::Endo], [Structure::RvEpi, Structure::Rv]]
            .into_iter()
            .filter_map(ventricle)
            .collect();
        let [x0, y0] = self.from;
        let rows_of = |polygon: &Polygon| -> Vec<PolygonRow> {
            (0..plane.size()[1]).map(|y| polygon.row((y0 + y) as f64)).collect()
        };
        let rows: Vec<_> = ventricles.iter().map(rows_of).collect();
        let within = |[x, y, _]: [usize; 3]| rows.iter().any(|rows| rows[y].contains((x0 + x) as f64));
        (!ventricles.is_empty()).then(|| Volume::from_fn(plane.clone(), within))
    }

    /// What lies between the outer and the inner border of the left ventricle on a frame, on the grid of the region of one slice,
    /// `first`, or of all slices from it on.
    pub fn muscle(&self, contours: &ContourSet, first: SliceInTime, grid: &Grid) -> Mask {
        let [x0, y0] = self.from;
        let [_, height, depth] = grid.size();
        let rows = |structure, slice| -> Option<Vec<PolygonRow>> {
            let polygon = &contours.get(structure, slice, first.frame)?.polygon;
            Some((0..height).map(|y| polygon.row((y0 + y) as f64)).collect())
        };
        let wall = |slice| Some([rows(Structure::Epi, slice)?, rows(Structure::Endo, slice)?]);
        let walls: Vec<_> = (0..depth).map(|z| wall(first.slice + z)).collect();
        Mask::from_fn(grid.clone(), |[x, y, z]| {
            let at = (x0 + x) as f64;
            walls[z].as_ref().is_some_and(|[outer, inner]| outer[y].contains(at) && !inner[y].contains(at))
        })
    }

    /// An image in the region from a slice on, on the grid of one slice or of all.
    pub fn cut(&self, image: &Volume<f32>, slice: usize, grid: &Grid) -> Volume<f32> {
        let [x0, y0] = self.from;
        Volume::from_fn(grid.clone(), |[x, y, z]| *image.at([x0 + x, y0 + y, slice + z]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Contour;

    #[test]
    fn a_region_holds_its_outlines_and_stays_within_the_image() {
        let polygon = Polygon::new(vec![[180.0, 60.0], [220.0, 60.0], [200.0, 90.0]]).unwrap();
        let contour = Contour { structure: Structure::Endo, frame: 0, slice: 1, polygon };
        let set = ContourSet::new(vec![contour]).unwrap();
        let grid = Grid::volume(230, 200, 3).and_then(|g| g.with_spacing_mm([1.25, 1.25, 8.0])).unwrap();
        let region = Region::of(&RegionChoice::Auto, &set, &grid).unwrap();
        assert_eq!((region.from, region.size[0] + region.from[0]), ([160, 40], 230));
        assert!(region.size[1] >= LEAST_PX && region.size[1].is_multiple_of(4));
        let stack = region.stack(&grid).unwrap();
        assert_eq!(stack.world_from_voxel([0.0; 3]), grid.world_from_voxel([160.0, 40.0, 0.0]));
        let given = |x: usize| Region::of(&RegionChoice::Pixels([x, 0, 40, 40]), &set, &grid);
        assert!(given(200).is_err() && given(usize::MAX).is_err());
    }

    #[test]
    fn a_region_of_a_mask_is_the_rectangle_around_it() {
        let [grid, other] = [60, 61].map(|w| Grid::image(w, 50).unwrap());
        let of = |grid: &Grid, from: usize| {
            let inside = |[x, y, _]: [usize; 3]| (from..40).contains(&x) && (12..30).contains(&y);
            let mask = Volume::from_fn(grid.clone(), inside);
            let none = ContourSet::new(Vec::new()).unwrap();
            let choice = RegionChoice::Mask { mask: &mask, name: "heart.nii.gz" };
            Region::of(&choice, &none, &Grid::image(60, 50).unwrap())
        };
        let region = of(&grid, 20).unwrap();
        assert_eq!((region.from, region.size), ([20, 12], [20, 18]));
        assert!(of(&grid, 40).unwrap_err().to_string().contains("heart.nii.gz: expected at least"));
        assert!(of(&other, 20).unwrap_err().to_string().contains("61 × 50"));
    }

    fn square(structure: Structure, from: f64, to: f64) -> Contour {
        let polygon = Polygon::new(vec![[from, from], [to, from], [to, to], [from, to]]).unwrap();
        Contour { structure, frame: 2, slice: 1, polygon }
    }

    #[test]
    fn a_cavity_without_an_outer_border_has_a_wall_around_it() {
        let contours = vec![
            square(Structure::Endo, 24.0, 34.0),
            square(Structure::Epi, 20.5, 38.5),
            square(Structure::Rv, 50.0, 66.0),
        ];
        let contours = ContourSet::new(contours).unwrap();
        let region = Region { from: [10, 12], size: [70, 64] };
        let plane = Grid::image(70, 64).and_then(|g| g.with_spacing_mm([1.5, 1.5, 1.0])).unwrap();
        let mask = region.outlined(&contours, SliceInTime { slice: 1, frame: 2 }, &plane).unwrap();
        // A row through both: 18 pixels within the outer border, and 16 with a wall of two on either side.
        let inside = |y: usize| (0..70).filter(|&x| *mask.at([x, y, 0])).map(|x| x + 10).collect::<Vec<_>>();
        assert_eq!(inside(30 - 12), (21..39).collect::<Vec<_>>());
        let right = inside(58 - 12);
        assert!((47..=49).contains(&right[0]) && (67..=69).contains(&right[right.len() - 1]), "{right:?}");
        assert!(region.outlined(&contours, SliceInTime { slice: 0, frame: 2 }, &plane).is_none());
    }
}
