//! `features picture.png -o out`.

use crate::no_files::{alone, without_files};
use crate::{assert_same_file, pictures, session};
use veloxel::Warnings;
use veloxel::io;
use veloxel::jobs::{self, FeaturesJob, PhaseOptions};
use veloxel::pipelines::{FeaturesRequest, features};

#[test]
fn features_are_those_of_the_command() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let image = pictures::write(place.path(), "picture.png", 0.0);
        let folder = place.path().join("out");
        let options = PhaseOptions::new().unwrap();
        let job =
            FeaturesJob { image: image.clone(), options, folder: folder.clone(), report: None, html: None };
        let run = jobs::features(&job, &session()).unwrap();

        let (session, image) = (session(), pictures::read(&image));
        let request = FeaturesRequest::new(&image, job.options.method.draft());
        let result = without_files(|| features(&request, &session)).unwrap();
        assert_eq!(result.scales, run.report.scales);
        assert!(result.levels.len() > 1);
        for (scale, maps) in result.levels.iter().enumerate() {
            let named = [
                ("energy", &maps.energy),
                ("orientation", &maps.orientation_rad),
                ("phase", &maps.phase_rad),
            ];
            for (name, map) in named {
                let own = place.path().join("own.pfm");
                io::write_image(&own, map, &mut Warnings::new()).unwrap();
                assert_same_file(&own, &folder.join(format!("{name}_{scale}.pfm")));
            }
        }
    });
}
