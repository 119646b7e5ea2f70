//! Tests of each construct: a small WGSL source, and the text that its translation must contain. Where NVRTC is found,
//! every translation is compiled too. Where it is not, that is skipped with a reason; it is a failure if
//! VELOXEL_REQUIRE names `nvrtc`.

#![allow(clippy::unwrap_used, reason = "in a test every failure is one")]
#![allow(clippy::print_stdout, reason = "a test that compiles nothing says why")]

mod buffers;
mod control;
mod refusals;
mod values;

use std::sync::OnceLock;
use veloxel_gpu::nvrtc::{ComputeCapability, Nvrtc};
use wgsl_to_cuda::{CudaSource, LaunchExtent, translate as to_cuda};

fn nvrtc() -> Option<&'static Nvrtc> {
    static FOUND: OnceLock<Option<Nvrtc>> = OnceLock::new();
    let found = FOUND.get_or_init(|| match Nvrtc::find() {
        Ok(nvrtc) => Some(nvrtc),
        Err(error) => {
            let required = std::env::var("VELOXEL_REQUIRE").unwrap_or_default();
            assert!(!required.contains("nvrtc"), "{error}");
            println!("not compiled: {error}");
            None
        }
    });
    found.as_ref()
}

/// Translates the entry point `main`; NVRTC, where it is found, must compile it without a warning.
fn translate_with(wgsl: &str, constants: &[(&str, f64)]) -> CudaSource {
    let text = to_cuda(wgsl, "main", constants, LaunchExtent::Whole)
        .unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
    if let Some(nvrtc) = nvrtc() {
        let compiled = nvrtc
            .compile(&text.source, "main", ComputeCapability::new(9, 0))
            .unwrap_or_else(|error| panic!("{error}\n{}", kernel_of(&text)));
        assert_eq!(compiled.log, "", "{}", kernel_of(&text));
    }
    text
}

/// The translation without the prelude.
fn kernel_of(text: &CudaSource) -> String {
    let start = text.source.find("namespace kernel {").expect("every text has a kernel");
    text.source[start..].to_owned()
}

/// The translation of a whole source.
fn translate(wgsl: &str) -> String {
    kernel_of(&translate_with(wgsl, &[]))
}

/// The translation of a kernel with the statements `body`, which may use the buffers and the input declared here.
fn statements(body: &str) -> String {
    translate(&format!(
        "@group(0) @binding(0) var<storage, read_write> f: array<f32>;
         @group(0) @binding(1) var<storage, read_write> u: array<u32>;
         @group(0) @binding(2) var<storage, read_write> s: array<i32>;
         @group(0) @binding(3) var<storage, read_write> f4: array<vec4<f32>>;
         @group(0) @binding(4) var<storage, read> r: array<f32>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) t: u32) {{ {body} }}"
    ))
}

#[track_caller]
fn assert_has(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` should stand in\n{text}");
}

#[track_caller]
fn assert_lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "`{part}` should not stand in\n{text}");
}
