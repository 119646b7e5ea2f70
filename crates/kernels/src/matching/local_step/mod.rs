//! A step of dense Lucas-Kanade in pictures: the moving image is warped, every pixel's constraints are summed over windows, and
//! the increment that these agree on is added to the displacement. It is one kernel, because a launch of a GPU takes longer
//! than its part of a picture.
//!
//! *Paper*: B. D. Lucas, T. Kanade, IJCAI 1981; the constraints are those of [`crate::variational::motion_tensor`], of the images
//! and, with weight γ, of their derivatives; windows are boxes ([`crate::image::window_sum`]).
//! *In*: both images of a level, on one grid; the displacement, edges. *Out*: the displacement after the step, edges, and Σ |δ|
//! over the pixels. *Border*: as of the kernels that it is made of (its text for processors names them). *Halo*: r + 4 pixels,
//! and a gather.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::image::gradient::{Gradient, Scheme};
use crate::image::pointwise::{ClipLength, InPlace, Operation};
use crate::image::warp::{Border, Interpolation, VoxelAffine, Warp};
use crate::image::window_sum::WindowSum;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::matching::local_solve::LocalSolve;
use crate::shared::taps::Taps;
use crate::shared::{LATTICE, NAN};
use crate::variational::compose::{Compose, UpdateRule};
use crate::variational::motion_tensor::{Constraint, DataTerm, MotionTensor, tile};
use crate::variational::robust_tensor::{ConstraintGroup, RobustTensor};
use veloxel_core::{Axes, Dimension, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("local step", Bindings, [NAN, LATTICE], "local_step.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            size: vec4<u32>,
            /// Voxels an edge along x and y; the factor from a difference of sums to a derivative, along x and y.
            scales: vec4<f32>,
            /// The scale ζ² of the images and of their derivatives; weight of the latter; ridge.
            terms: vec4<f32>,
            /// How far the moving image reaches beyond its centres, pixels; the longest increment.
            limits: vec4<f32>,
        },
        fixed: read f32,
        moving: read f32,
        displacement[displacement_x, displacement_y]: read f32,
        out[out_x, out_y]: write f32,
    } -> sums: f32
}
/// Number of threads of a workgroup.
const THREADS: usize = 256;

/// Greatest half width of a window, pixels: larger windows do not fit the memory of a workgroup.
pub const MOST_RADIUS: usize = 3;
/// Number of buffers that the processor works in.
pub const CPU_BUFFERS: usize = 29;

/// The constraints and the window of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Half width of the window, pixels, 1 to [`MOST_RADIUS`].
    pub radius: usize,
    /// Scaling of brightness constancy.
    pub brightness: Constraint,
    /// Scaling of gradient constancy.
    pub gradients: Constraint,
    /// Weight γ of gradient constancy; 0 for none.
    pub gamma: f32,
    /// The ridge λ of [`super::local_solve::LocalSolve`].
    pub ridge: f32,
    /// Longest increment, edges.
    pub limit: f32,
}

/// Makes a step.
#[derive(Debug)]
pub struct LocalStep<'a> {
    /// Shape of every buffer; a picture of at least two pixels along each axis.
    pub shape: Shape,
    /// Pixel spacing in edges.
    pub spacing_edges: Axes<f32>,
    /// The constraints and the window.
    pub terms: Terms,
    /// The fixed image.
    pub fixed: &'a Buffer,
    /// The moving image.
    pub moving: &'a Buffer,
    /// The displacement before the step, edges.
    pub displacement: &'a [Buffer],
    /// The displacement after the step, edges.
    pub out: &'a mut [Buffer],
    /// The [`CPU_BUFFERS`] that the processor works in; a GPU needs none.
    pub memory: &'a mut [Buffer],
}

/// Whether a step is possible for this shape and half width.
pub fn is_supported(shape: Shape, radius: usize) -> bool {
    let is_picture = shape.dimension == Dimension::Two && shape.size[0] > 1 && shape.size[1] > 1;
    is_picture && (1..=MOST_RADIUS).contains(&radius)
}

