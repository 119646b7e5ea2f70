//! The motion of a beating heart from its first frame to every other: `cargo run -p veloxel --example sequence`.
//!
//! ```text
//! 0 → 1: det from 0.84 to 1.10
//! 0 → 2: det from 0.61 to 1.33
//! 0 → 3: det from 0.37 to 1.63
//! 0 → 4: det from 0.26 to 1.75
//! 0 → 5: det from 0.34 to 1.66
//! 0 → 6: det from 0.50 to 1.51
//! 0 → 7: det from 0.65 to 1.33
//! 0 → 8: det from 0.77 to 1.23
//! 0 → 9: det from 0.90 to 1.07
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
