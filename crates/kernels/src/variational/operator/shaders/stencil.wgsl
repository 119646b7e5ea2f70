// The operator at a pack of voxels: loads the values that solve.wgsl computes with. A position v counts packs along x,
// voxels along y and z.

// For a pack: its own values, the right-hand side plus the weighted neighbours, and the sum of the springs.
struct Pull {
    own: Three,
    sum: Three,
    diag: Three,
}

fn index_of(v: vec3<u32>) -> u32 {
    return (v.z * block.size.y + v.y) * block.size.x + v.x;
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

fn tensor_at(i: u32) -> Symmetric {
    let zero = Pack(0.0);
    if (TENSOR == 0u) {
        return Symmetric(zero, zero, zero, zero, zero, zero);
    }
    if (COMPONENTS == 2u) {
        return Symmetric(j0[i], j1[i], zero, j2[i], zero, zero);
    }
    return Symmetric(j0[i], j1[i], j2[i], j3[i], j4[i], j5[i]);
}

// Springs to the neighbours at y − 1, y + 1, z − 1, z + 1; 0 beyond a border.
fn springs_across(v: vec3<u32>) -> vec4<f32> {
    let size = block.size;
    let i = index_of(v);
    var springs = vec4<f32>(
        spring_if(v.y > 0u, spring(block.spring.y, i, select(i, i - size.x, v.y > 0u))),
        spring_if(v.y + 1u < size.y, spring(block.spring.y, i, select(i, i + size.x, v.y + 1u < size.y))),
        0.0,
        0.0,
    );
    if (COMPONENTS == 3u) {
        let plane = size.x * size.y;
        springs.z = spring_if(v.z > 0u, spring(block.spring.z, i, select(i, i - plane, v.z > 0u)));
        springs.w = spring_if(v.z + 1u < size.z, spring(block.spring.z, i, select(i, i + plane, v.z + 1u < size.z)));
    }
    return springs;
}

// The neighbours along y and z; beyond a border the pack itself.
fn across_at(v: vec3<u32>) -> Across {
    let size = block.size;
    let i = index_of(v);
    let front = x_at(select(i, i - size.x, v.y > 0u));
    let back = x_at(select(i, i + size.x, v.y + 1u < size.y));
    if (COMPONENTS == 3u) {
        let plane = size.x * size.y;
        let below = x_at(select(i, i - plane, v.z > 0u));
        let above = x_at(select(i, i + plane, v.z + 1u < size.z));
        return Across(front, back, below, above);
    }
    return Across(front, back, front, back);
}

// The last voxel of the previous pack; 0 beyond the border.
fn left_of(v: vec3<u32>) -> vec3<f32> {
    var left = vec3<f32>(0.0, 0.0, 0.0);
    if (v.x > 0u) {
        let i = index_of(v) - 1u;
        left.x = last_of(x0[i]);
        left.y = last_of(x1[i]);
        if (COMPONENTS == 3u) {
            left.z = last_of(x2[i]);
        }
    }
    return left;
}

// The first voxel of the next pack; 0 beyond the border.
fn right_of(v: vec3<u32>) -> vec3<f32> {
    var right = vec3<f32>(0.0, 0.0, 0.0);
    if (v.x + 1u < block.size.x) {
        let i = index_of(v) + 1u;
        right.x = first_of(x0[i]);
        right.y = first_of(x1[i]);
        if (COMPONENTS == 3u) {
            right.z = first_of(x2[i]);
        }
    }
    return right;
}

// The new values of a pack after a relaxation step.
fn next_at(v: vec3<u32>) -> Three {
    let pull = pull_at(v);
    return relaxed(pull.own, inverse_of(tensor_at(index_of(v)), pull.diag), pull.sum, block.omega);
}

// rhs − A x
fn residual_at(v: vec3<u32>) -> Three {
    let pull = pull_at(v);
    let x = pull.own;
    let rest = Three(pull.sum.a - pull.diag.a * x.a, pull.sum.b - pull.diag.b * x.b, pull.sum.c - pull.diag.c * x.c);
    if (TENSOR == 0u) {
        return rest;
    }
    let j = tensor_at(index_of(v));
    if (COMPONENTS == 2u) {
        return Three(rest.a - j.m0 * x.a - j.m1 * x.b, rest.b - j.m1 * x.a - j.m3 * x.b, rest.c);
    }
    return Three(
        rest.a - j.m0 * x.a - j.m1 * x.b - j.m2 * x.c,
        rest.b - j.m1 * x.a - j.m3 * x.b - j.m4 * x.c,
        rest.c - j.m2 * x.a - j.m4 * x.b - j.m5 * x.c,
    );
}

// The squared length of the residual of each voxel of a pack.
fn squares_of(r: Three) -> Pack {
    return r.a * r.a + r.b * r.b + r.c * r.c;
}
