//! How far a vector can be trusted: `c = t / (t + τ) · 1 / (1 + e² / h²)`, in [0, 1].
//!
//! e² is the square of the expected error, from [`super::expected_error`] and smoothed; at an error of h the confidence is
//! halved. t is the trace of the tensor, which measures the contrast: without contrast, or outside of mask and image, the
//! confidence is 0 however smooth the field is.
//! *In*: e²; a tensor from [`super::motion_tensor`], taken at the final field. *Halo*: none.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, packed, wgsl};
use crate::shared::Pack;
use crate::shared::{LINE, PACK1, PACK4};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static SOURCES: [ShaderSource; 2] = [
    wgsl!("confidence", Bindings, [LINE, PACK1], "confidence.wgsl"),
    wgsl!("confidence", Bindings, [LINE, PACK4], "confidence.wgsl"),
];

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Number of packs.
            count: u32,
            contrast: f32,
            per_half2: f32,
        },
        out: write Pack,
        /// The tensor's diagonal.
        j_xx: read Pack,
        j_yy: read Pack,
        j_zz: may_read Pack,
    }
}

/// Makes the confidence of every voxel from its expected error.
#[derive(Debug)]
pub struct Confidence<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// The trace τ at which the confidence halves because there is too little contrast; above 0.
    pub contrast: f32,
    /// The error h at which the confidence halves, edges.
    pub half_edges: f32,
    /// The diagonal of the tensor, an entry an axis.
    pub diagonal: &'a [&'a Buffer],
    /// The squared error e², edges², on input; the confidence c afterwards.
    pub error_to_confidence: &'a mut Buffer,
}

impl Kernel for Confidence<'_> {
    const NAME: &'static str = "confidence";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.count("diagonal", self.diagonal.len(), d..=d);
        for entry in self.diagonal {
            lengths.of("diagonal", entry, n);
        }
        lengths.of("error_to_confidence", self.error_to_confidence, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (n, nx) = (self.shape.len(), self.shape.size[0]);
        let (contrast, per_half2) = (self.contrast, 1.0 / (self.half_edges * self.half_edges));
        let diagonal: Vec<&[f32]> = self.diagonal.iter().map(|entry| entry.host()).collect();
        cpu.split_rows([self.error_to_confidence.host_mut()], nx, n, |row, [out]| {
            let entry = |c: usize| &diagonal[c][row * nx..][..nx];
            let (first, second) = (entry(0), entry(1));
            let third = (diagonal.len() == 3).then(|| entry(2));
            for (i, out) in out.iter_mut().enumerate() {
                let trace = first[i] + second[i] + third.map_or(0.0, |third| third[i]);
                *out = trace / (trace + contrast) / (1.0 + *out * per_half2);
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (source, pack) = packed(&SOURCES, self.shape.len());
        let items = self.shape.len() / pack;
        let per_half2 = 1.0 / (self.half_edges * self.half_edges);
        let block = Block { count: items, contrast: self.contrast, per_half2 };
        let (j_xx, j_yy, j_zz) = (self.diagonal[0], self.diagonal[1], self.diagonal.get(2).copied());
        gpu.launch_in(self.diagonal.len(), source, "confidence")
            .bind(&Bindings { block, out: self.error_to_confidence, j_xx, j_yy, j_zz })
            .run(line(items, 256))
    }
}
