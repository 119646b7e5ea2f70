//! Branches, loops, functions.

use super::*;

#[test]
fn choices() {
    let kernel = statements(
        "if (t < 3u) { f[0] = 1.0; } else if (t < 5u) { f[1] = 1.0; } else { f[2] = 1.0; }
         switch (t % 5u) {
             case 0u: { f[3] = 0.0; }
             case 1u, 2u: { if (f[4] > 1.0) { break; } f[4] = 0.0; }
             case 3u: { return; }
             default: { f[5] = 0.0; }
         }
         switch (s[t]) { case -1, default: { f[6] = 1.0; } case 4: { f[7] = 1.0; } }",
    );
    assert_has(
        &kernel,
        "switch (t % 5u) {\n        case 0u: {\n            f[3] = 0.0f;\n            break;\n        }\n",
    );
    assert_has(&kernel, "        case 1u:\n        case 2u: {\n");
    assert_has(&kernel, "        case -1:\n        default: {\n");
    assert_has(&kernel, "} else {\n");
}

#[test]
fn loops_that_count_are_loops_that_count() {
    let kernel = statements(
        "var sum = 0.0;
         for (var i = t; i < u[0]; i += 64u) { if (i == 7u) { continue; } sum += r[i]; if (sum > 9.0) { break; } }
         while (sum > 1.0) { sum = sum * 0.5; }
         for (var half = 32u; half > 0u; half = half >> 1u) { sum += 1.0; }
         f[t] = sum;",
    );
    assert_has(
        &kernel,
        "for (; i < u[0]; i = i + 64u) {\n        if (i == 7u) {\n            continue;\n        }\n",
    );
    assert_has(&kernel, "while (sum > 1.0f) {\n        sum = sum * 0.5f;\n    }\n");
    assert_has(&kernel, "for (; half > 0u; half = half >> 1u) {");
    assert_lacks(&kernel, "#pragma unroll");
}

#[test]
fn short_loops_are_unrolled() {
    let body = "var taps = array<f32, 5>();
         for (var i = 0u; i < 5u; i++) { taps[i] = r[t + i]; }
         var sum = 0.0;
         for (var y = -1; y <= 1; y++) { for (var x = -1; x <= 1; x++) { sum += taps[y + 1] * taps[x + 2]; } }
         for (var k = 0; k < 100; k++) { sum += 1.0; }
         f[t] = sum;";
    let kernel = statements(body);
    assert_eq!(kernel.matches("#pragma unroll\n").count(), 3, "{kernel}");
    assert_has(&kernel, "    #pragma unroll\n    for (; i < 5u; i = i + 1u) {\n");
    assert_has(&kernel, "    for (; k < 100; k = k + 1) {\n");
    let of_constant = translate_with(
        "override RADIUS: i32 = 3;
         @group(0) @binding(0) var<storage, read_write> f: array<f32>;
         @compute @workgroup_size(1) fn main() { for (var i = -RADIUS; i <= RADIUS; i++) { f[0] += f[i]; } }",
        &[("RADIUS", 2.0)],
    );
    assert_has(&of_constant.source, "#pragma unroll");
}

#[test]
fn loops_of_every_shape() {
    let kernel = statements(
        "var i = 0u; var sum = 0.0;
         loop { if (i > 9u) { break; } sum += f[i]; continuing { i += 1u; break if i == u[2]; } }
         loop { i += 1u; if (i == 20u) { continue; } if (i > 30u) { break; } sum += 1.0;
                continuing { u[i] = i; sum = sum * 0.5; } }
         loop { let last = f[i]; sum += last; i += 1u; continuing { u[i] = 1u; break if last > 1.0; } }
         loop { i += 1u; switch (i) { case 3u: { continue; } case 4u: { break; } default: { sum += 1.0; } }
                if (i > 50u) { break; } continuing { sum += f[i]; i += 1u; } }
         for (;;) { i += 1u; if (i > 60u) { return; } }",
    );
    assert_has(&kernel, "if (i == u[2]) break;");
    assert_has(&kernel, "goto next;");
    assert_has(&kernel, "        }\n        next:;\n");
    assert_has(&kernel, "if (last > 1.0f) break;");
    assert_eq!(kernel.matches("goto ").count(), 2);
}

#[test]
fn functions_take_values_pointers_and_buffers() {
    let kernel = translate(
        "struct Pair { low: f32, high: vec3<f32> }
         @group(0) @binding(1) var<storage, read_write> output: array<f32>;
         @group(0) @binding(0) var<storage, read> input: array<f32>;
         fn unused(x: f32) -> f32 { return x * output[0]; }
         fn load(i: u32) -> f32 { return input[i]; }
         fn gather(i: u32) -> array<f32, 3> { return array<f32, 3>(load(i), load(i + 1u), 0.0); }
         fn order(values: ptr<function, array<f32, 3>>, count: ptr<function, u32>) {
             if ((*values)[0] > (*values)[1]) {
                 let held = (*values)[0]; (*values)[0] = (*values)[1]; (*values)[1] = held;
                 *count += 1u;
             }
         }
         fn deeper(values: ptr<function, array<f32, 3>>, count: ptr<function, u32>) { order(values, count); }
         fn pair(x: f32) -> Pair { return Pair(x, vec3(x)); }
         @compute @workgroup_size(1) fn main() {
             var values = gather(3u);
             var count: u32;
             deeper(&values, &count);
             var both = pair(values[2]);
             both.high.z += 1.0;
             let copy = both;
             load(9u);
             output[count] = values[0] + copy.high.z + pair(1.0).low;
         }",
    );
    assert_has(
        &kernel,
        "WGSL_FN wgsl::Array<float, 3> gather(const uint i, const float* __restrict__ input) {",
    );
    assert_has(&kernel, "order(wgsl::Array<float, 3>& values, uint& count) {");
    assert_has(&kernel, "order(values, count);");
    assert_has(&kernel, "deeper(values, count);");
    assert_has(&kernel, "gather(3u, input);");
    assert_has(&kernel, "    uint count = {};\n");
    assert_has(&kernel, "main_2(const float* __restrict__ input, float* __restrict__ output) {");
    assert_lacks(&kernel, "unused");
}
