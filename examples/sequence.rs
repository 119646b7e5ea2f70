//! The motion of a beating heart from its first frame to every other: `cargo run -p veloxel --example sequence`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use veloxel::phantoms::{HeartParams, HeartPhantom};
use veloxel::pipelines::{MethodChoice, PairWanted, SequenceOutput, SequenceRequest, Wanted, sequence};
use veloxel::{DeviceOptions, SequenceMode, Session, VeloxelError};

fn main() -> Result<(), VeloxelError> {
    let session = Session::open(&DeviceOptions::default())?;
    let heart = HeartPhantom::new(HeartParams::default())?.sequence();
    let mut method = MethodChoice::default();
    method.draft.set_preset("fast")?;
    let request = SequenceRequest {
        mode: SequenceMode::Reference,
        wanted: PairWanted { measures: Wanted::Yes, ..PairWanted::default() },
        ..SequenceRequest::new(heart.frames(), &method)
    };
    let mut print = |field: SequenceOutput<'_>| {
        let ([fixed, moving], jacobian) = (field.label.numbers, field.found.statistics.jacobian);
        println!("{fixed} → {moving}: det from {:.3} to {:.3}", jacobian.min, jacobian.max);
        Ok(())
    };
    let result = sequence(&request, &session, &mut print)?;
    println!("{} fields were measured", result.measured().count());
    Ok(())
}
