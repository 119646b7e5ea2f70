//! Construct by construct: a small WGSL text, and what must stand in its translation.

use super::{Binding, write};

#[test]
fn a_kernel_hands_over_what_it_uses() {
    let text = write(
        "struct Block { count: u32 }
         @group(0) @binding(3) var<uniform> block: Block;
         @group(0) @binding(1) var<storage, read> input: array<f32>;
         @group(0) @binding(2) var<storage, read_write> output: array<f32>;
         @group(0) @binding(7) var<storage, read> unused: array<f32>;
         @compute @workgroup_size(8, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if (id.x < block.count) { output[id.x] = input[id.x]; }
         }",
        "main",
        &[],
    )
    .unwrap();
    assert_eq!(text.entry, "main_2");
    assert_eq!(text.workgroup_size, [8, 4, 1]);
    assert_eq!(
        text.bindings,
        [
            Binding::Storage { binding: 1 },
            Binding::Storage { binding: 2 },
            Binding::Uniform { binding: 3, size: 4 }
        ]
    );
}
