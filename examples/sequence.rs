//! The motion of a beating heart from its first frame to every other: `cargo run -p veloxel --example sequence`.
//!
//! ```text
//! 0 → 1: det from 0.69 to 1.23
//! 0 → 2: det from 0.52 to 1.37
//! 0 → 3: det from 0.31 to 1.67
//! 0 → 4: det from 0.21 to 1.77
//! 0 → 5: det from 0.28 to 1.66
//! 0 → 6: det from 0.45 to 1.56
//! 0 → 7: det from 0.60 to 1.36
//! 0 → 8: det from 0.63 to 1.36
//! 0 → 9: det from 0.77 to 1.17
//! 9 fields were measured
//! ```

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
        println!("{fixed} → {moving}: det from {:.2} to {:.2}", jacobian.min, jacobian.max);
        Ok(())
    };
    let result = sequence(&request, &session, &mut print)?;
    println!("{} fields were measured", result.measured().count());
    Ok(())
}
