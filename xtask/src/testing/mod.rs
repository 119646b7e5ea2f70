//! Runs tests: their programs, what they need, and which have not changed since they passed.

mod needs;
mod programs;
pub mod runner;
mod unchanged;
