//! Columns of distances in the order of elimination become rows in the order of nodes.
//!
//! *In*: `columns[place][column]`, the place of every node. *Out*: `rows[column][node] = columns[place_of[node]][column]`.
//! *Halo*: none.

mod cpu;

pub use cpu::rows_of_columns;
