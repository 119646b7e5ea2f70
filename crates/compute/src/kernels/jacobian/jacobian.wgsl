// det(I + ∇d) − 1 and its statistics: the contract is mod.rs's. A workgroup takes four rows at a time.

override COMPONENTS: u32 = 3u;
override WEIGHTED: u32 = 0u;

struct Block {
    size: vec4<u32>,
    // One over the spacing, per axis.
    per_edge: vec4<f32>,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> d_x: array<f32>;
@group(0) @binding(2) var<storage, read> d_y: array<f32>;
@group(0) @binding(3) var<storage, read> d_z: array<f32>;
@group(0) @binding(4) var<storage, read> weight: array<f32>;
@group(0) @binding(5) var<storage, read_write> out: array<f32>;
@group(0) @binding(6) var<storage, read_write> sums: array<f32>;

const HUGE: f32 = 3.4e38;

// The neighbours along an axis, themselves beyond the border, and one over their distance.
struct Step {
    low: u32,
    high: u32,
    scale: f32,
}

fn step_along(i: u32, at: u32, count: u32, stride: u32, per_edge: f32) -> Step {
    let before = at > 0u;
    let after = at + 1u < count;
    let scale = select(select(0.0, per_edge, before || after), 0.5 * per_edge, before && after);
    return Step(select(i, i - stride, before), select(i, i + stride, after), scale);
}

fn differ(along: Step) -> vec3<f32> {
    var out = vec3<f32>(d_x[along.high] - d_x[along.low], d_y[along.high] - d_y[along.low], 0.0);
    if (COMPONENTS == 3u) {
        out.z = d_z[along.high] - d_z[along.low];
    }
    return along.scale * out;
}

var<workgroup> lane_extremes: array<vec2<f32>, 256>;

// The least and the greatest; to be called by all threads of the workgroup together.
fn workgroup_extremes(value: vec2<f32>, lane: u32) -> vec2<f32> {
    lane_extremes[lane] = value;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half = half >> 1u) {
        if (lane < half) {
            let own = lane_extremes[lane];
            let other = lane_extremes[lane + half];
            lane_extremes[lane] = vec2<f32>(min(own.x, other.x), max(own.y, other.y));
        }
        workgroupBarrier();
    }
    return lane_extremes[0];
}

@compute @workgroup_size(64, 4)
fn jacobian(
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = block.size;
    // Voxels that count, folded ones, Σ |det − 1|, Σ div².
    var sum = vec4<f32>(0.0);
    var extremes = vec2<f32>(HUGE, -HUGE);
    for (var row = 4u * group.x + local.y; row < size.y * size.z; row = row + 4u * groups.x) {
        let y = row % size.y;
        let z = row / size.y;
        for (var x = local.x; x < size.x; x = x + 64u) {
            let i = row * size.x + x;
            let a = differ(step_along(i, x, size.x, 1u, block.per_edge.x));
            let b = differ(step_along(i, y, size.y, size.x, block.per_edge.y));
            var c = vec3<f32>(0.0);
            if (COMPONENTS == 3u) {
                c = differ(step_along(i, z, size.z, size.x * size.y, block.per_edge.z));
            }
            // tr g + (sum of principal 2 × 2 minors) + det g: no cancellation against 1.
            let divergence = a.x + b.y + c.z;
            let xy = a.x * b.y - b.x * a.y;
            let minors = xy + (a.x * c.z - c.x * a.z) + (b.y * c.z - c.y * b.z);
            let det = a.x * (b.y * c.z - c.y * b.z) - b.x * (a.y * c.z - c.y * a.z) + c.x * (a.y * b.z - b.y * a.z);
            let change = divergence + minors + det;
            out[i] = change;
            var counts = !is_nan(change);
            if (WEIGHTED == 1u) {
                counts = counts && weight[i] > 0.0;
            }
            if (counts) {
                let folded = select(0.0, 1.0, change <= -1.0);
                sum = sum + vec4<f32>(1.0, folded, abs(change), divergence * divergence);
                extremes = vec2<f32>(min(extremes.x, 1.0 + change), max(extremes.y, 1.0 + change));
            }
        }
    }
    let count = workgroup_sum(sum.x, lane);
    let folded = workgroup_sum(sum.y, lane);
    let absolute = workgroup_sum(sum.z, lane);
    let divergence2 = workgroup_sum(sum.w, lane);
    let range = workgroup_extremes(extremes, lane);
    if (lane == 0u) {
        let at = 6u * group.x;
        sums[at] = count;
        sums[at + 1u] = folded;
        sums[at + 2u] = absolute;
        sums[at + 3u] = divergence2;
        sums[at + 4u] = range.x;
        sums[at + 5u] = range.y;
    }
}
