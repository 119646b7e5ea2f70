//! Bindings, layouts, shared memory, atomics, inputs and constants.

use super::*;
use wgsl_to_cuda::Binding;

#[test]
fn a_kernel_takes_the_bindings_that_it_uses() {
    let text = translate_with(
        "struct Block { count: u32, pad: u32 }
         @group(0) @binding(3) var<uniform> block: Block;
         @group(0) @binding(1) var<storage, read> input: array<f32>;
         @group(0) @binding(2) var<storage, read_write> output: array<f32>;
         @group(0) @binding(7) var<storage, read> unused: array<f32>;
         @compute @workgroup_size(8, 4) fn other() { output[0] = unused[0]; }
         @compute @workgroup_size(8, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if (id.x < block.count) { output[id.x] = input[id.x]; }
         }",
        &[],
    );
    assert_eq!(text.entry, "main_2", "C++ has a `main` of its own");
    assert_eq!(text.workgroup_size, [8, 4, 1]);
    let expected = [
        Binding::Storage { binding: 1 },
        Binding::Storage { binding: 2 },
        Binding::Uniform { binding: 3, size: 8 },
    ];
    assert_eq!(text.bindings, expected);
    let kernel = kernel_of(&text);
    assert_has(
        &kernel,
        "__launch_bounds__(32, 16) main_2(const float* __restrict__ input, float* __restrict__ output, \
         const __grid_constant__ Block block) {",
    );
    assert_has(&kernel, "uint3{blockIdx.x * 8u + threadIdx.x, blockIdx.y * 4u + threadIdx.y, blockIdx.z};");
    assert_has(&kernel, "    if (id.x < block.count) {\n        output[id.x] = input[id.x];\n    }\n}\n");
    assert_lacks(&kernel, "unused");
}

#[test]
fn a_text_says_how_many_of_its_threads_should_fit_a_multiprocessor() {
    for (own, groups) in [("", 2), ("const RESIDENT_THREADS: u32 = 1536u;", 6)] {
        let wgsl = format!(
            "{own}
             @group(0) @binding(0) var<storage, read_write> output: array<f32>;
             @compute @workgroup_size(32, 8)
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{ output[id.x] = 0.0; }}"
        );
        assert_has(&translate(&wgsl), &format!("__launch_bounds__(256, {groups}) main_2("));
    }
}

/// NVRTC checks the assertions in the source.
#[test]
fn structs_have_the_layout_of_wgsl() {
    let kernel = translate(
        "struct Inner { a: vec3<f32>, b: f32, c: vec2<u32> }
         struct Block {
             one: f32, three: vec3<f32>, list: array<vec4<f32>, 3>, two: vec2<f32>, @align(16) far: u32,
             @size(12) wide: i32, inner: Inner, rows: array<Inner, 2>, last: vec3<u32>,
         }
         @group(0) @binding(0) var<uniform> block: Block;
         @group(0) @binding(1) var<storage, read_write> rows: array<Inner>;
         @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             var row = block.rows[id.x];
             row.a = row.a + block.inner.a + block.list[id.y].xyz;
             row.b = block.three[id.z] + block.one + block.two.y + f32(block.far) + f32(block.wide) + f32(block.last.y);
             rows[id.x] = row;
             rows[id.x + 1u] = Inner(vec3(1.0), 2.0, vec2(3u));
         }",
    );
    assert_has(&kernel, "    float one;\n    alignas(16) float3 three;\n    wgsl::Array<float4, 3> list;\n");
    assert_has(&kernel, "    float2 two;\n    uint padding_4_[2];\n    uint far;\n    int wide;\n");
    assert_has(&kernel, "sizeof(Inner) == 32 && WGSL_OFFSET(Inner, a) == 0");
    assert_has(&kernel, "WGSL_OFFSET(Inner, b) == 12 && WGSL_OFFSET(Inner, c) == 16");
    assert_has(&kernel, "rows[id.x + 1u] = Inner{");
    let padded = translate(
        "struct Wide { @size(16) a: f32, b: f32 }
         @group(0) @binding(0) var<storage, read_write> wide: array<Wide>;
         @compute @workgroup_size(1) fn main() { wide[1] = Wide(3.0, 4.0); }",
    );
    assert_has(
        &padded,
        "    float a;\n    uint padding_1_[3];\n    float b;\n};\nstatic_assert(sizeof(Wide) == 20",
    );
    assert_has(&padded, "wide[1] = Wide{3.0f, {}, 4.0f};");
}

