//! A picture from a file; energy, orientation and phase at every scale to files.

use super::options::phase_options::PhaseOptions;
use super::{JobRun, OutputContent, OutputPlan, OutputRole, name};
use crate::pipelines::account::Account;
use crate::pipelines::{self, FeaturesRequest, FeaturesResult};
use crate::{FeatureMaps, Result, Session};
use std::path::PathBuf;
use veloxel_core::{Stage, Volume, Warnings};
use veloxel_io::{self as io, Target};
use veloxel_report::{
    FeatureScale, FeaturesReport, FeaturesView, MapPicture, features_html, orientation_rgb, phase_rgb,
};

/// One run over an image.
#[derive(Debug, Clone, PartialEq)]
pub struct FeaturesJob {
    /// The image.
    pub image: PathBuf,
    /// The method, and how files are read.
    pub options: PhaseOptions,
    /// Where maps, pictures and `report.json` go; made if it is not there.
    pub folder: PathBuf,
    /// The JSON once more, elsewhere.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

/// Report of a run, and the files written.
pub type FeaturesRun = JobRun<FeaturesReport>;

/// Finds the features of an image: `energy_0.pfm`, `orientation_0.pfm` and `phase_0.pfm` at full resolution, `_1` at half,
/// and so on; `orientation.png` and `phase.png` as pictures; `report.json`. The folder gets all of them or none.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line.
pub fn features(job: &FeaturesJob, session: &Session) -> Result<FeaturesRun> {
    planned(job, session, job.plan(session).checked()?)
}

impl FeaturesJob {
    /// The plan of its files, not checked yet.
    pub(super) fn plan(&self, session: &Session) -> OutputPlan {
        OutputPlan::of(session)
            .reads("image", [&self.image])
            .reads_settings(self.options.method.files())
            .writes(OutputRole::Folder, [&self.folder], OutputContent::Folder)
            .members(OutputRole::Folder, ["energy_", "orientation", "phase", "report.json"])
            .writes(OutputRole::Report, &self.report, OutputContent::Text)
            .writes(OutputRole::Page, &self.html, OutputContent::Text)
    }
}

fn planned(job: &FeaturesJob, session: &Session, mut plan: OutputPlan) -> Result<FeaturesRun> {
    let options = &job.options;
    session.enter(Stage::Read)?;
    let Account { mut stages, mut warnings, .. } = Account::default();
    let image = stages.time("load", || {
        io::read_image(&job.image, session.reading(options.reading).without_transparent(), &mut warnings)
    })?;
    let request = FeaturesRequest::new(&image, options.method.draft());
    let FeaturesResult { levels, scales, account } = pipelines::features(&request, session)?;
    let mut all = Account { stages, warnings, ..Account::default() };
    all.absorb(account);
    session.enter(Stage::Write)?;
    let Account { stages, warnings, .. } = &mut all;
    stages
        .time("write", || plan.write(OutputRole::Folder, |folder| write_maps(&folder, &levels, warnings)))?;
    let inputs = plan.input_reports(|_| image.grid());
    let report = FeaturesReport { header: options.header("phase-features", all, inputs), scales };
    plan.publish(report, |report| {
        let scales = levels.iter().map(shown).collect();
        let view = FeaturesView { title: &name(&job.image), image: &image, scales };
        Ok(features_html(report, &view, session.control())?)
    })
}

/// The maps of every scale, and pictures of the finest.
fn write_maps(folder: &Target, levels: &[FeatureMaps], warnings: &mut Warnings) -> Result<()> {
    for (scale, maps) in levels.iter().enumerate() {
        for (name, map) in named(maps) {
            io::write_image(folder.join(format!("{name}_{scale}.pfm")), map, warnings)?;
        }
    }
    let Some(finest) = levels.first() else { return Ok(()) };
    let save = |name: &str, MapPicture { width, height, rgb }: MapPicture| {
        io::write_rgb_png(folder.join(name), width, height, &rgb)
    };
    save("orientation.png", orientation_rgb(&finest.orientation_rad, &finest.energy)?)?;
    Ok(save("phase.png", phase_rgb(&finest.phase_rad, &finest.energy)?)?)
}

/// The maps of a scale by the names of their files.
pub(super) fn named(maps: &FeatureMaps) -> [(&'static str, &Volume<f32>); 3] {
    [("energy", &maps.energy), ("orientation", &maps.orientation_rad), ("phase", &maps.phase_rad)]
}

fn shown(maps: &FeatureMaps) -> FeatureScale<'_> {
    FeatureScale { energy: &maps.energy, orientation_rad: &maps.orientation_rad, phase_rad: &maps.phase_rad }
}
