// The operator at one voxel, with individual springs and an optional volume term. The contract is in mod.rs.

override DIFFUSIVITY: u32 = 0u;
override VOLUME: u32 = 0u;

// The spring of the smoothness term between two voxels.
fn spring(along: f32, i: u32, j: u32) -> f32 {
    if (DIFFUSIVITY == 1u) {
        return 0.5 * along * (psi[i] + psi[j]);
    }
    return along;
}

// The spring of the volume term along a component's own axis.
fn edge(per_spacing: f32, i: u32, j: u32) -> f32 {
    return 0.5 * per_spacing * per_spacing * (volume_weight[i] + volume_weight[j]);
}

// For each component c: w Σ_{e≠c} ∂_e x_e, with central differences on replicated borders.
fn flux_of_others(v: vec3<u32>) -> Three {
    let size = block.size;
    let i = index_of(v);
    let dx = 0.5 * block.per_spacing.x
        * (x0[select(i, i + 1u, v.x + 1u < size.x)] - x0[select(i, i - 1u, v.x > 0u)]);
    let dy = 0.5 * block.per_spacing.y
        * (x1[select(i, i + size.x, v.y + 1u < size.y)] - x1[select(i, i - size.x, v.y > 0u)]);
    var dz = 0.0;
    if (COMPONENTS == 3u) {
        let plane = size.x * size.y;
        dz = 0.5 * block.per_spacing.z
            * (x2[select(i, i + plane, v.z + 1u < size.z)] - x2[select(i, i - plane, v.z > 0u)]);
    }
    let w = volume_weight[i];
    return Three(w * (dy + dz), w * (dx + dz), w * (dx + dy));
}

// Adds −∂_cᵀ of that flux. Beyond a border the flux is the voxel's own, negated.
fn add_mixed(sum: Three, v: vec3<u32>) -> Three {
    let size = block.size;
    let half = 0.5 * block.per_spacing;
    let own = flux_of_others(v);
    var out = sum;
    var low = -own.a;
    var high = -own.a;
    if (v.x > 0u) {
        low = flux_of_others(vec3<u32>(v.x - 1u, v.y, v.z)).a;
    }
    if (v.x + 1u < size.x) {
        high = flux_of_others(vec3<u32>(v.x + 1u, v.y, v.z)).a;
    }
    out.a = out.a - half.x * low + half.x * high;
    low = -own.b;
    high = -own.b;
    if (v.y > 0u) {
        low = flux_of_others(vec3<u32>(v.x, v.y - 1u, v.z)).b;
    }
    if (v.y + 1u < size.y) {
        high = flux_of_others(vec3<u32>(v.x, v.y + 1u, v.z)).b;
    }
    out.b = out.b - half.y * low + half.y * high;
    if (COMPONENTS == 3u) {
        low = -own.c;
        high = -own.c;
        if (v.z > 0u) {
            low = flux_of_others(vec3<u32>(v.x, v.y, v.z - 1u)).c;
        }
        if (v.z + 1u < size.z) {
            high = flux_of_others(vec3<u32>(v.x, v.y, v.z + 1u)).c;
        }
        out.c = out.c - half.z * low + half.z * high;
    }
    return out;
}

// Terms are added in the order of the CPU kernel: y, z, volume, x; the sums are then the same bit by bit. Beyond a
// border the voxel itself is the neighbour, with a spring of 0.
fn pull_at(v: vec3<u32>) -> Pull {
    let size = block.size;
    let i = index_of(v);
    let own = x_at(i);
    let x = across_at(v);
    let springs = springs_across(v);
    let has_left = v.x > 0u;
    let has_right = v.x + 1u < size.x;
    let left = select(i, i - 1u, has_left);
    let right = select(i, i + 1u, has_right);
    let along = springs_along(v);
    var sum = add_across(rhs_at(i), springs, x);
    var total = total_of_springs(springs, block.spring.x, has_left, has_right);
    if (DIFFUSIVITY == 1u) {
        total = along.x + along.y + springs.x + springs.y;
        if (COMPONENTS == 3u) {
            total = total + springs.z + springs.w;
        }
    }
    var diag = Three(total, total, total);
    var edge_left = 0.0;
    var edge_right = 0.0;
    if (VOLUME == 1u) {
        let plane = size.x * size.y;
        let per = block.per_spacing;
        edge_left = spring_if(has_left, edge(per.x, i, left));
        edge_right = spring_if(has_right, edge(per.x, i, right));
        diag.a = diag.a + edge_left + edge_right;
        let edge_front = spring_if(v.y > 0u, edge(per.y, i, select(i, i - size.x, v.y > 0u)));
        let edge_back = spring_if(v.y + 1u < size.y, edge(per.y, i, select(i, i + size.x, v.y + 1u < size.y)));
        diag.b = diag.b + edge_front + edge_back;
        sum.b = sum.b + edge_front * x.front.b + edge_back * x.back.b;
        if (COMPONENTS == 3u) {
            let edge_below = spring_if(v.z > 0u, edge(per.z, i, select(i, i - plane, v.z > 0u)));
            let edge_above = spring_if(v.z + 1u < size.z, edge(per.z, i, select(i, i + plane, v.z + 1u < size.z)));
            diag.c = diag.c + edge_below + edge_above;
            sum.c = sum.c + edge_below * x.below.c + edge_above * x.above.c;
        }
        sum = add_mixed(sum, v);
    }
    let x_left = left_of(v);
    let x_right = right_of(v);
    sum = add_along(sum, own, along, x_left, x_right);
    if (VOLUME == 1u) {
        sum.a = sum.a + edge_left * x_left.x + edge_right * x_right.x;
    }
    return Pull(own, sum, diag);
}

// Springs to the neighbours at x − 1 and x + 1; 0 beyond a border.
fn springs_along(v: vec3<u32>) -> vec2<f32> {
    let i = index_of(v);
    let has_left = v.x > 0u;
    let has_right = v.x + 1u < block.size.x;
    return vec2<f32>(
        spring_if(has_left, spring(block.spring.x, i, select(i, i - 1u, has_left))),
        spring_if(has_right, spring(block.spring.x, i, select(i, i + 1u, has_right))),
    );
}

// Adds the neighbours along x, each weighted with its own spring where springs vary.
fn add_along(sum: Three, own: Three, springs: vec2<f32>, left: vec3<f32>, right: vec3<f32>) -> Three {
    if (DIFFUSIVITY == 0u) {
        return add_along_x(sum, own, left, right, block.spring.x);
    }
    let with_left = add_scaled(sum, springs.x, Three(left.x, left.y, left.z));
    return add_scaled(with_left, springs.y, Three(right.x, right.y, right.z));
}

fn squares(r: Three) -> f32 {
    return squares_of(r);
}
