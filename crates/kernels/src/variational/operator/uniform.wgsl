// The operator with the same spring everywhere along an axis and without volume term, four voxels of a row at a time.

fn spring_if(condition: bool, value: f32) -> f32 {
    return select(0.0, value, condition);
}

// The springs' total at pack i of row (y, z): fewer at the border.
fn total_of_springs(p: u32, y: u32, z: u32) -> Pack {
    let size = block.size;
    var across = spring_if(y > 0u, block.spring.y) + spring_if(y + 1u < size.y, block.spring.y);
    if (COMPONENTS == 3u) {
        across = across + spring_if(z > 0u, block.spring.z) + spring_if(z + 1u < size.z, block.spring.z);
    }
    let along = block.spring.x;
    return across + along * vec4<f32>(select(1.0, 2.0, p > 0u), 2.0, 2.0, select(1.0, 2.0, p + 1u < size.x));
}

// rhs + Σ spring · neighbour along y and z; beyond a border the voxel itself stands in, with a spring of 0.
fn base_at(i: u32, y: u32, z: u32) -> Three {
    let size = block.size;
    let plane = size.x * size.y;
    let front = x_at(select(i, i - size.x, y > 0u));
    let back = x_at(select(i, i + size.x, y + 1u < size.y));
    let to_front = spring_if(y > 0u, block.spring.y);
    let to_back = spring_if(y + 1u < size.y, block.spring.y);
    var base = add_scaled(add_scaled(rhs_at(i), to_front, front), to_back, back);
    if (COMPONENTS == 3u) {
        let below = x_at(select(i, i - plane, z > 0u));
        let above = x_at(select(i, i + plane, z + 1u < size.z));
        let to_below = spring_if(z > 0u, block.spring.z);
        let to_above = spring_if(z + 1u < size.z, block.spring.z);
        base = add_scaled(add_scaled(base, to_below, below), to_above, above);
    }
    return base;
}

// The last voxel of the pack before, 0 beyond the border.
fn left_of(i: u32, p: u32) -> vec3<f32> {
    var left = vec3<f32>(0.0, 0.0, 0.0);
    if (p > 0u) {
        left.x = x0[i - 1u].w;
        left.y = x1[i - 1u].w;
        if (COMPONENTS == 3u) {
            left.z = x2[i - 1u].w;
        }
    }
    return left;
}

// The first voxel of the next pack, 0 beyond the border.
fn right_of(i: u32, p: u32) -> vec3<f32> {
    var right = vec3<f32>(0.0, 0.0, 0.0);
    if (p + 1u < block.size.x) {
        right.x = x0[i + 1u].x;
        right.y = x1[i + 1u].x;
        if (COMPONENTS == 3u) {
            right.z = x2[i + 1u].x;
        }
    }
    return right;
}

// base + spring · (left + right neighbour) of each voxel.
fn add_along_x(base: Three, own: Three, left: vec3<f32>, right: vec3<f32>) -> Three {
    let s = block.spring.x;
    return Three(
        base.a + s * (vec4<f32>(left.x, own.a.x, own.a.y, own.a.z) + vec4<f32>(own.a.y, own.a.z, own.a.w, right.x)),
        base.b + s * (vec4<f32>(left.y, own.b.x, own.b.y, own.b.z) + vec4<f32>(own.b.y, own.b.z, own.b.w, right.y)),
        base.c + s * (vec4<f32>(left.z, own.c.x, own.c.y, own.c.z) + vec4<f32>(own.c.y, own.c.z, own.c.w, right.z)),
    );
}

// rhs − A x at pack i.
fn residual_pack(i: u32, p: u32, y: u32, z: u32) -> Three {
    let own = x_at(i);
    let pull = add_along_x(base_at(i, y, z), own, left_of(i, p), right_of(i, p));
    let diag = total_of_springs(p, y, z);
    return minus_product(i, pull, Three(diag, diag, diag), own);
}

fn squares(r: Three) -> f32 {
    let s = r.a * r.a + r.b * r.b + r.c * r.c;
    return (s.x + s.y) + (s.z + s.w);
}
