//! Areas and volumes of the ventricles over time: outlines on every frame in, EDV, ESV, EF and mass out.
//!
//! *Definitions*: a volume is the sum of the areas of its slices times the distance of slices (Simpson's rule of discs), over the
//! slices whose structure is outlined on every frame. End-diastole is the frame of the largest volume of the cavity, end-systole
//! that of the smallest; `EF = (EDV − ESV) / EDV`; mass: 1.05 g/ml times the volume between epicardium and endocardium at
//! end-diastole. A single slice has areas, and the fractional change of area in the place of EF.

use serde::Serialize;
use veloxel_core::{ContourSet, Structure};

/// Density of muscle.
const DENSITY_G_PER_ML: f64 = 1.05;

/// The area of a structure in a slice over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AreaCurve {
    /// The structure that is outlined.
    pub structure: Structure,
    /// The slice of the outlines.
    pub slice: usize,
    /// The area by frame.
    pub area_mm2: Vec<f64>,
}

/// A cavity over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chamber {
    /// The slices that count.
    pub slices: Vec<usize>,
    /// The volume by frame, ml; of a single slice that of the slice alone.
    pub volume_ml: Vec<f64>,
    /// The frame of the largest volume.
    pub end_diastole: usize,
    /// The frame of the smallest volume.
    pub end_systole: usize,
    /// The largest volume, ml.
    pub edv_ml: f64,
    /// The smallest volume, ml.
    pub esv_ml: f64,
    /// The share of the largest volume that is ejected; of a single slice the fractional change of its area.
    pub ejection_fraction: f64,
    /// Largest and smallest area of a single slice, cm²: a slice has no volume of a ventricle. None for a stack.
    pub areas_cm2: Option<[f64; 2]>,
}

/// Areas and volumes that follow from the outlines of a heart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ventricles {
    /// Areas by structure and slice.
    pub areas: Vec<AreaCurve>,
    /// The left ventricle's cavity.
    pub lv: Option<Chamber>,
    /// The right ventricle's cavity.
    pub rv: Option<Chamber>,
    /// The muscle of the left ventricle by frame, ml, over slices with both outlines.
    pub muscle_ml: Option<Vec<f64>>,
    /// Mass of the left ventricle's muscle.
    pub mass_g: Option<f64>,
}

impl Ventricles {
    /// Measures outlines on so many frames, of voxels of this spacing.
    pub fn measure(contours: &ContourSet, frames: usize, spacing_mm: [f64; 3]) -> Self {
        let pixel = spacing_mm[0] * spacing_mm[1];
        let area = |structure: Structure, slice: usize, frame: usize| {
            Some(contours.get(structure, slice, frame)?.polygon.signed_area_px2().abs() * pixel)
        };
        let mut areas = Vec::new();
        for structure in contours.structures() {
            for slice in contours.slices() {
                let curve: Option<Vec<f64>> =
                    (0..frames).map(|frame| area(structure, slice, frame)).collect();
                areas.extend(curve.map(|area_mm2| AreaCurve { structure, slice, area_mm2 }));
            }
        }
        let lv = chamber(&areas, Structure::Endo, spacing_mm[2]);
        let muscle_ml = muscle(&areas, frames, spacing_mm[2]);
        let mass_g = lv
            .as_ref()
            .zip(muscle_ml.as_ref())
            .map(|(lv, muscle)| DENSITY_G_PER_ML * muscle[lv.end_diastole]);
        let rv = chamber(&areas, Structure::Rv, spacing_mm[2]);
        Self { areas, lv, rv, muscle_ml, mass_g }
    }
}

fn chamber(areas: &[AreaCurve], structure: Structure, thickness_mm: f64) -> Option<Chamber> {
    let own: Vec<&AreaCurve> = areas.iter().filter(|curve| curve.structure == structure).collect();
    let frames = own.first()?.area_mm2.len();
    let volume_ml: Vec<f64> = (0..frames)
        .map(|t| own.iter().map(|curve| curve.area_mm2[t]).sum::<f64>() * thickness_mm * 1e-3)
        .collect();
    let by_volume = |&a: &usize, &b: &usize| volume_ml[a].total_cmp(&volume_ml[b]);
    let (largest, smallest) = ((0..frames).rev().max_by(by_volume)?, (0..frames).min_by(by_volume)?);
    let (edv_ml, esv_ml) = (volume_ml[largest], volume_ml[smallest]);
    Some(Chamber {
        slices: own.iter().map(|curve| curve.slice).collect(),
        end_diastole: largest,
        end_systole: smallest,
        edv_ml,
        esv_ml,
        ejection_fraction: (edv_ml - esv_ml) / edv_ml,
        areas_cm2: match own[..] {
            [only] => Some([largest, smallest].map(|frame| only.area_mm2[frame] * 1e-2)),
            _ => None,
        },
        volume_ml,
    })
}

fn muscle(areas: &[AreaCurve], frames: usize, thickness_mm: f64) -> Option<Vec<f64>> {
    let of = |structure: Structure| areas.iter().filter(move |curve| curve.structure == structure);
    let pairs: Vec<(&AreaCurve, &AreaCurve)> = of(Structure::Epi)
        .filter_map(|epi| Some((epi, of(Structure::Endo).find(|endo| endo.slice == epi.slice)?)))
        .collect();
    let at = |t: usize| pairs.iter().map(|(epi, endo)| epi.area_mm2[t] - endo.area_mm2[t]).sum::<f64>();
    (!pairs.is_empty()).then(|| (0..frames).map(|t| at(t) * thickness_mm * 1e-3).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Contour, Polygon};

    #[test]
    fn boxes_have_the_volumes_of_boxes() {
        let square = |structure, slice, frame, side: f64| {
            let polygon = Polygon::new(vec![[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]]).unwrap();
            Contour { structure, frame, slice, polygon }
        };
        let mut all = Vec::new();
        for slice in 2..4 {
            for (frame, side) in [20.0, 10.0, 15.0].into_iter().enumerate() {
                all.push(square(Structure::Endo, slice, frame, side));
                all.push(square(Structure::Epi, slice, frame, 30.0));
            }
        }
        // A slice that is not outlined on every frame does not count.
        all.push(square(Structure::Endo, 5, 0, 99.0));
        let found = Ventricles::measure(&ContourSet::new(all).unwrap(), 3, [2.0, 1.0, 5.0]);
        let lv = found.lv.unwrap();
        assert_eq!((&lv.slices[..], &lv.volume_ml[..]), (&[2, 3][..], &[8.0, 2.0, 4.5][..]));
        assert_eq!((lv.end_diastole, lv.end_systole, lv.ejection_fraction), (0, 1, 0.75));
        assert_eq!(found.muscle_ml, Some(vec![10.0, 16.0, 13.5]));
        assert!((found.mass_g.unwrap() - 10.5).abs() < 1e-9 && found.rv.is_none());
        assert_eq!(lv.areas_cm2, None);
        let single = [20.0, 10.0].into_iter().enumerate().map(|(t, side)| square(Structure::Rv, 4, t, side));
        let found = Ventricles::measure(&ContourSet::new(single.collect()).unwrap(), 2, [2.0, 1.0, 5.0]);
        assert_eq!(found.rv.unwrap().areas_cm2, Some([8.0, 2.0]));
    }
}
