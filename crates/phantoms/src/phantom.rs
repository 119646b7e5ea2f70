//! An image pair whose displacement is known exactly.

use crate::centred::CentredFrame;
use crate::motions::motion::Motion;
use crate::noise::Noise;
use crate::textures::texture::Texture;
use veloxel_core::{Flow, Grid, Mask, Volume};

/// A pair of images, `fixed(x) = moving(x + d(x))` up to noise, with the truth and where to measure against
/// it.
#[derive(Debug, Clone, PartialEq)]
pub struct Phantom {
    /// The phantom's name, for messages: `rotation 3-D`.
    pub name: String,
    /// The fixed image.
    pub fixed: Volume<f32>,
    /// The moving image, same grid.
    pub moving: Volume<f32>,
    /// The exact displacement on the fixed grid; NaN where none is defined.
    pub truth: Flow,
    /// Voxels that are, and whose targets are, at least [`Self::MARGIN_VOX`] voxels away from the border.
    pub interior: Mask,
    /// Voxels of the fixed image where the motion keeps volumes exactly; `None` for motions without a muscle.
    pub muscle: Option<Mask>,
}

impl Phantom {
    /// Distance from the border at which a voxel counts as interior: farther than the reach of the
    /// derivatives and of the integration windows that the default parameters use.
    pub const MARGIN_VOX: f64 = 4.0;

    /// Evaluates a texture `T` twice: `moving(y) = T(y)` and `fixed(x) = T(x + d(x))`; nothing is
    /// interpolated.
    pub fn new(grid: &Grid, motion: &dyn Motion, texture: &dyn Texture, noise: Noise) -> Self {
        Self::of_textures(grid, motion, [texture; 2], noise)
    }

    /// A phantom as [`Self::new`] makes it, of a fixed and a moving texture that differ: what a material point shows has
    /// changed.
    pub fn of_textures(
        grid: &Grid,
        motion: &dyn Motion,
        [fixed_texture, moving_texture]: [&dyn Texture; 2],
        noise: Noise,
    ) -> Self {
        let frame = CentredFrame::new(grid);
        let mut truth = Flow::zeros(grid.clone());
        let mut fixed = Vec::with_capacity(grid.len());
        let mut moving = Vec::with_capacity(grid.len());
        let mut muscle = Vec::with_capacity(grid.len());
        for index in 0..grid.len() {
            let position_mm = frame.position_mm(index);
            let d_mm = motion.displacement_mm(position_mm);
            let target_mm = [0, 1, 2].map(|a| position_mm[a] + d_mm[a]);
            fixed.push((fixed_texture.intensity(target_mm) + noise.at(0, index)) as f32);
            moving.push((moving_texture.intensity(position_mm) + noise.at(1, index)) as f32);
            for (component, value) in truth.components_vox_mut().zip(frame.vector_vox(d_mm)) {
                component[index] = value as f32;
            }
            muscle.extend(motion.in_muscle(position_mm));
        }
        let volume = |data| Volume::new(grid.clone(), data).expect("one sample was made for every voxel");
        Self {
            name: String::new(),
            fixed: volume(fixed),
            moving: volume(moving),
            interior: interior(&truth, Self::MARGIN_VOX),
            truth,
            muscle: Volume::new(grid.clone(), muscle).ok(),
        }
    }

    /// This phantom under another name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The grid of both images.
    pub fn grid(&self) -> &Grid {
        self.fixed.grid()
    }
}

/// Voxels with a finite displacement that are, and whose targets are, at least `margin_vox` from the border.
///
/// Axes too short to hold the margin twice (a volume of few planes) ask for a quarter of their length
/// instead.
pub fn interior(flow: &Flow, margin_vox: f64) -> Mask {
    let grid = flow.grid();
    let axes = grid.dimension().count();
    let size = grid.size();
    Mask::from_fn(grid.clone(), |voxel| {
        let d = flow.vector_vox(grid.index(voxel));
        (0..axes).all(|a| {
            let last = size[a] as f64 - 1.0;
            let margin = margin_vox.min(last / 4.0);
            let within = |x: f64| x >= margin && x <= last - margin;
            // A comparison with NaN is false: undefined vectors are not interior.
            within(voxel[a] as f64) && within(voxel[a] as f64 + f64::from(d[a]))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motions::affine::Affine;
    use crate::textures::texture::SmoothTexture;

    #[test]
    fn a_whole_voxel_shift_is_a_shifted_copy() {
        let grid = Grid::volume(12, 11, 10).and_then(|g| g.with_spacing_mm([0.8, 1.0, 2.5])).unwrap();
        let frame = CentredFrame::new(&grid);
        let texture = SmoothTexture::new(&frame, 1);
        let p = Phantom::new(&grid, &Affine::shift_vox(&frame, [2.0, -1.0, 1.0]), &texture, Noise::None);
        for i in 0..grid.len() {
            let [x, y, z] = grid.position(i);
            if x + 2 < 12 && y >= 1 && z + 1 < 10 {
                assert!((p.fixed.data()[i] - p.moving.at([x + 2, y - 1, z + 1])).abs() < 1e-6);
            }
            for (got, expected) in p.truth.vector_vox(i).iter().zip([2.0, -1.0, 1.0]) {
                assert!((got - expected).abs() < 1e-6);
            }
        }
        assert!(p.muscle.is_none());
    }

    #[test]
    fn targets_outside_are_not_interior() {
        let grid = Grid::image(32, 32).unwrap();
        let frame = CentredFrame::new(&grid);
        let texture = SmoothTexture::new(&frame, 1);
        let p = Phantom::new(&grid, &Affine::shift_vox(&frame, [3.0, 0.0, 0.0]), &texture, Noise::None);
        let m = Phantom::MARGIN_VOX as usize;
        assert!(*p.interior.at([m, m, 0]) && *p.interior.at([31 - m - 3, 31 - m, 0]));
        assert!(!*p.interior.at([m - 1, m, 0]) && !*p.interior.at([31 - m - 2, m, 0]));
    }
}
