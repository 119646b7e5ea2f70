// Local step control. The contract is in mod.rs.

struct Block {
    lattice: Lattice,
    // A determinant up to this is a fold.
    least: vec4<f32>,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(6) var<storage, read> field_x: array<f32>;
@group(0) @binding(7) var<storage, read> field_y: array<f32>;
@group(0) @binding(8) var<storage, read> field_z: array<f32>;
@group(0) @binding(9) var<storage, read> begin: array<f32>;
@group(0) @binding(10) var<storage, read_write> determinant: array<f32>;
@group(0) @binding(11) var<storage, read_write> controls: array<f32>;

fn control(component: u32, at: u32) -> f32 {
    return 0.0;
}

fn field_at(i: u32) -> vec3<f32> {
    var d = vec3<f32>(field_x[i], field_y[i], 0.0);
    if (COMPONENTS == 3u) {
        d.z = field_z[i];
    }
    return d;
}

// The difference towards the next pixel along an axis (side 1) or from the one before (side 0).
fn towards(i: u32, stride: u32, side: u32) -> vec3<f32> {
    if (side == 1u) {
        return field_at(i + stride) - field_at(i);
    }
    return field_at(i) - field_at(i - stride);
}

// Whether there is a neighbour on a side; an axis of one pixel has none, and no difference either.
fn is_there(at: u32, count: u32, side: u32) -> bool {
    return select(at > 0u, at + 1u < count, side == 1u);
}

fn determinant_of(x: vec3<f32>, y: vec3<f32>, z: vec3<f32>) -> f32 {
    let a = 1.0 + x.x;
    let e = 1.0 + y.y;
    if (COMPONENTS == 2u) {
        return a * e - y.x * x.y;
    }
    let i = 1.0 + z.z;
    let first = e * i - z.y * y.z;
    let second = x.y * i - z.y * x.z;
    let third = x.y * y.z - e * x.z;
    return a * first - y.x * second + z.x * third;
}

@compute @workgroup_size(256)
fn least_determinant(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let size = block.lattice.size;
    for (var i = group.x * LINE + lane; i < size.w; i = i + block.lattice.counts.y * LINE) {
        let at = pixel_at(i);
        let own = problem * size.w + i;
        var least = 3.0e38;
        for (var choice = 0u; choice < 8u; choice = choice + 1u) {
            let side = vec3<u32>(choice & 1u, (choice >> 1u) & 1u, choice >> 2u);
            var x = vec3<f32>();
            var y = vec3<f32>();
            var z = vec3<f32>();
            if (is_there(at.x, size.x, side.x)) {
                x = towards(own, 1u, side.x);
            }
            if (is_there(at.y, size.y, side.y)) {
                y = towards(own, size.x, side.y);
            }
            if (COMPONENTS == 3u) {
                if (is_there(at.z, size.z, side.z)) {
                    z = towards(own, size.x * size.y, side.z);
                }
            }
            least = min(least, determinant_of(x, y, z));
        }
        determinant[own] = least;
    }
}

fn folds_along_x(row: u32, x: vec4<u32>) -> bool {
    var folds = false;
    for (var at = x.x; at < x.y; at = at + 1u) {
        folds = folds || determinant[row + at] <= block.least.x;
    }
    for (var at = x.z; at < x.w; at = at + 1u) {
        folds = folds || determinant[row + at] <= block.least.x;
    }
    return folds;
}

@compute @workgroup_size(256)
fn shorten(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let size = block.lattice.size;
    let count = block.lattice.controls.w;
    let own_set = accepted_set(problem) * block.lattice.counts.x + problem;
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.z * LINE) {
        let k = control_at(i);
        let along_x = support(0u, k.x);
        let along_y = support(1u, k.y);
        var along_z = vec4<u32>(0u, 0u, 0u, 1u);
        if (COMPONENTS == 3u) {
            along_z = support(2u, k.z);
        }
        // The pixels of both elements follow each other.
        let begin_y = select(along_y.z, along_y.x, along_y.y > along_y.x);
        let end_y = max(along_y.y, along_y.w);
        let begin_z = select(along_z.z, along_z.x, along_z.y > along_z.x);
        let end_z = max(along_z.y, along_z.w);
        var folds = false;
        for (var z = begin_z; z < end_z; z = z + 1u) {
            for (var y = begin_y; y < end_y; y = y + 1u) {
                folds = folds || folds_along_x(problem * size.w + (z * size.y + y) * size.x, along_x);
            }
        }
        if (folds) {
            for (var c = 0u; c < COMPONENTS; c = c + 1u) {
                let origin = begin[(problem * COMPONENTS + c) * count + i];
                let at = (own_set * COMPONENTS + c) * count + i;
                controls[at] = origin + 0.5 * (controls[at] - origin);
            }
        }
    }
}