impl Kernel for LocalStep<'_> {
    const NAME: &'static str = "local_step";
    /// The sum Σ |δ|, edges.
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths.count("axes", self.shape.components(), 2..=2);
        lengths.count("radius", self.terms.radius, 1..=MOST_RADIUS);
        lengths.of("fixed", self.fixed, n).of("moving", self.moving, n);
        lengths.field("displacement", self.displacement, 2, n).field("out", self.out, 2, n);
        lengths.count("memory", self.memory.len(), 0..=CPU_BUFFERS);
        for buffer in &*self.memory {
            lengths.of("memory", buffer, n);
        }
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        let Self { shape, spacing_edges, terms, fixed, moving, displacement, out, mut memory } = self;
        let mut take =
            |count: usize| memory.split_off_mut(..count).expect("the memory should hold every step");
        let (warped, of_fixed, of_warped) = (&mut take(1)[0], take(2), take(2));
        let (brightness, gradients) = (take(6), take(6));
        let (tensor, sums, increment) = (take(5), take(5), take(2));
        Warp {
            shape,
            moving_shape: shape,
            spacing_edges,
            interpolation: Interpolation::Linear,
            border: Border::Centres,
            moving_from_fixed: VoxelAffine::IDENTITY,
            cut: None,
            moving,
            displacement,
            out: warped,
        }
        .on_cpu(cpu);
        let scheme = Scheme::Central4;
        let term = |nth: usize, pairs: &[(&Buffer, &Buffer)], out: &mut [Buffer]| {
            let constraint = if nth == 0 { terms.brightness } else { terms.gradients };
            let term = DataTerm { shape, spacing_edges, scheme, constraint, pairs, weight: None };
            let alone = [0; 3].map(|_| Taps::gaussian(0.0, 1.0));
            MotionTensor { term, taps: &alone, out }.on_cpu(cpu);
        };
        term(0, &[(fixed, warped)], brightness);
        let mut groups = vec![ConstraintGroup { tensor: &*brightness, gain: 1.0 }];
        if terms.gamma > 0.0 {
            Gradient { shape, scheme, image: fixed, out: of_fixed }.on_cpu(cpu);
            Gradient { shape, scheme, image: warped, out: of_warped }.on_cpu(cpu);
            let pairs: Vec<_> = of_fixed.iter().zip(of_warped.iter()).collect();
            term(1, &pairs, gradients);
            groups.push(ConstraintGroup { tensor: gradients, gain: terms.gamma });
        }
        InPlace { operation: Operation::Fill(0.0), field: increment }.on_cpu(cpu);
        let epsilon = f32::MAX.sqrt();
        RobustTensor { shape, epsilon, groups: &groups, increment, out: tensor }.on_cpu(cpu);
        for (input, output) in tensor.iter().zip(&mut *sums) {
            WindowSum { shape, radius: [terms.radius; 3], input, output }.on_cpu(cpu);
        }
        LocalSolve { shape, ridge: terms.ridge, tensor: sums, increment }.on_cpu(cpu);
        let length = ClipLength { limit: terms.limit, field: increment }.on_cpu(cpu);
        Compose { shape, spacing_edges, update: UpdateRule::Add, displacement, increment }.on_cpu(cpu);
        increment.iter_mut().zip(out).for_each(|(increment, out)| std::mem::swap(increment, out));
        length
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        let Self { shape, spacing_edges, terms, fixed, moving, displacement, out, .. } = self;
        let [nx, ny, _] = shape.size;
        let [of_images, of_gradients] = [terms.brightness, terms.gradients].map(Constraint::zeta2);
        // The shader adds both images up.
        let per_difference = 1.0 / 24.0;
        let [x, y, _] = spacing_edges;
        let block = Block {
            size: [nx, ny].into(),
            scales: [1.0 / x, 1.0 / y, per_difference / x, per_difference / y].into(),
            terms: [of_images, of_gradients, terms.gamma, terms.ridge].into(),
            limits: [Border::Centres.reach_vox(), terms.limit].into(),
        };
        let [width, height] = tile(shape.len(), [8, 8]);
        gpu.launch(&SOURCE, "local_step")
            .constants([("WIDTH", width), ("HEIGHT", height), ("THREADS", THREADS), ("RADIUS", terms.radius)])
            .constant("GRADIENTS", terms.gamma > 0.0)
            .constant("NORMALISED", terms.brightness != Constraint::Plain)
            .bind(&Bindings { block, fixed, moving, displacement, out })
            .sums_of_groups([cover(nx, width), cover(ny, height), 1], |[sum]: [f64; 1]| sum)
    }
}
