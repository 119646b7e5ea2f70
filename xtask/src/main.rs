//! `cargo xtask check` and friends.
fn main() {}
