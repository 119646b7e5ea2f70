//! Tests of NVRTC.

mod needs_nvrtc;

mod opens {
    /// `cargo xtask test` uses this test to find out whether NVRTC is present.
    #[test]
    fn nvrtc() {
        veloxel_testkit::every_device::here("nvrtc", super::super::Nvrtc::find());
    }
}
