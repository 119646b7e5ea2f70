// The solution of a symmetric system of four unknowns for three right-hand sides; the same as cpu.rs. Needs model.wgsl.

// The upper triangle, row by row.
struct Rows {
    a: vec4<f32>,
    b: vec4<f32>,
    c: vec4<f32>,
    d: vec4<f32>,
}

struct Factors {
    // l10, l20, l30; l21, l31, l32.
    first: vec3<f32>,
    others: vec3<f32>,
    // One over the diagonal.
    inverse: vec4<f32>,
}

fn factors_of(n: Rows) -> Factors {
    let r0 = 1.0 / n.a.x;
    let first = n.a.yzw * r0;
    let r1 = 1.0 / (n.b.y - first.x * n.a.y);
    let e2 = n.b.z - first.x * n.a.z;
    let e3 = n.b.w - first.x * n.a.w;
    let l21 = e2 * r1;
    let l31 = e3 * r1;
    var d2 = n.c.z - first.y * n.a.z;
    d2 = d2 - l21 * e2;
    let r2 = 1.0 / d2;
    var f3 = n.c.w - first.y * n.a.w;
    f3 = f3 - l21 * e3;
    let l32 = f3 * r2;
    var d3 = n.d.w - first.z * n.a.w;
    d3 = d3 - l31 * e3;
    d3 = d3 - l32 * f3;
    return Factors(first, vec3<f32>(l21, l31, l32), vec4<f32>(r0, r1, r2, 1.0 / d3));
}

fn solved(f: Factors, b: vec4<f32>) -> vec4<f32> {
    let y1 = b.y - f.first.x * b.x;
    var y2 = b.z - f.first.y * b.x;
    y2 = y2 - f.others.x * y1;
    var y3 = b.w - f.first.z * b.x;
    y3 = y3 - f.others.y * y1;
    y3 = y3 - f.others.z * y2;
    let x3 = y3 * f.inverse.w;
    var x2 = y2 * f.inverse.z;
    x2 = x2 - f.others.z * x3;
    var x1 = y1 * f.inverse.y;
    x1 = x1 - f.others.x * x2;
    x1 = x1 - f.others.y * x3;
    var x0 = b.x * f.inverse.x;
    x0 = x0 - f.first.x * x1;
    x0 = x0 - f.first.y * x2;
    x0 = x0 - f.first.z * x3;
    return vec4<f32>(x0, x1, x2, x3);
}