#[test]
fn vectors_of_three_stand_sixteen_bytes_apart_in_arrays() {
    let kernel = translate(
        "@group(0) @binding(0) var<storage, read> input: array<vec3<f32>>;
         @group(0) @binding(1) var<storage, read_write> output: array<vec3<f32>>;
         var<workgroup> tile: array<vec3<f32>, 64>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) t: u32) {
             tile[t] = input[t];
             workgroupBarrier();
             let pair = array<vec3<f32>, 2>(input[t], vec3(f32(t)));
             output[t] = select(tile[t], input[t], t > 3u) + pair[t % 2u];
             output[t].y = 1.0;
             output[t][t % 3u] += input[t][t % 3u];
         }",
    );
    assert_has(&kernel, "const wgsl::Aligned<float3>* __restrict__ input");
    assert_has(&kernel, "__shared__ wgsl::Array<float3, 64> tile;");
    assert_has(&kernel, "wgsl::Array<wgsl::Aligned<float3>, 2>{{wgsl::Aligned<float3>(");
    assert_has(&kernel, "wgsl::lane_of(output[t], t % 3u) = ");
}

#[test]
fn a_buffer_need_not_be_a_list() {
    let kernel = translate(
        "struct State { sum: f32, parts: array<f32, 8> }
         @group(0) @binding(0) var<storage, read_write> state: State;
         @group(0) @binding(1) var<storage, read> scale: f32;
         @group(0) @binding(2) var<uniform> shift: vec4<f32>;
         fn scaled(x: f32) -> f32 { return x * scale + shift.w; }
         @compute @workgroup_size(1) fn main() {
             for (var i = 0; i < 8; i++) { state.sum += scaled(state.parts[i]); }
         }",
    );
    assert_has(
        &kernel,
        "State* __restrict__ state, const float* __restrict__ scale, const __grid_constant__ float4 shift)",
    );
    assert_has(&kernel, "scaled(const float x, const float* __restrict__ scale, const float4& shift) {");
    assert_has(&kernel, "return x * (*scale) + shift.w;");
    assert_has(&kernel, "(*state).sum = ");
}

#[test]
fn workgroups_share_memory_and_wait() {
    let kernel = translate(
        "var<workgroup> tile: array<array<f32, 18>, 6>;
         var<workgroup> total: f32;
         @group(0) @binding(0) var<storage, read_write> output: array<f32>;
         fn fill(t: u32) { tile[t / 18u][t % 18u] = f32(t); }
         @compute @workgroup_size(108) fn main(@builtin(local_invocation_index) t: u32) {
             fill(t);
             workgroupBarrier();
             if (t == 0u) { total = tile[0][0] + tile[5][17]; }
             output[t] = workgroupUniformLoad(&total) + tile[1][t];
         }",
    );
    assert_has(&kernel, "__shared__ wgsl::Array<wgsl::Array<float, 18>, 6> tile;\n__shared__ float total;\n");
    assert_has(&kernel, "    fill(t);\n    __syncthreads();\n");
    assert_eq!(kernel.matches("__syncthreads();").count(), 3);
    assert_has(&kernel, "float* __restrict__ output");
}

#[test]
fn buffers_that_threads_talk_through_are_not_alone() {
    let kernel = translate(
        "@group(0) @binding(0) var<storage, read_write> output: array<f32>;
         @group(0) @binding(1) var<storage, read> input: array<f32>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) t: u32) {
             output[t] = input[t];
             storageBarrier();
             workgroupBarrier();
             output[t + 64u] = output[63u - t];
         }",
    );
    assert_has(&kernel, "(float* output, const float* __restrict__ input)");
    assert_eq!(kernel.matches("__syncthreads();").count(), 1, "one wait is enough");
}

#[test]
fn atomics() {
    let kernel = translate(
        "struct Counters { seen: atomic<u32>, least: atomic<i32> }
         @group(0) @binding(0) var<storage, read_write> counters: Counters;
         @group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;
         var<workgroup> held: atomic<u32>;
         var<workgroup> many: array<atomic<i32>, 4>;
         @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) t: u32) {
             let old = atomicAdd(&counters.seen, 2u);
             atomicMin(&counters.least, -i32(t));
             atomicMax(&bins[old], t);
             atomicSub(&bins[t], 1u);
             atomicAnd(&held, t);
             atomicOr(&held, t);
             atomicXor(&held, t);
             let last = atomicExchange(&many[t % 4u], 7);
             let outcome = atomicCompareExchangeWeak(&bins[1], old, 5u);
             if (outcome.exchanged) { atomicStore(&held, outcome.old_value + u32(last)); }
             atomicStore(&bins[2], atomicLoad(&held) + atomicLoad(&bins[3]));
         }",
    );
    assert_has(&kernel, "(Counters* counters, uint* bins)");
    assert_has(&kernel, "const uint old = atomicAdd(&(*counters).seen, 2u);");
    for call in
        ["atomicMin(&", "atomicMax(&", "atomicSub(&", "atomicAnd(&held", "atomicOr(&held", "atomicXor(&held"]
    {
        assert_has(&kernel, call);
    }
    assert_has(&kernel, "const int last = atomicExch(&many[t % 4u], 7);");
    assert_has(&kernel, "= atomicCAS(&bins[1], expected, 5u);");
    assert_has(&kernel, "if (outcome.exchanged) {");
    assert_has(&kernel, "wgsl::atomic_store(bins[2], wgsl::atomic_load(held) + wgsl::atomic_load(bins[3]));");
}

