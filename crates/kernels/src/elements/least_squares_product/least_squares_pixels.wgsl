// The first half of the product: what every pixel gives back. The contract is in mod.rs.

struct Block {
    lattice: Lattice,
    progress: Progress,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(9) var<storage, read> preconditioned: array<f32>;
@group(0) @binding(10) var<storage, read> before: array<f32>;
@group(0) @binding(11) var<storage, read> slopes: array<f32>;
@group(0) @binding(12) var<storage, read_write> between: array<f32>;

var<workgroup> controls_from: u32;
var<workgroup> beta: f32;

fn control(component: u32, at: u32) -> f32 {
    let i = controls_from + component * block.lattice.controls.w + at;
    if (beta == 0.0) {
        return preconditioned[i];
    }
    return preconditioned[i] + beta * before[i];
}

fn contribution(component: u32, pixel: u32, square: bool) -> f32 {
    return 0.0;
}

@compute @workgroup_size(256)
fn least_squares_pixels(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let n = block.lattice.size.w;
    let found = ratios(problem, lane);
    let slopes_from = (accepted_set(problem) * block.lattice.counts.x + problem) * COMPONENTS * n;
    let count = select(n, 0u, found.is_done);
    if (lane == 0u) {
        beta = found.beta;
        controls_from = problem * COMPONENTS * block.lattice.controls.w;
    }
    workgroupBarrier();
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.y * LINE) {
        let pixel = pixel_at(i);
        let sx = slopes[slopes_from + i];
        let sy = slopes[slopes_from + n + i];
        var along = sx * interpolated(0u, pixel) + sy * interpolated(1u, pixel);
        let out = problem * COMPONENTS * n + i;
        if (COMPONENTS == 3u) {
            let sz = slopes[slopes_from + 2u * n + i];
            along = along + sz * interpolated(2u, pixel);
            between[out + 2u * n] = sz * along;
        }
        between[out] = sx * along;
        between[out + n] = sy * along;
    }
}
