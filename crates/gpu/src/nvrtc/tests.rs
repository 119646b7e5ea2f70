//! Tests of the compiler.

mod needs_nvrtc;

mod opens {
    /// `cargo xtask test` learns from this one whether there is a compiler.
    #[test]
    fn nvrtc() {
        veloxel_testkit::every_device::here("nvrtc", super::super::Nvrtc::find());
    }
}
