// The operator at one voxel, with springs and a volume term of its own everywhere: the contract is mod.rs's.

override DIFFUSIVITY: u32 = 0u;
override VOLUME: u32 = 0u;

@group(0) @binding(13) var<storage, read> psi: array<f32>;
@group(0) @binding(14) var<storage, read> volume_weight: array<f32>;

// The right-hand side with what neighbours bring to a voxel, and the springs' total.
struct Pull {
    sum: Three,
    diag: Three,
}

fn index_of(v: vec3<u32>) -> u32 {
    return (v.z * block.size.y + v.y) * block.size.x + v.x;
}

// The smoothness's spring between two voxels.
fn spring(along: f32, i: u32, j: u32) -> f32 {
    if (DIFFUSIVITY == 1u) {
        return 0.5 * along * (psi[i] + psi[j]);
    }
    return along;
}

// The volume term's spring along a component's own axis.
fn edge(per_spacing: f32, i: u32, j: u32) -> f32 {
    return 0.5 * per_spacing * per_spacing * (volume_weight[i] + volume_weight[j]);
}

// For each component c: w Σ_{e≠c} ∂_e x_e, central differences on replicated borders.
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

// Adds −∂_cᵀ of that: beyond a border stands the voxel's own flux, negated.
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

// Terms are added in the order of the processor's text: y, z, volume, x, so that their sums are the same bit by bit.
// Beyond a border the voxel itself stands in, with a spring of 0.
fn pull_at(v: vec3<u32>) -> Pull {
    let size = block.size;
    let i = index_of(v);
    let plane = size.x * size.y;
    let has_left = v.x > 0u;
    let has_right = v.x + 1u < size.x;
    let has_front = v.y > 0u;
    let has_back = v.y + 1u < size.y;
    let has_below = v.z > 0u;
    let has_above = v.z + 1u < size.z;
    let left = select(i, i - 1u, has_left);
    let right = select(i, i + 1u, has_right);
    let front = select(i, i - size.x, has_front);
    let back = select(i, i + size.x, has_back);
    let below = select(i, i - plane, has_below);
    let above = select(i, i + plane, has_above);
    let to_left = select(0.0, spring(block.spring.x, i, left), has_left);
    let to_right = select(0.0, spring(block.spring.x, i, right), has_right);
    let to_front = select(0.0, spring(block.spring.y, i, front), has_front);
    let to_back = select(0.0, spring(block.spring.y, i, back), has_back);
    let x_front = x_at(front);
    let x_back = x_at(back);
    var to_below = 0.0;
    var to_above = 0.0;
    var x_below = Three(0.0, 0.0, 0.0);
    var x_above = Three(0.0, 0.0, 0.0);
    if (COMPONENTS == 3u) {
        to_below = select(0.0, spring(block.spring.z, i, below), has_below);
        to_above = select(0.0, spring(block.spring.z, i, above), has_above);
        x_below = x_at(below);
        x_above = x_at(above);
    }
    var sum = add_scaled(add_scaled(rhs_at(i), to_front, x_front), to_back, x_back);
    if (COMPONENTS == 3u) {
        sum = add_scaled(add_scaled(sum, to_below, x_below), to_above, x_above);
    }
    var total = to_left + to_right;
    if (DIFFUSIVITY == 1u) {
        total = total + to_front + to_back;
        if (COMPONENTS == 3u) {
            total = total + to_below + to_above;
        }
    } else {
        var across = to_front + to_back;
        if (COMPONENTS == 3u) {
            across = across + to_below + to_above;
        }
        total = total + across;
    }
    var diag = Three(total, total, total);
    var edge_left = 0.0;
    var edge_right = 0.0;
    if (VOLUME == 1u) {
        let per = block.per_spacing;
        edge_left = select(0.0, edge(per.x, i, left), has_left);
        edge_right = select(0.0, edge(per.x, i, right), has_right);
        diag.a = diag.a + edge_left + edge_right;
        let edge_front = select(0.0, edge(per.y, i, front), has_front);
        let edge_back = select(0.0, edge(per.y, i, back), has_back);
        diag.b = diag.b + edge_front + edge_back;
        sum.b = sum.b + edge_front * x_front.b + edge_back * x_back.b;
        if (COMPONENTS == 3u) {
            let edge_below = select(0.0, edge(per.z, i, below), has_below);
            let edge_above = select(0.0, edge(per.z, i, above), has_above);
            diag.c = diag.c + edge_below + edge_above;
            sum.c = sum.c + edge_below * x_below.c + edge_above * x_above.c;
        }
        sum = add_mixed(sum, v);
    }
    let x_left = x_at(left);
    let x_right = x_at(right);
    if (DIFFUSIVITY == 1u) {
        sum = add_scaled(add_scaled(sum, to_left, x_left), to_right, x_right);
    } else {
        let s = block.spring.x;
        sum = Three(
            sum.a + s * (select(0.0, x_left.a, has_left) + select(0.0, x_right.a, has_right)),
            sum.b + s * (select(0.0, x_left.b, has_left) + select(0.0, x_right.b, has_right)),
            sum.c + s * (select(0.0, x_left.c, has_left) + select(0.0, x_right.c, has_right)),
        );
    }
    if (VOLUME == 1u) {
        sum.a = sum.a + edge_left * x_left.a + edge_right * x_right.a;
    }
    return Pull(sum, diag);
}

// rhs − A x
fn residual_at(v: vec3<u32>) -> Three {
    let pull = pull_at(v);
    let i = index_of(v);
    return minus_product(i, pull.sum, pull.diag, x_at(i));
}
