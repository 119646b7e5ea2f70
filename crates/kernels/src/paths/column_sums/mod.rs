//! Sums of columns of distances, weighted by a table: `sums[column][j] = Σ_place D[place][column] · P[place][j]` over finite
//! distances, and the number of infinite ones.
//!
//! *Order*: 256 places at a time are added up in single precision, one after the other, and these parts in double precision
//! on the processor.
//! *Halo*: none.

mod cpu;

pub use cpu::{ColumnSums, sums_of_columns};
