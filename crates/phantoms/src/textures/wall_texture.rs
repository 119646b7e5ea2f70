//! The picture of a shell: bright wall, dark inside, grey outside, all times a speckle pattern.

use crate::centred::CentredFrame;
use crate::motions::motion::smoothstep;
use crate::motions::shell::BeatingShell;
use crate::textures::texture::{SpeckleTexture, Texture};

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

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn the_wall_is_bright_between_its_moved_radii() {
        let frame = CentredFrame::new(&Grid::image(64, 64).unwrap());
        let shell = BeatingShell::circle(14.0, 24.0, 11.0);
        let texture = WallTexture::new(&frame, shell, 3);
        // The mean over a circle takes out the speckle.
        let ring = |r: f64| {
            let at = |k: i32| {
                let (s, c) = (f64::from(k) / 200.0 * std::f64::consts::TAU).sin_cos();
                texture.intensity([r * c, r * s, 0.0])
            };
            (0..200).map(at).sum::<f64>() / 200.0
        };
        assert!(ring(13.0) > 3.0 * ring(9.0), "11 is the inner radius after the motion");
        assert!(ring(20.0) > 1.5 * ring(28.0) && ring(28.0) > 1.5 * ring(6.0));
    }
}
