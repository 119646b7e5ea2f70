//! Operators, conversions, built-in functions, names.

use super::*;

#[test]
fn operators_of_numbers() {
    let kernel = statements(
        "f[t] = (f[0] + f[1]) * f[2] - f[3] / (f[4] - f[5]) % f[6];
         s[t] = -s[0] + (s[1] * -3 - s[2]) / s[3] % s[4];
         u[t] = ((u[0] & u[1]) | (u[2] ^ ~u[3])) + (u[4] << u[5]) + (u[6] >> 3u);
         s[1] = (s[5] >> u[1]) + min(s[1], -2147483648);",
    );
    assert_has(&kernel, "f[t] = (f[0] + f[1]) * f[2] - wgsl::remainder(f[3] / (f[4] - f[5]), f[6]);");
    assert_has(&kernel, "s[t] = (-s[0]) + (s[1] * (-3) - s[2]) / s[3] % s[4];");
    assert_has(&kernel, "u[t] = ((u[0] & u[1]) | (u[2] ^ (~u[3]))) + (u[4] << (u[5] & 31u)) + (u[6] >> 3u);");
    assert_has(&kernel, "s[1] = (s[5] >> (u[1] & 31u)) + wgsl::min(s[1], (-2147483647 - 1));");
}

#[test]
fn comparisons_see_nan() {
    let kernel = statements(
        "let x = r[t];
         let unknown = x != x;
         if (unknown || !(x <= 1.0)) { f[t] = 0.0; }
         let both = (x > 0.5) & (x < 0.7) | unknown;
         f[1] = select(1.0, 2.0, both == unknown);",
    );
    assert_has(&kernel, "const bool unknown = x != x;");
    assert_has(&kernel, "!(x <= 1.0f)");
    assert_has(&kernel, "((x > 0.5f) && (x < 0.7f)) || unknown");
    assert_has(&kernel, " ? 2.0f : 1.0f;");
}

#[test]
fn operators_of_vectors() {
    let kernel = statements(
        "let a = f4[t]; let b = f4[t + 1u]; let n = vec3<i32>(s[0], s[1], s[2]); let m = vec3<u32>(u[0], u[1], u[2]);
         var sum = a * b + 2.0 * a - b / 3.0 + -a % b;
         sum += vec4(a.xy, b.zw).wzyx + vec4(f[0]);
         sum.y = sum[t % 4u];
         sum[s[0]] = 4.0;
         let less = (a < b) & (a.wzyx >= b) | (a == b);
         f4[t] = select(sum, a, less) + select(a, b, t > 1u);
         let q = (n * 2 / n % vec3(3)) + -n + (n << m) + (~n >> vec3(1u)) + vec3<i32>(n < n.zyx);
         let k = (m & m.yzx | m ^ m) % (m / 2u);
         if (all(less) && any(n > vec3(1)) && all(!(m != k))) { s[t] = dot(q, n) + i32(k.x); }
         let v2 = a.xz + b.yw; f[0] = v2.x * v2.y;",
    );
    assert_has(&kernel, "sum = a * b + 2.0f * a - b / wgsl::splat4(3.0f) + wgsl::remainder(-a, b);");
    assert_has(&kernel, "float4{a.w, a.z, a.y, a.x} >= b");
    assert_has(&kernel, "sum.y = wgsl::lane(sum, t % 4u);");
    assert_has(&kernel, "wgsl::lane_of(sum, ");
    assert_has(&kernel, "const wgsl::bool4 less = ");
    assert_has(&kernel, "wgsl::select(less, a, sum)");
}

#[test]
fn functions_of_floats() {
    let one = "abs floor ceil round trunc fract sign saturate sqrt inverseSqrt exp exp2 log log2 sin cos tan asin acos \
               atan sinh cosh tanh radians degrees quantizeToF16";
    for vector in ["f4[t].x", "f4[t].xyz"] {
        let calls: String = one.split_whitespace().map(|name| format!("y += {name}(x);")).collect();
        let more = "y += min(x, y) + max(x, y) + pow(x, y) + atan2(x, y) + step(x, y) + clamp(x, y, x) + fma(x, y, x);
                    y += mix(x, y, x) + smoothstep(x, y, y);";
        let vectors = "y += mix(x, y, 0.5) + normalize(x); f[1] = dot(x, y) + length(x) + distance(x, y);";
        let only = if vector.ends_with(".x") { "f[1] = length(x);" } else { vectors };
        let kernel =
            statements(&format!("let x = {vector}; var y = x; {calls} {more} {only} f[0] = length(y);"));
        for name in one.split_whitespace() {
            assert_has(&kernel, &format!("wgsl::{name}(x)"));
        }
    }
    assert_has(&statements("f4[0] = vec4(cross(f4[1].xyz, f4[2].xyz), 1.0);"), "wgsl::cross(float3{");
}

