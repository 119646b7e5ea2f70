//! Where cavities and their walls lie on a slice of a frame, as its outlines say.

use super::region::Region;
use veloxel_core::{ContourSet, Grid, Mask, Polygon, Structure, Volume};
use veloxel_motion::cycle::offset_vertices;

/// The wall around a cavity whose outer border is not outlined, mm: that of a right ventricle.
const WALL_MM: f64 = 3.0;

/// Within the outlines of a frame on a slice, on the region's grid of it, `plane`; none where nothing is outlined.
pub(super) fn outlined(
    contours: &ContourSet,
    [slice, frame]: [usize; 2],
    region: Region,
    plane: &Grid,
) -> Option<Mask> {
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
    let [x0, y0] = region.from;
    let within = |[x, y, _]: [usize; 3]| {
        ventricles.iter().any(|polygon| polygon.contains([(x0 + x) as f64, (y0 + y) as f64]))
    };
    (!ventricles.is_empty()).then(|| Volume::from_fn(plane.clone(), within))
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Contour;

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
        let mask = outlined(&contours, [1, 2], region, &plane).unwrap();
        // A row through both: 18 pixels within the outer border, and 16 with a wall of two on either side.
        let inside = |y: usize| (0..70).filter(|&x| *mask.at([x, y, 0])).map(|x| x + 10).collect::<Vec<_>>();
        assert_eq!(inside(30 - 12), (21..39).collect::<Vec<_>>());
        let right = inside(58 - 12);
        assert!((47..=49).contains(&right[0]) && (67..=69).contains(&right[right.len() - 1]), "{right:?}");
        assert!(outlined(&contours, [0, 2], region, &plane).is_none());
    }
}
