//! The memory that [`Clg`](crate::Clg) works in: made once for the finest level, and lent to every level of every run.

use super::parameters::{ClgParams, MedianFilter, Penaliser, VolumeTerm};
use crate::multigrid::{Multigrid, Solver, Terms};
use crate::pyramid::LevelGeometry;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Field};

/// Which parts of the energy need memory.
#[derive(Debug, Clone, Copy)]
struct Needs {
    /// Motion tensors that are weighed apart: brightness, gradient.
    groups: usize,
    gradients: bool,
    /// The mean of the displacement, which is free once images match.
    mean: bool,
    /// A second copy of the field: Jacobi's, or the median's.
    spare: bool,
    /// ψ varies.
    diffusivity: bool,
    volume: bool,
    volume_change: bool,
    votes: bool,
    multigrid: bool,
}

impl Needs {
    fn of(params: &ClgParams, shape: Shape) -> Self {
        let (gradients, volume) = (params.gamma > 0.0, params.beta > 0.0);
        let by_groups = params.is_robust() || gradients;
        let votes = params.median == MedianFilter::NonLocal && shape.components() == 2;
        let median = votes || matches!(params.median, MedianFilter::Plain { .. });
        Self {
            groups: if by_groups { 1 + usize::from(gradients) } else { 0 },
            gradients,
            mean: params.alpha_mismatch > 0.0 && params.mean_matched > 0.0,
            spare: params.solver == Solver::Jacobi || median,
            diffusivity: params.smoothness_penaliser != Penaliser::Quadratic || params.kappa > 0.0,
            volume,
            volume_change: volume && params.volume == VolumeTerm::Jacobian,
            votes,
            multigrid: params.solver == Solver::Multigrid,
        }
    }
}

/// The memory of a level. Nothing is allocated inside its warps.
#[derive(Debug)]
pub(super) struct Workspace {
    pub warped: Buffer,
    /// Spatial entries, then the right-hand side.
    pub system: Field,
    /// Brightness, gradient: with tt, where weights depend on the solution.
    pub groups: Vec<Field>,
    /// Derivatives of the fixed image, and of the warped one.
    pub gradients: [Field; 2],
    pub increment: Field,
    pub mean: Option<Field>,
    pub spare: Option<Field>,
    pub diffusivity: Option<Buffer>,
    pub volume_weight: Option<Buffer>,
    pub volume_change: Option<Buffer>,
    pub votes: Option<Buffer>,
    pub multigrid: Option<Multigrid>,
}

impl Workspace {
    /// Memory for a level, and for every smaller one.
    pub fn new(device: &Device, params: &ClgParams, geometry: &LevelGeometry) -> Result<Self, ComputeError> {
        let shape = geometry.shape;
        let (n, d) = (shape.len(), shape.components());
        let needs = Needs::of(params, shape);
        let entries = shape.tensor_entries() + d;
        let volume = |wanted: bool| wanted.then(|| device.scratch(n)).transpose();
        let field = |wanted: bool| wanted.then(|| device.scratch_field(d, n)).transpose();
        let gradients = || device.scratch_field(if needs.gradients { d } else { 0 }, n);
        let terms = Terms { diffusivity: needs.diffusivity, volume: needs.volume };
        Ok(Self {
            mean: field(needs.mean)?,
            warped: device.scratch(n)?,
            system: device.scratch_field(entries, n)?,
            groups: (0..needs.groups)
                .map(|_| device.scratch_field(entries + 1, n))
                .collect::<Result<_, _>>()?,
            gradients: [gradients()?, gradients()?],
            increment: device.scratch_field(d, n)?,
            spare: field(needs.spare)?,
            diffusivity: volume(needs.diffusivity)?,
            volume_weight: volume(needs.volume)?,
            volume_change: volume(needs.volume_change)?,
            votes: volume(needs.votes)?,
            multigrid: (needs.multigrid)
                .then(|| Multigrid::new(device, shape, geometry.spacing_edges, terms))
                .transpose()?,
        })
    }

    /// Samples for every voxel of the finest level.
    pub fn samples_per_voxel(params: &ClgParams, geometry: &LevelGeometry) -> f64 {
        let (needs, d) = (Needs::of(params, geometry.shape), geometry.shape.components());
        let entries = geometry.shape.tensor_entries() + d;
        let fields = [true, needs.mean, needs.spare, needs.gradients, needs.gradients];
        let scalars = [true, needs.diffusivity, needs.volume, needs.volume_change, needs.votes];
        let count = |wanted: &[bool]| wanted.iter().filter(|wanted| **wanted).count();
        let own = count(&scalars) + d * count(&fields) + entries + needs.groups * (entries + 1);
        let terms = Terms { diffusivity: needs.diffusivity, volume: needs.volume };
        let coarser = match needs.multigrid {
            true => Multigrid::samples_per_voxel(geometry.shape, geometry.spacing_edges, terms),
            false => 0.0,
        };
        own as f64 + coarser
    }

    /// Lends the memory to a level, whatever is in it then.
    pub fn fit(&mut self, device: &Device, geometry: &LevelGeometry) -> Result<(), ComputeError> {
        let n = geometry.shape.len();
        let scalars =
            [&mut self.diffusivity, &mut self.volume_weight, &mut self.volume_change, &mut self.votes];
        let fields = [&mut self.mean, &mut self.spare].into_iter().flatten();
        let buffers = std::iter::once(&mut self.warped)
            .chain(scalars.into_iter().flatten())
            .chain(self.system.iter_mut())
            .chain(self.groups.iter_mut().flatten())
            .chain(self.gradients.iter_mut().flatten())
            .chain(self.increment.iter_mut())
            .chain(fields.flatten());
        for buffer in buffers {
            device.fit(buffer, n)?;
        }
        match &mut self.multigrid {
            Some(multigrid) => multigrid.fit(device, geometry.shape, geometry.spacing_edges),
            None => Ok(()),
        }
    }
}
