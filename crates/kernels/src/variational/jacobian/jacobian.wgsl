// det(I + ∇d) − 1 and its statistics. The contract is in mod.rs. A thread moves along z, so that it loads each sample
// of its column once.

override COMPONENTS: u32 = 3u;
override WEIGHTED: u32 = 0u;
override WIDTH: u32 = 32u;
override HEIGHT: u32 = 8u;
// Planes per thread.
override DEPTH: u32 = 1u;

const HUGE: f32 = 3.4e38;

// One pack per component.
struct Three {
    x: Pack,
    y: Pack,
    z: Pack,
}

fn load(i: u32) -> Three {
    var d = Three(d_x[i], d_y[i], Pack(0.0));
    if (COMPONENTS == 3u) {
        d.z = d_z[i];
    }
    return d;
}

// 1 / distance between the two neighbours along an axis; beyond the border the voxel itself is the neighbour.
fn per_step(at: u32, count: u32, per_edge: f32) -> f32 {
    return select(per_edge, 0.5 * per_edge, at > 0u && at + 1u < count);
}

fn between(low: Three, high: Three, scale: f32) -> Three {
    return Three(scale * (high.x - low.x), scale * (high.y - low.y), scale * (high.z - low.z));
}

fn around(before: f32, here: Pack, after: f32) -> Pack {
    return after_each(here, after) - before_each(before, here);
}

// The derivatives of the components along x.
fn along(d: Three, i: u32, at: u32, count: u32, per_edge: f32) -> Three {
    var before = vec3<f32>(first_of(d.x), first_of(d.y), first_of(d.z));
    var after = vec3<f32>(last_of(d.x), last_of(d.y), last_of(d.z));
    if (at > 0u) {
        let low = load(i - 1u);
        before = vec3<f32>(last_of(low.x), last_of(low.y), last_of(low.z));
    }
    if (at + 1u < count) {
        let high = load(i + 1u);
        after = vec3<f32>(first_of(high.x), first_of(high.y), first_of(high.z));
    }
    let scale = 0.5 * per_edge * ends(select(2.0, 1.0, at > 0u), select(2.0, 1.0, at + 1u < count));
    return Three(
        scale * around(before.x, d.x, after.x),
        scale * around(before.y, d.y, after.y),
        scale * around(before.z, d.z, after.z),
    );
}

var<workgroup> lane_extremes: array<vec2<f32>, 512>;

// The minimum (x) and maximum (y) over the workgroup. All threads of the workgroup must call this together.
fn workgroup_extremes(value: vec2<f32>, lane: u32) -> vec2<f32> {
    lane_extremes[lane] = value;
    workgroupBarrier();
    for (var half = 256u; half > 0u; half = half >> 1u) {
        if (lane < half && lane + half < WIDTH * HEIGHT) {
            let own = lane_extremes[lane];
            let other = lane_extremes[lane + half];
            lane_extremes[lane] = vec2<f32>(min(own.x, other.x), max(own.y, other.y));
        }
        workgroupBarrier();
    }
    return lane_extremes[0];
}

@compute @workgroup_size(WIDTH, HEIGHT)
fn jacobian(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = block.size;
    let plane = size.x * size.y;
    // Number of valid voxels, number of folded voxels, Σ |det − 1|, Σ div².
    var sum = vec4<f32>(0.0);
    var extremes = vec2<f32>(HUGE, -HUGE);
    let first = id.z * DEPTH;
    var end = min(first + DEPTH, size.z);
    var here: Three;
    var low: Three;
    if (id.x < size.x && id.y < size.y) {
        let i = (first * size.y + id.y) * size.x + id.x;
        here = load(i);
        low = load(select(i, i - plane, first > 0u));
    } else {
        end = first;
    }
    for (var k = first; k < end; k = k + 1u) {
        let i = (k * size.y + id.y) * size.x + id.x;
        let a = along(here, i, id.x, size.x, block.per_edge.x);
        let below = load(select(i, i - size.x, id.y > 0u));
        let above = load(select(i, i + size.x, id.y + 1u < size.y));
        let b = between(below, above, per_step(id.y, size.y, block.per_edge.y));
        var c = Three(Pack(0.0), Pack(0.0), Pack(0.0));
        if (COMPONENTS == 3u) {
            var high = here;
            if (k + 1u < size.z) {
                high = load(i + plane);
            }
            c = between(low, high, per_step(k, size.z, block.per_edge.z));
            low = here;
            here = high;
        }
        // det(I + g) − 1 = tr g + (sum of principal 2 × 2 minors) + det g: nothing cancels against 1. The sum is added
        // from left to right, as in mod.rs.
        var divergence = a.x;
        if (COMPONENTS == 3u) {
            divergence = divergence + c.z;
        }
        divergence = divergence + b.y;
        var changes = divergence + a.x * b.y - b.x * a.y;
        if (COMPONENTS == 3u) {
            changes = changes + a.x * c.z - c.x * a.z + b.y * c.z - c.y * b.z;
            changes = changes + a.x * (b.y * c.z - c.y * b.z) - b.x * (a.y * c.z - c.y * a.z)
                + c.x * (a.y * b.z - b.y * a.z);
        }
        out[i] = changes;
        var weights = Pack(1.0);
        if (WEIGHTED == 1u) {
            weights = weight[i];
        }
        for (var n = 0u; n < PACK; n = n + 1u) {
            let change = sample_of(changes, n);
            if (!is_nan(change) && sample_of(weights, n) > 0.0) {
                let folded = select(0.0, 1.0, change <= -1.0);
                let div = sample_of(divergence, n);
                sum = sum + vec4<f32>(1.0, folded, abs(change), div * div);
                extremes = vec2<f32>(min(extremes.x, 1.0 + change), max(extremes.y, 1.0 + change));
            }
        }
    }
    let count = tile_sum(sum.x, lane);
    workgroupBarrier();
    let folded = tile_sum(sum.y, lane);
    workgroupBarrier();
    let absolute = tile_sum(sum.z, lane);
    workgroupBarrier();
    let divergence2 = tile_sum(sum.w, lane);
    let range = workgroup_extremes(extremes, lane);
    if (lane == 0u) {
        let at = 6u * ((group.z * groups.y + group.y) * groups.x + group.x);
        sums[at] = count;
        sums[at + 1u] = folded;
        sums[at + 2u] = absolute;
        sums[at + 3u] = divergence2;
        sums[at + 4u] = range.x;
        sums[at + 5u] = range.y;
    }
}
