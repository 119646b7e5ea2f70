//! Constructs that are not translated: the error names the construct and its line.

use super::*;

fn refusal(wgsl: &str) -> String {
    to_cuda(wgsl, "main", &[], LaunchExtent::Whole).unwrap_err().to_string()
}

#[test]
fn constructs_outside_the_subset_are_named_with_their_line() {
    let buffers = "@group(0) @binding(0) var<storage, read_write> f: array<f32>;\n";
    let kernel = |body: &str| format!("{buffers}@compute @workgroup_size(1) fn main() {{\n{body}\n}}");
    let cases = [
        (kernel("f[0] = f32(arrayLength(&f));"), "line 3: arrayLength()"),
        (kernel("f[0] = ldexp(f[1], 2);"), "line 3: the function Ldexp"),
        (
            format!(
                "var<workgroup> w: array<vec3<f32>, 2>;\n{}",
                kernel("let all = w;\n f[0] = all[0].x + all[1].y;")
            ),
            "line 4: a copy of a whole array",
        ),
        (kernel("let m = mat2x2<f32>(f[0], f[1], f[2], f[3]);\n f[0] = (m * vec2(f[4])).x;"), "a matrix"),
        (
            format!("var<private> held: f32;\n{}", kernel("held = 1.0; f[0] = held;")),
            "line 1: a variable in Private",
        ),
        (kernel("f[0] = 1.0;").replace("group(0)", "group(2)"), "line 1: a binding outside group 0"),
        (
            format!(
                "struct S {{ n: u32, rest: array<f32> }}\n@group(0) @binding(1) var<storage, read_write> s: S;\n{}",
                kernel("s.rest[0] = f[0];")
            ),
            "an array without a fixed length",
        ),
    ];
    for (wgsl, part) in cases {
        let message = refusal(&wgsl);
        assert!(message.contains(part) && message.contains("no translation to CUDA"), "{message}\n{wgsl}");
    }
}

#[test]
fn what_is_no_wgsl_says_so() {
    let cases = [
        ("fn main() {\n let x = ;\n}", "WGSL, line 2: "),
        ("@compute @workgroup_size(1) fn main() {\n let x: f32 = 1u;\n}", "WGSL, line 2: "),
        ("@compute @workgroup_size(1) fn other() {}", "no compute entry point `main`"),
        (
            "@group(0) @binding(0) var<storage, read> f: array<f32>;\n\
             @compute @workgroup_size(1) fn main() { f[0] = 1.0; }",
            "WGSL, line 2: ",
        ),
    ];
    for (wgsl, part) in cases {
        let message = refusal(wgsl);
        assert!(message.contains(part), "{message}\n{wgsl}");
    }
}
