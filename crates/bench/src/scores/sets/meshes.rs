//! Parts of meshes beside those of people.

use crate::accuracy::segmentation::Example;
use crate::scores::measured::Measured;
use crate::{BenchError, Session};
use std::time::Instant;
use veloxel::VeloxelError;
use veloxel_core::Control;
use veloxel_gpu::Cpu;
use veloxel_mesh::{
    ArcWeights, CutsParams, FuzzyParams, MedoidSeeds, MeshError, PartCount, cuts, fuzzy_clustering,
};

/// A mesh of the Princeton benchmark; graph and mesh are read before the time begins.
pub(crate) fn mesh(
    session: &Session<'_>,
    item: &str,
    ways: &[&'static str],
) -> Result<Vec<Measured>, BenchError> {
    let Some(folder) = session.data("mesh/psb") else { return Ok(Vec::new()) };
    let number = item.parse().expect("an item should be the number of a mesh");
    let example = Example::read(&folder, number)?;
    let cpu = Cpu::new(session.device_options.threads).map_err(VeloxelError::from)?;
    let (params, control) = (CutsParams::default(), Control::default());
    let begin = Instant::now();
    let found = cuts(&example.graph, &params, &cpu)?;
    let parts = |count| found.parts(&example.graph, count, &params, &control).map_err(VeloxelError::from);
    let given = parts(PartCount::Given(example.parts))?;
    let cuts_s = begin.elapsed().as_secs_f64();
    let mut measured = Vec::new();
    for &name in ways {
        measured.push(match name {
            "cuts" => Measured::new(name, example.rand(&given.labels)?, cuts_s),
            "cuts, number chosen" => {
                let chosen = parts(PartCount::Chosen)?;
                let off = (chosen.count as f64 - example.parts as f64).abs();
                Measured::untimed(name, example.rand(&chosen.labels)?).with([off])
            }
            "fuzzy" => {
                let (begin, fuzzy) = (Instant::now(), FuzzyParams::default());
                let weights =
                    ArcWeights::new(&example.graph, &found, &fuzzy, &cpu).map_err(MeshError::from)?;
                let seeds = MedoidSeeds::Parts(&given.labels);
                let clusters = fuzzy_clustering(&example.graph, &weights, seeds, &fuzzy, session.device)
                    .map_err(VeloxelError::from)?;
                let time_s = cuts_s + begin.elapsed().as_secs_f64();
                Measured::new(name, example.rand(&clusters.labels)?, time_s)
            }
            _ => Measured::untimed(name, example.rand_of_people()?),
        });
    }
    Ok(measured)
}
