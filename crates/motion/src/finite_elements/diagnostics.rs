//! What [`FiniteElements`](crate::FiniteElements) says of a lattice.

use crate::steps::level_account::LevelDiagnostics;
use serde::Serialize;
use veloxel_core::DiagnosticCell;
use veloxel_gpu::{Buffer, Later};
use veloxel_kernels::elements::lattice::Elements;
use veloxel_kernels::elements::state::{ENERGY, FIRST_ENERGY, REFUSED, SMOOTHNESS, STATE, TAKEN};

/// The descent on a lattice; energies and steps are means over the problems.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Descent {
    /// Elements per axis; 0: the axis does not count.
    elements: [usize; 3],
    /// Image pairs that were worked on together.
    problems: usize,
    /// Energy before the first step, and after the last.
    energy: [f64; 2],
    /// The Sobolev term's part of the latter.
    smoothness: f64,
    /// Steps that lowered the energy.
    taken: f64,
    /// Steps that would have raised it.
    refused: f64,
}

impl Descent {
    /// On a lattice, by the last state of every problem.
    pub fn of(lattice: &Elements, state: Buffer) -> Later<Self> {
        let (elements, problems) = (lattice.elements, lattice.problems);
        Later::on_device(state, move |state: &[f32]| {
            let mean = |which: usize| {
                let sum: f64 = state.chunks_exact(STATE).map(|own| f64::from(own[which])).sum();
                sum / problems as f64
            };
            Self {
                elements,
                problems,
                energy: [mean(FIRST_ENERGY), mean(ENERGY)],
                smoothness: mean(SMOOTHNESS),
                // The first evaluation is no step.
                taken: mean(TAKEN) - 1.0,
                refused: mean(REFUSED),
            }
        })
    }
}

impl LevelDiagnostics for Descent {
    const COLUMNS: &[&'static str] = &["elements", "steps", "refused", "energy before", "after"];

    fn cells(&self) -> Vec<DiagnosticCell> {
        vec![
            DiagnosticCell::Size(self.elements),
            DiagnosticCell::Number(self.taken),
            DiagnosticCell::Number(self.refused),
            DiagnosticCell::Number(self.energy[0]),
            DiagnosticCell::Number(self.energy[1]),
        ]
    }
}
