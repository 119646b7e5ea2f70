// The operator at one voxel, with springs and a volume term of its own everywhere: the contract is mod.rs's.

override DIFFUSIVITY: u32 = 0u;
override VOLUME: u32 = 0u;

@group(0) @binding(13) var<storage, read> psi: array<f32>;
@group(0) @binding(14) var<storage, read> volume_weight: array<f32>;

// What its neighbours bring to a voxel: `sum` of the springs' pulls, and their total `diag`.
struct Pull {
    sum: Three,
    diag: Three,
}

fn index_of(v: vec3<u32>) -> u32 {
    return (v.z * block.size.y + v.y) * block.size.x + v.x;
}

fn add_neighbour(pull: ptr<function, Pull>, i: u32, j: u32, axis: u32) {
    var along = block.spring.x;
    var per_spacing = block.per_spacing.x;
    if (axis == 1u) {
        along = block.spring.y;
        per_spacing = block.per_spacing.y;
    } else if (axis == 2u) {
        along = block.spring.z;
        per_spacing = block.per_spacing.z;
    }
    if (DIFFUSIVITY == 1u) {
        along = 0.5 * along * (psi[i] + psi[j]);
    }
    let x = x_at(j);
    (*pull).sum.a = (*pull).sum.a + along * x.a;
    (*pull).sum.b = (*pull).sum.b + along * x.b;
    (*pull).sum.c = (*pull).sum.c + along * x.c;
    (*pull).diag.a = (*pull).diag.a + along;
    (*pull).diag.b = (*pull).diag.b + along;
    (*pull).diag.c = (*pull).diag.c + along;
    if (VOLUME == 1u) {
        // Its own axis has a spring more for each component.
        let edge = 0.5 * per_spacing * per_spacing * (volume_weight[i] + volume_weight[j]);
        if (axis == 0u) {
            (*pull).sum.a = (*pull).sum.a + edge * x.a;
            (*pull).diag.a = (*pull).diag.a + edge;
        } else if (axis == 1u) {
            (*pull).sum.b = (*pull).sum.b + edge * x.b;
            (*pull).diag.b = (*pull).diag.b + edge;
        } else {
            (*pull).sum.c = (*pull).sum.c + edge * x.c;
            (*pull).diag.c = (*pull).diag.c + edge;
        }
    }
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

// −∂_cᵀ of that: beyond a border stands the voxel's own flux, negated.
fn mixed(v: vec3<u32>) -> Three {
    let size = block.size;
    let half = 0.5 * block.per_spacing;
    let own = flux_of_others(v);
    var low = -own.a;
    var high = -own.a;
    if (v.x > 0u) {
        low = flux_of_others(vec3<u32>(v.x - 1u, v.y, v.z)).a;
    }
    if (v.x + 1u < size.x) {
        high = flux_of_others(vec3<u32>(v.x + 1u, v.y, v.z)).a;
    }
    var out = Three(half.x * (high - low), 0.0, 0.0);
    low = -own.b;
    high = -own.b;
    if (v.y > 0u) {
        low = flux_of_others(vec3<u32>(v.x, v.y - 1u, v.z)).b;
    }
    if (v.y + 1u < size.y) {
        high = flux_of_others(vec3<u32>(v.x, v.y + 1u, v.z)).b;
    }
    out.b = half.y * (high - low);
    if (COMPONENTS == 3u) {
        low = -own.c;
        high = -own.c;
        if (v.z > 0u) {
            low = flux_of_others(vec3<u32>(v.x, v.y, v.z - 1u)).c;
        }
        if (v.z + 1u < size.z) {
            high = flux_of_others(vec3<u32>(v.x, v.y, v.z + 1u)).c;
        }
        out.c = half.z * (high - low);
    }
    return out;
}

fn pull_at(v: vec3<u32>) -> Pull {
    let size = block.size;
    let i = index_of(v);
    var pull = Pull(Three(0.0, 0.0, 0.0), Three(0.0, 0.0, 0.0));
    if (v.x > 0u) {
        add_neighbour(&pull, i, i - 1u, 0u);
    }
    if (v.x + 1u < size.x) {
        add_neighbour(&pull, i, i + 1u, 0u);
    }
    if (v.y > 0u) {
        add_neighbour(&pull, i, i - size.x, 1u);
    }
    if (v.y + 1u < size.y) {
        add_neighbour(&pull, i, i + size.x, 1u);
    }
    if (COMPONENTS == 3u) {
        let plane = size.x * size.y;
        if (v.z > 0u) {
            add_neighbour(&pull, i, i - plane, 2u);
        }
        if (v.z + 1u < size.z) {
            add_neighbour(&pull, i, i + plane, 2u);
        }
    }
    if (VOLUME == 1u) {
        let add = mixed(v);
        pull.sum.a = pull.sum.a + add.a;
        pull.sum.b = pull.sum.b + add.b;
        pull.sum.c = pull.sum.c + add.c;
    }
    return pull;
}

// rhs − A x
fn residual_at(v: vec3<u32>) -> Three {
    let i = index_of(v);
    let pull = pull_at(v);
    let x = x_at(i);
    let rhs = rhs_at(i);
    let product = block_product(i, x);
    return Three(
        rhs.a + pull.sum.a - pull.diag.a * x.a - product.a,
        rhs.b + pull.sum.b - pull.diag.b * x.b - product.b,
        rhs.c + pull.sum.c - pull.diag.c * x.c - product.c,
    );
}
