//! A method of your own behind the seam: `cargo run -p veloxel --example custom_method`.
//!
//! It says that nothing moves. Sequences, inverse consistency and reports take it as any other.

#![allow(clippy::print_stdout, reason = "an example prints")]

use veloxel::motion::{Found, MethodAccount};
use veloxel::{
    DenseMethod, Device, Grid, ImagePair, InverseConsistent, MotionError, Pair, PairMethod, PendingFlow,
    ResidentFlow, VeloxelError, Volume,
};

struct Still(Grid, Device);
impl DenseMethod for Still {
    fn grid(&self) -> &Grid {
        &self.0
    }
    fn device(&self) -> &Device {
        &self.1
    }
}

impl PairMethod for Still {
    fn estimate(&mut self, pair: ImagePair<'_>) -> Result<PendingFlow, MotionError> {
        pair.check(&self.0)?;
        let components_vox = self.1.zeros_field(self.0.dimension().count(), self.0.len())?;
        let flow = ResidentFlow { grid: self.0.clone(), components_vox };
        let confidence = self.1.zeros(self.0.len())?;
        let found = Found { flow, confidence, account: Box::new(MethodAccount::default()) };
        PendingFlow::new(&self.1, found, pair.region.measured())
    }
}

fn main() -> Result<(), VeloxelError> {
    let image = Volume::from_fn(Grid::image(64, 48)?, |[x, y, _]| (x * y) as f32);
    let still = Still(image.grid().clone(), Device::auto()?);
    let found = InverseConsistent::new(still).run(&Pair::new(&image, &image))?;
    println!("residual {:?} px", found.statistics.inverse_residual_vox);
    Ok(())
}