#[test]
fn every_input() {
    let kernel = translate(
        "struct Place { @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32> }
         @group(0) @binding(0) var<storage, read_write> output: array<u32>;
         @compute @workgroup_size(4, 2, 3) fn main(place: Place, @builtin(local_invocation_id) id: vec3<u32>,
             @builtin(local_invocation_index) t: u32) {
             output[t] = place.group.x + place.groups.y + id.z;
         }",
    );
    assert_has(&kernel, "uint3{gridDim.x, gridDim.y, gridDim.z}");
    assert_has(&kernel, "const uint t = (threadIdx.z * 2u + threadIdx.y) * 4u + threadIdx.x;");
    assert_has(&kernel, "const uint3 id = uint3{threadIdx.x, threadIdx.y, threadIdx.z};");
}

#[test]
fn constants_are_chosen_by_the_caller() {
    let wgsl = "override RADIUS: u32 = 2u;
         override WIDTH: u32 = 16;
         override SCALE: f32;
         override FLAG: bool = false;
         const TAPS = array<f32, 3>(0.25, 0.5, 0.25);
         const AXIS = vec3<f32>(0.0, -1.0, 2.0);
         var<workgroup> tile: array<f32, WIDTH + 2u * RADIUS>;
         @group(0) @binding(0) var<storage, read_write> output: array<f32>;
         @compute @workgroup_size(WIDTH) fn main(@builtin(local_invocation_index) t: u32) {
             tile[t + RADIUS] = SCALE * TAPS[t % 3u] + AXIS[t % 3u];
             workgroupBarrier();
             if (FLAG) { output[t] = tile[t]; } else { output[t] = 0.0; }
         }";
    let text = translate_with(wgsl, &[("WIDTH", 32.0), ("SCALE", 0.5), ("FLAG", 1.0)]);
    assert_eq!(text.workgroup_size, [32, 1, 1]);
    let kernel = kernel_of(&text);
    assert_has(&kernel, "wgsl::Array<float, 36> tile;");
    assert_has(
        &kernel,
        "constexpr wgsl::Array<float, 3> TAPS = wgsl::Array<float, 3>{{0.25f, 0.5f, 0.25f}};",
    );
    assert_has(&kernel, "constexpr float3 AXIS = float3{0.0f, -1.0f, 2.0f};");
    assert_has(&kernel, "    __syncthreads();\n    output[t] = tile[t];\n}\n");
    let unknown =
        to_cuda(wgsl, "main", &[("SCALE", 1.0), ("NONE", 1.0)], LaunchExtent::Whole).unwrap_err().to_string();
    assert!(unknown.contains("override constants") && unknown.contains("NONE"), "{unknown}");
    let missing = to_cuda(wgsl, "main", &[], LaunchExtent::Whole).unwrap_err().to_string();
    assert!(missing.contains("SCALE"), "{missing}");
}

#[test]
fn a_part_of_the_workgroups_counts_from_its_first() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(8, 1) fn main(
            @builtin(global_invocation_id) id: vec3<u32>,
            @builtin(workgroup_id) group: vec3<u32>,
            @builtin(num_workgroups) groups: vec3<u32>,
        ) { out[id.x] = group.y * groups.x; }";
    let text = to_cuda(wgsl, "main", &[], LaunchExtent::Part).unwrap();
    let kernel = kernel_of(&text);
    for part in [
        "uint* __restrict__ out, const __grid_constant__ wgsl::Part wgsl_part)",
        "uint3{(wgsl_part.first.x + blockIdx.x) * 8u + threadIdx.x, (wgsl_part.first.y + blockIdx.y),",
        "= wgsl_part.all;",
    ] {
        assert_has(&kernel, part);
    }
    assert_eq!(text.bindings.len(), 1);
    assert_eq!(size_of::<wgsl_to_cuda::LaunchPart>(), 24);
}
