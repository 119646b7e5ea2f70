//! Local step control: where a lattice's motion would fold, its steps are shortened until it does not.
//!
//! A cell's determinant is bounded as `shared/cell_determinant.rs` says; cells that are sure not to fold get a large number. A
//! control point with a corner of a cell in its support whose bound is at most `least` goes half of its way back to where the
//! lattice began. Repeated calls end at the beginning, which does not fold, where nothing else helps.
//! *In*: the field at the pixels, in their voxels; the control points that the lattice began with. *Out*: the accepted set; the
//! bound of the cell after every pixel. *Border*: no cells.

mod cpu;

use super::gpu_block::{self, ELEMENTS, Lattice, Tables};
use super::lattice::Elements;
use super::state::STATE;
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::cell_determinant::limits;
use crate::shared::{CELL_DETERMINANT, LINE, SUM};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, reduction_groups};

static SOURCE: ShaderSource =
    wgsl!("unfolding", Bindings, [LINE, SUM, ELEMENTS, CELL_DETERMINANT], "unfolding.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            lattice: Lattice,
            /// Greatest determinant that counts as a fold, with the other limits of a cell's determinant.
            least: vec4<f32>,
        },
        tables: group Tables<'a>,
        field[field_x, field_y, field_z]: read f32,
        begin: may_read f32,
        determinant: write f32,
        controls: may_write f32,
        folds_of_groups: write f32,
    }
}

/// Shortens the steps of control points around folds by half.
#[derive(Debug)]
pub struct Unfolding<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// The [`super::state`] of the problems.
    pub state: &'a Buffer,
    /// The field d: planar components of all problems' pixels, voxels.
    pub field: &'a [Buffer],
    /// The control points at the beginning: one set.
    pub begin: &'a Buffer,
    /// Greatest determinant that counts as a fold.
    pub least: f32,
    /// The bound of the cell after every pixel.
    pub determinant: &'a mut Buffer,
    /// Number of cells that fold: a sum for each workgroup.
    pub folds: &'a mut Buffer,
    /// The control points P: two sets.
    pub controls: &'a mut Buffer,
}

impl Kernel for Unfolding<'_> {
    const NAME: &'static str = "unfolding";
    /// Whether a cell folded, if that is known at once.
    type Output = Option<bool>;

    fn check(&self, lengths: &mut Lengths) {
        let e = self.elements;
        let all = e.problems * e.unknowns();
        lengths.of("state", self.state, STATE * e.problems);
        lengths.field("field", self.field, e.components(), e.pixels());
        lengths.of("begin", self.begin, all).of("controls", self.controls, 2 * all);
        lengths.of("determinant", self.determinant, e.pixels());
        lengths.of("folds", self.folds, e.problems * reduction_groups(e.shape.len()));
    }
    fn on_cpu(self, cpu: &Cpu) -> Option<bool> {
        Some(by_dimension!(self.elements, cpu::unfold(cpu, self)))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Option<bool>, ComputeError> {
        let e = self.elements;
        let least = limits(self.least).into();
        let determinants = Bindings {
            block: Block { lattice: Lattice::without_smoothness(e), least },
            tables: Tables::of(e, self.state),
            field: self.field,
            begin: None,
            determinant: self.determinant,
            controls: None,
            folds_of_groups: self.folds,
        };
        gpu_block::launch(gpu, &SOURCE, "least_determinant", e)
            .bind(&determinants)
            .run(gpu_block::groups(e, e.shape.len()))?;
        let (begin, controls) = (Some(self.begin), Some(&*self.controls));
        gpu_block::launch(gpu, &SOURCE, "shorten", e)
            .bind(&Bindings { field: &[], begin, controls, ..determinants })
            .run(gpu_block::groups(e, e.unknowns()))?;
        Ok(None)
    }
}
