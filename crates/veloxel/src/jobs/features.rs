//! One image in, energy, orientation and phase at every scale out.

use super::RunOptions;
use super::full_scale::{full_scale, phase_parameters};
use super::outputs::{check_distinct, check_outputs, format_text, name};
use super::stage::Stages;
use super::staging::Staging;
use crate::VeloxelError;
use std::path::PathBuf;
use veloxel_core::{WarningKind, Warnings};
use veloxel_io as io;
use veloxel_motion::{FeatureMaps, phase_features};
use veloxel_report::{
    FeatureScale, FeatureScaleReport, FeaturesReport, FeaturesView, InputReport, MapPicture, ValueRange,
    features_html, orientation_rgb, phase_rgb,
};

/// One run over an image.
#[derive(Debug, Clone, PartialEq)]
pub struct FeaturesJob {
    /// The image.
    pub image: PathBuf,
    /// Everything else that a run is told.
    pub options: RunOptions,
    /// Where maps, pictures and `report.json` go; made if it is not there.
    pub folder: PathBuf,
    /// The JSON once more, elsewhere.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

/// What a run has to say, and the files it wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct FeaturesRun {
    /// As in `report.json`.
    pub report: FeaturesReport,
    /// What and where.
    pub written: Vec<(&'static str, PathBuf)>,
}

/// Finds the features of an image: `energy_0.pfm`, `orientation_0.pfm` and `phase_0.pfm` at full resolution, `_1` at half,
/// and so on; `orientation.png` and `phase.png` for the eye; `report.json`. The folder gets all of them or none.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line.
pub fn features(job: &FeaturesJob) -> Result<FeaturesRun, VeloxelError> {
    let options = &job.options;
    check_outputs(&[(job.report.as_deref(), None), (job.html.as_deref(), None)], None)?;
    let outputs = [Some(job.folder.as_path()), job.report.as_deref(), job.html.as_deref()];
    check_distinct([job.image.as_path()], outputs)?;
    let (device, device_report) = options.device.open()?;
    let (mut stages, mut warnings) = (Stages::default(), Warnings::new());
    let image = stages.time("load", || io::read_image(&job.image, options.strictness, &mut warnings))?;
    let parameters = phase_parameters(&options.method, full_scale(&image), None)?;
    let staging = Staging::new(&job.folder)?;
    let found = stages.time("solve", || phase_features(&image, &parameters, &device))?;

    let no_phase = |maps: &FeatureMaps| maps.phase_rad.data().iter().all(|phase| phase.is_nan());
    if found.levels.iter().all(no_phase) {
        warnings.push(WarningKind::Content, "no pixel has a phase: the picture may lack texture");
    }

    stages.time("write", || -> Result<(), VeloxelError> {
        for (scale, maps) in found.levels.iter().enumerate() {
            for (name, map) in named(maps) {
                io::write_image(&staging.path(&format!("{name}_{scale}.pfm")), map, &mut warnings)?;
            }
        }
        if let Some(finest) = found.levels.first() {
            let save = |name: &str, MapPicture { width, height, rgb }: MapPicture| {
                io::write_rgb_png(&staging.path(name), width, height, &rgb)
            };
            save("orientation.png", orientation_rgb(&finest.orientation_rad, &finest.energy)?)?;
            save("phase.png", phase_rgb(&finest.phase_rad, &finest.energy)?)?;
        }
        Ok(())
    })?;
    let path = job.image.display().to_string();
    let inputs = vec![InputReport::new("image", &path, &format_text(&job.image), image.grid())];
    let report = FeaturesReport {
        header: options.header("phase-features", (&parameters, device_report), inputs, (stages, warnings)),
        scales: found.levels.iter().map(scale_report).collect(),
    };
    let json = report.to_json()?;
    io::write_text(&staging.path("report.json"), &json)?;
    staging.publish()?;
    let mut written = vec![("folder", job.folder.clone())];
    if let Some(path) = &job.report {
        io::write_text(path, &json)?;
        written.push(("report", path.clone()));
    }
    if let Some(path) = &job.html {
        let view = FeaturesView {
            title: &name(&job.image),
            image: &image,
            scales: found.levels.iter().map(shown).collect(),
        };
        io::write_text(path, &features_html(&report, &view)?)?;
        written.push(("page", path.clone()));
    }
    Ok(FeaturesRun { report, written })
}

/// The maps of a scale by the names of their files.
pub(super) fn named(maps: &FeatureMaps) -> [(&'static str, &veloxel_core::Volume<f32>); 3] {
    [("energy", &maps.energy), ("orientation", &maps.orientation_rad), ("phase", &maps.phase_rad)]
}

fn shown(maps: &FeatureMaps) -> FeatureScale<'_> {
    FeatureScale { energy: &maps.energy, orientation_rad: &maps.orientation_rad, phase_rad: &maps.phase_rad }
}

fn scale_report(maps: &FeatureMaps) -> FeatureScaleReport {
    let [nx, ny, _] = maps.energy.grid().size();
    let valid = maps.phase_rad.data().iter().filter(|p| p.is_finite()).count();
    FeatureScaleReport {
        size: [nx, ny],
        valid_share: valid as f64 / (nx * ny) as f64,
        energy: ValueRange::of(&maps.energy),
    }
}
