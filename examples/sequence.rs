//! The motion of a beating heart from its first frame to every other: `cargo run -p veloxel --example sequence`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use veloxel::phantoms::{HeartParams, HeartPhantom};
use veloxel::{
    Clg, ClgParams, ClgPreset, Device, Dimension, Extras, SequenceFrames, SequenceMode, SequencePlan,
    VeloxelError, run_sequence,
};

fn main() -> Result<(), VeloxelError> {
    let heart = HeartPhantom::new(HeartParams::default())?;
    let sequence = heart.sequence();
    let params = ClgParams::preset(ClgPreset::Fast, Dimension::Three);
    let mut method = Clg::new(sequence.grid(), params, &Device::auto()?)?;
    let frames = SequenceFrames::new(sequence.frames());
    let plan = SequencePlan { mode: SequenceMode::Reference, reference: 0, extras: Extras::default() };
    let mut print = |field: veloxel::motion::SequenceField| {
        let jacobian = field.output.statistics.jacobian;
        println!("{} → {}: det from {:.3} to {:.3}", field.fixed, field.moving, jacobian.min, jacobian.max);
        Ok::<_, VeloxelError>(())
    };
    run_sequence(&mut method, frames, plan, &mut print)?;
    Ok(())
}
