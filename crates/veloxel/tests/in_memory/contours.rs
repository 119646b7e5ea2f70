//! `contours fit clicks.csv --cine cine.nii.gz -o seeds.json`, and the outlines followed over the cine.

use crate::no_files::{alone, without_files};
use crate::session;
use veloxel::io::{CinePlace, PlainNames, ReadOptions, write_contours, write_sequence};
use veloxel::jobs::{ContoursFitJob, contours_fit};
use veloxel::phantoms::{CineParams, CinePhantom};
use veloxel::pipelines::heart::{Cine, Contour, ContourSet, Polygon, Structure, TrackRequest, track};
use veloxel::pipelines::{DenseDraft, GuidePointFit, GuidePointsRequest, guide_points};
use veloxel::{Control, Grid};
use veloxel_measure::ContourDistances;

#[test]
fn clicks_are_laid_and_followed_in_memory() {
    alone(|| {
        let grid = Grid::volume(72, 68, 1).and_then(|g| g.with_spacing_mm([2.0, 2.0, 8.0])).unwrap();
        let phantom = CinePhantom::new(CineParams { grid, frames: 4, ..CineParams::default() }).unwrap();
        let exact = phantom.contours();
        let few = |contour: &Contour| Contour {
            polygon: Polygon::new(contour.polygon.resampled_px(6, [1.0; 2])).unwrap(),
            ..contour.clone()
        };
        let own = exact.contours().iter().filter(|c| c.frame == 0 && c.structure != Structure::Rv);
        let clicks = ContourSet::new(own.map(few).collect()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let cine = phantom.sequence();
        let (grid, frames) = (cine.grid().clone(), cine.frames().len());
        let place = CinePlace { grid, frames, frame_interval_ms: None, images: Vec::new() };
        write_sequence(path("cine.nii.gz"), &cine).unwrap();
        write_contours(path("clicks.csv"), &clicks, &place).unwrap();
        let job = ContoursFitJob {
            clicks: path("clicks.csv"),
            cine: Some(path("cine.nii.gz")),
            frame: 0,
            names: PlainNames::default(),
            fit: GuidePointFit::default(),
            output: path("seeds.json"),
            reading: ReadOptions::default(),
        };
        let written = contours_fit(&job, &session()).unwrap();
        // What the table keeps of the clicks is what was clicked.
        let kept = veloxel::io::read_contours(
            &job.clicks,
            Some(&place),
            &Default::default(),
            &mut veloxel::Warnings::new(),
        );
        let kept = kept.unwrap().contours;
        let session = session();
        let found = without_files(|| {
            let [sx, sy, _] = place.grid.spacing_mm();
            let request = GuidePointsRequest { clicks: &kept, spacing_mm: [sx, sy], fit: job.fit };
            let seeds = guide_points(&request, &session)?;
            let methods = [DenseDraft::named("block-matching")?];
            let cine = Cine::new(cine, &session)?;
            let found = track(&TrackRequest::new(&cine, &seeds, &methods), &session)?;
            Ok::<_, veloxel::VeloxelError>((seeds, found))
        });
        let (seeds, found) = found.unwrap();
        assert_eq!(seeds, written.outlines);
        let apart = |result: &ContourSet| {
            ContourDistances::measure(result, &exact, [2.0; 2], &Control::default()).unwrap().structures
        };
        for structure in apart(&seeds) {
            assert!(structure.modified_hausdorff_mm < 0.2, "{structure:?}");
        }
        for structure in apart(&found.runs[0].contours) {
            assert!(structure.modified_hausdorff_mm < 1.0, "{structure:?}");
        }
    });
}
