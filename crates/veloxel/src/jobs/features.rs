//! One image in, energy, orientation and phase at every scale out.

use super::{Holds, JobRun, OutputPlan, Result, RunOptions, full_scale, name};
use std::path::{Path, PathBuf};
use veloxel_core::parameters::Parameters;
use veloxel_core::{WarningKind, Warnings};
use veloxel_io as io;
use veloxel_motion::{FeatureMaps, phase_features};
use veloxel_report::{
    FeatureScale, FeatureScaleReport, FeaturesReport, FeaturesView, MapPicture, ValueRange, features_html,
    orientation_rgb, phase_rgb,
};

/// One run over an image.
#[derive(Debug, Clone, PartialEq)]
pub struct FeaturesJob {
    /// The image.
    pub image: PathBuf,
    /// Method, device and everything else that runs share.
    pub options: RunOptions,
    /// Where maps, pictures and `report.json` go; made if it is not there.
    pub folder: PathBuf,
    /// The JSON once more, elsewhere.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

/// What a run has to say, and the files it wrote.
pub type FeaturesRun = JobRun<FeaturesReport>;

/// Finds the features of an image: `energy_0.pfm`, `orientation_0.pfm` and `phase_0.pfm` at full resolution, `_1` at half,
/// and so on; `orientation.png` and `phase.png` as pictures; `report.json`. The folder gets all of them or none.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line.
pub fn features(job: &FeaturesJob) -> Result<FeaturesRun> {
    let options = &job.options;
    let mut plan = OutputPlan::default()
        .reads("image", [&job.image])
        .reads_options(options)
        .writes("folder", [&job.folder], Holds::Folder)
        .members("folder", &["energy_", "orientation", "phase", "report.json"])
        .writes("report", &job.report, Holds::Text)
        .writes("page", &job.html, Holds::Text)
        .checked()?;
    let (device, mut log) = options.device.start()?;
    let image = log.stages.time("load", || io::read_image(&job.image, options.reading, &mut log.warnings))?;
    let parameters = options.method.phase_parameters(full_scale(&image))?;
    let found = log.stages.time("solve", || phase_features(&image, &parameters, &device))?;

    let no_phase = |maps: &FeatureMaps| maps.phase_rad.data().iter().all(|phase| phase.is_nan());
    if found.levels.iter().all(no_phase) {
        log.warnings.push(WarningKind::Content, "no pixel has a phase: the picture may lack texture");
    }
    log.stages.time("write", || {
        plan.write("folder", |folder| write_maps(folder, &found.levels, &mut log.warnings))
    })?;
    let inputs = plan.input_reports(|_| image.grid());
    let report = FeaturesReport {
        header: options.header("phase-features", parameters.to_json(), log, inputs),
        scales: found.levels.iter().map(scale_report).collect(),
    };
    plan.publish(report, |report| {
        let view = FeaturesView {
            title: &name(&job.image),
            image: &image,
            scales: found.levels.iter().map(shown).collect(),
        };
        Ok(features_html(report, &view)?)
    })
}

/// The maps of every scale, and pictures of the finest.
fn write_maps(folder: &Path, levels: &[FeatureMaps], warnings: &mut Warnings) -> Result<()> {
    for (scale, maps) in levels.iter().enumerate() {
        for (name, map) in named(maps) {
            io::write_image(&folder.join(format!("{name}_{scale}.pfm")), map, warnings)?;
        }
    }
    let Some(finest) = levels.first() else { return Ok(()) };
    let save = |name: &str, MapPicture { width, height, rgb }: MapPicture| {
        io::write_rgb_png(&folder.join(name), width, height, &rgb)
    };
    save("orientation.png", orientation_rgb(&finest.orientation_rad, &finest.energy)?)?;
    Ok(save("phase.png", phase_rgb(&finest.phase_rad, &finest.energy)?)?)
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
