// The inverse of the diagonal block, and what is made of it. Sums are taken from left to right, as in the processor's
// text, so that both find the same bits.

override TENSOR: u32 = 1u;

const LEAST: f32 = 1.17549435e-38;

struct Inverse {
    m0: Pack,
    m1: Pack,
    m2: Pack,
    m3: Pack,
    m4: Pack,
    m5: Pack,
}

// (J + diag)⁻¹ at pack i: entries 11, 12, 13, 22, 23, 33, or 11, 12, –, 22 in 2-D.
fn inverse_at(i: u32, diag: Three) -> Inverse {
    var m: Inverse;
    if (TENSOR == 0u) {
        m.m0 = Pack(1.0) / max(diag.a, Pack(LEAST));
        m.m3 = Pack(1.0) / max(diag.b, Pack(LEAST));
        m.m5 = Pack(1.0) / max(diag.c, Pack(LEAST));
        m.m1 = Pack(0.0);
        m.m2 = Pack(0.0);
        m.m4 = Pack(0.0);
    } else if (COMPONENTS == 2u) {
        let a = j0[i] + diag.a;
        let b = j1[i];
        let c = j2[i] + diag.b;
        let scale = Pack(1.0) / max(a * c - b * b, Pack(LEAST));
        m.m0 = c * scale;
        m.m1 = -b * scale;
        m.m3 = a * scale;
        m.m2 = Pack(0.0);
        m.m4 = Pack(0.0);
        m.m5 = Pack(0.0);
    } else {
        let a = j0[i] + diag.a;
        let b = j1[i];
        let c = j2[i];
        let d = j3[i] + diag.b;
        let e = j4[i];
        let f = j5[i] + diag.c;
        let c00 = d * f - e * e;
        let c01 = c * e - b * f;
        let c02 = b * e - c * d;
        let scale = Pack(1.0) / max(a * c00 + b * c01 + c * c02, Pack(LEAST));
        m.m0 = c00 * scale;
        m.m1 = c01 * scale;
        m.m2 = c02 * scale;
        m.m3 = (a * f - c * c) * scale;
        m.m4 = (b * c - a * e) * scale;
        m.m5 = (a * d - b * b) * scale;
    }
    return m;
}

// own + ω (m sums − own)
fn relaxed(own: Three, m: Inverse, s: Three) -> Three {
    let w = block.omega;
    if (COMPONENTS == 2u) {
        return Three(
            own.a + w * (m.m0 * s.a - own.a + m.m1 * s.b),
            own.b + w * (m.m1 * s.a - own.b + m.m3 * s.b),
            Pack(0.0),
        );
    }
    return Three(
        own.a + w * (m.m0 * s.a - own.a + m.m1 * s.b + m.m2 * s.c),
        own.b + w * (m.m1 * s.a - own.b + m.m3 * s.b + m.m4 * s.c),
        own.c + w * (m.m2 * s.a - own.c + m.m4 * s.b + m.m5 * s.c),
    );
}

// pull − (J + diag) x at pack i, entry after entry.
fn minus_product(i: u32, pull: Three, diag: Three, x: Three) -> Three {
    let rest = Three(pull.a - diag.a * x.a, pull.b - diag.b * x.b, pull.c - diag.c * x.c);
    if (TENSOR == 0u) {
        return rest;
    }
    if (COMPONENTS == 2u) {
        return Three(
            rest.a - j0[i] * x.a - j1[i] * x.b,
            rest.b - j1[i] * x.a - j2[i] * x.b,
            rest.c,
        );
    }
    return Three(
        rest.a - j0[i] * x.a - j1[i] * x.b - j2[i] * x.c,
        rest.b - j1[i] * x.a - j3[i] * x.b - j4[i] * x.c,
        rest.c - j2[i] * x.a - j4[i] * x.b - j5[i] * x.c,
    );
}

fn add_scaled(sum: Three, weight: f32, x: Three) -> Three {
    return Three(sum.a + weight * x.a, sum.b + weight * x.b, sum.c + weight * x.c);
}

fn rhs_at(i: u32) -> Three {
    var rhs = Three(rhs0[i], rhs1[i], Pack(0.0));
    if (COMPONENTS == 3u) {
        rhs.c = rhs2[i];
    }
    return rhs;
}

fn x_at(i: u32) -> Three {
    var x = Three(x0[i], x1[i], Pack(0.0));
    if (COMPONENTS == 3u) {
        x.c = x2[i];
    }
    return x;
}
