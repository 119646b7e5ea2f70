// The stencil, and the solution of a voxel's linear system, for a pack of voxels. These functions take values only and
// access no buffer: every shader of the operator uses them, gauss_seidel_fused.cu too. Needs COMPONENTS and TENSOR.
// Sums are added from left to right, as in the CPU kernel, so that both give the same bits.

const LEAST: f32 = 1.17549435e-38;

// One pack per component; the third is 0 in 2-D.
struct Three {
    a: Pack,
    b: Pack,
    c: Pack,
}

// Entries 11, 12, 13, 22, 23, 33 of a symmetric 3 × 3 matrix per voxel; in 2-D those with index 3 are 0.
struct Symmetric {
    m0: Pack,
    m1: Pack,
    m2: Pack,
    m3: Pack,
    m4: Pack,
    m5: Pack,
}

// The neighbours of a pack at y − 1, y + 1, z − 1, z + 1.
struct Across {
    front: Three,
    back: Three,
    below: Three,
    above: Three,
}

fn spring_if(condition: bool, value: f32) -> f32 {
    return select(0.0, value, condition);
}

fn add_scaled(sum: Three, weight: f32, x: Three) -> Three {
    return Three(sum.a + weight * x.a, sum.b + weight * x.b, sum.c + weight * x.c);
}

// rhs + Σ spring · neighbour, over the neighbours along y and z.
fn add_across(rhs: Three, springs: vec4<f32>, x: Across) -> Three {
    let sum = add_scaled(add_scaled(rhs, springs.x, x.front), springs.y, x.back);
    if (COMPONENTS == 3u) {
        return add_scaled(add_scaled(sum, springs.z, x.below), springs.w, x.above);
    }
    return sum;
}

// base + spring · (left + right neighbour), for each voxel of a pack.
fn add_along_x(base: Three, own: Three, left: vec3<f32>, right: vec3<f32>, spring: f32) -> Three {
    return Three(
        base.a + spring * (before_each(left.x, own.a) + after_each(own.a, right.x)),
        base.b + spring * (before_each(left.y, own.b) + after_each(own.b, right.y)),
        base.c + spring * (before_each(left.z, own.c) + after_each(own.c, right.z)),
    );
}

// The sum of a voxel's springs, if all springs along x are equal. The first and the last voxel of a row lack one.
fn total_of_springs(springs: vec4<f32>, along_x: f32, has_left: bool, has_right: bool) -> Pack {
    var across = springs.x + springs.y;
    if (COMPONENTS == 3u) {
        across = across + springs.z + springs.w;
    }
    let one = Pack(1.0);
    let neighbours = before_each(spring_if(has_left, 1.0), one) + after_each(one, spring_if(has_right, 1.0));
    return across + along_x * neighbours;
}

// (J + diag)⁻¹
fn inverse_of(j: Symmetric, diag: Three) -> Symmetric {
    let one = Pack(1.0);
    let zero = Pack(0.0);
    let least = Pack(LEAST);
    if (TENSOR == 0u) {
        return Symmetric(one / max(diag.a, least), zero, zero, one / max(diag.b, least), zero, one / max(diag.c, least));
    }
    let a = j.m0 + diag.a;
    let b = j.m1;
    let d = j.m3 + diag.b;
    if (COMPONENTS == 2u) {
        let scale = one / max(a * d - b * b, least);
        return Symmetric(d * scale, -b * scale, zero, a * scale, zero, zero);
    }
    let c = j.m2;
    let e = j.m4;
    let f = j.m5 + diag.c;
    let c00 = d * f - e * e;
    let c01 = c * e - b * f;
    let c02 = b * e - c * d;
    let scale = one / max(a * c00 + b * c01 + c * c02, least);
    return Symmetric(
        c00 * scale,
        c01 * scale,
        c02 * scale,
        (a * f - c * c) * scale,
        (b * c - a * e) * scale,
        (a * d - b * b) * scale,
    );
}

// own + ω (m s − own)
fn relaxed(own: Three, m: Symmetric, s: Three, omega: f32) -> Three {
    if (COMPONENTS == 2u) {
        return Three(
            own.a + omega * (m.m0 * s.a - own.a + m.m1 * s.b),
            own.b + omega * (m.m1 * s.a - own.b + m.m3 * s.b),
            Pack(0.0),
        );
    }
    return Three(
        own.a + omega * (m.m0 * s.a - own.a + m.m1 * s.b + m.m2 * s.c),
        own.b + omega * (m.m1 * s.a - own.b + m.m3 * s.b + m.m4 * s.c),
        own.c + omega * (m.m2 * s.a - own.c + m.m4 * s.b + m.m5 * s.c),
    );
}
