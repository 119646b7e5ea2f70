//! The picture of a shell: bright wall, dark inside, grey outside, all times a speckle pattern.

use crate::motion::smoothstep;
use crate::{BeatingShell, CentredFrame, SpeckleTexture, Texture};

/// A bright wall between two radii: what a [`BeatingShell`] looks like in the moving image.
#[derive(Debug, Clone, PartialEq)]
pub struct WallTexture {
    shell: BeatingShell,
    inner_mm: f64,
    outer_mm: f64,
    edge_mm: f64,
    speckle: SpeckleTexture,
}

impl WallTexture {
    const INSIDE: f64 = 0.15;
    const WALL: f64 = 0.85;
    const OUTSIDE: f64 = 0.40;

    /// The wall of a shell after its motion; edges are three voxels wide.
    pub fn new(frame: &CentredFrame, shell: BeatingShell, seed: u64) -> Self {
        let spacing = frame.grid().spacing_mm();
        let widest = spacing[..frame.grid().dimension().count()].iter().copied().fold(0.0, f64::max);
        Self {
            shell,
            inner_mm: shell.moved_radius_mm(shell.inner_mm),
            outer_mm: shell.moved_radius_mm(shell.outer_mm),
            edge_mm: 3.0 * widest,
            speckle: SpeckleTexture::new(frame, seed),
        }
    }
}

impl Texture for WallTexture {
    fn intensity(&self, position_mm: [f64; 3]) -> f64 {
        let r = self.shell.radius_mm(position_mm);
        let beyond = |radius_mm: f64| smoothstep((r - radius_mm) / self.edge_mm + 0.5);
        let tissue = Self::INSIDE
            + (Self::WALL - Self::INSIDE) * beyond(self.inner_mm)
            + (Self::OUTSIDE - Self::WALL) * beyond(self.outer_mm);
        tissue * (0.4 + 0.6 * self.speckle.intensity(position_mm))
    }
}