#[test]
fn functions_of_integers() {
    let one =
        "abs countOneBits reverseBits countLeadingZeros countTrailingZeros firstTrailingBit firstLeadingBit";
    for (kind, value) in [("i32", "s[t]"), ("u32", "u[t]")] {
        let calls: String =
            one.split_whitespace().map(|name| format!("y += {name}(x) + {name}(v).y;")).collect();
        let kernel = statements(&format!(
            "let x = {value}; let v = vec3<{kind}>(x); var y = x; {calls}
             y += min(x, y) + max(x, y) + clamp(x, y, x) + max(v, v).x + extractBits(x, 3u, 5u) + dot(v, v);
             f[t] = f32(y);"
        ));
        assert_has(&kernel, "wgsl::firstLeadingBit(x)");
    }
    statements("s[t] = sign(s[0]);");
}

#[test]
fn conversions_and_bits() {
    let kernel = statements(
        "s[t] = i32(f[t]) + i32(u[t]) + i32(f[0] > 1.0) + bitcast<i32>(f[1]);
         u[t] = u32(f[t]) + u32(s[t]) + bitcast<u32>(f[1]);
         f[t] = f32(s[t]) + f32(u[t]) + f32(bool(u[0])) + bitcast<f32>(0x3f800000u + u[1]);
         let v = vec4<i32>(f4[t]) + bitcast<vec4<i32>>(f4[0]);
         f4[t] = vec4<f32>(v) + bitcast<vec4<f32>>(v) + vec4<f32>(vec4<u32>(v)) + vec4<f32>(vec4<bool>(v));
         u[2] = pack2x16float(f4[t].xy);
         let half = unpack2x16float(u[2]);
         f[3] = half.x + half.y;",
    );
    assert_has(
        &kernel,
        "wgsl::to_int(f[t]) + wgsl::to_int(u[t]) + wgsl::to_int(f[0] > 1.0f) + wgsl::bits_as_int(f[1]);",
    );
    assert_has(&kernel, "wgsl::to_float(wgsl::to_bool(u[0]))");
    assert_has(&kernel, "const float2 half = wgsl::unpack2x16float(u[2]);");
}

#[test]
fn names_of_cpp_and_cuda_are_left_to_them() {
    let kernel = translate(
        "struct int { double: f32, class_: u32 }
         const uint = 3u;
         @group(0) @binding(0) var<storage, read_write> float: array<int>;
         fn erf(x: f32) -> f32 { return x; }
         fn min3(float4: f32, threadIdx: f32) -> f32 { return min(float4, threadIdx); }
         fn norm(x: vec3<f32>) -> f32 { return x.x; }
         @compute @workgroup_size(1) fn main() {
             var long = erf(1.0);
             let e1 = min3(long, norm(vec3(long)));
             let größe = e1 + 1.0; let a__x_ = größe * größe;
             float[uint].double = a__x_ + a__x_;
         }",
    );
    for part in [
        "struct int_2 {",
        "float double_2;",
        "int_2* __restrict__ float_2",
        "float long_2",
        "WGSL_FN float erf(",
    ] {
        assert_has(&kernel, part);
    }
}

#[test]
fn reads_stay_before_the_writes_that_follow_them() {
    let kernel = statements(
        "let a = f[t]; let b = r[t];
         f[t] = f[t + 1u];
         f[t + 1u] = a + b;
         var x = 1.0; var y = 2.0;
         let old = x; x = y; y = old + f[0] * 2.0;
         var z = (x + y) * 2.0;
         x = z;
         let p = &f[u[t]];
         u[t] = 0u;
         *p = x + y;",
    );
    assert_has(
        &kernel,
        "const float a = f[t];\n    const float b = r[t];\n    f[t] = f[t + 1u];\n    f[t + 1u] = a + b;\n",
    );
    assert_has(&kernel, "const float old = x;\n    x = y;\n    y = old + f[0] * 2.0f;\n");
    let (read, write) = (kernel.find(" = u[t];").unwrap(), kernel.find("u[t] = 0u;").unwrap());
    assert!(read < write, "{kernel}");
}
