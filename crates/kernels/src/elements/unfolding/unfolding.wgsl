// Local step control. The contract is in mod.rs.

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

@compute @workgroup_size(256)
fn least_determinant(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let size = block.lattice.size;
    var strides = vec3<u32>(1u, size.x, size.x * size.y);
    strides = select(vec3<u32>(), strides, size.xyz > vec3<u32>(1u));
    var folds = 0.0;
    for (var i = group.x * LINE + lane; i < size.w; i = i + block.lattice.counts.y * LINE) {
        let at = pixel_at(i);
        var is_last = (at + vec3<u32>(1u) == size.xyz) & (size.xyz > vec3<u32>(1u));
        is_last.z = is_last.z && COMPONENTS == 3u;
        var least = NO_FOLD;
        if (!any(is_last)) {
            least = least_in_cell(problem * size.w + i, strides, block.least);
        }
        determinant[problem * size.w + i] = least;
        if (least <= block.least.x) {
            folds = folds + 1.0;
        }
    }
    let total = workgroup_sum(folds, lane);
    if (lane == 0u) {
        folds_of_groups[problem * block.lattice.counts.y + group.x] = total;
    }
}

// The cells with a corner in the elements of a control point's node: they are named by their first corner.
fn around(pixels: vec4<u32>) -> vec2<u32> {
    let begin = select(pixels.z, pixels.x, pixels.y > pixels.x);
    return vec2<u32>(max(begin, 1u) - 1u, max(pixels.y, pixels.w));
}

fn folds_in(plane: u32, along_x: vec2<u32>, along_y: vec2<u32>) -> bool {
    let size = block.lattice.size;
    var folds = false;
    for (var y = along_y.x; y < along_y.y; y = y + 1u) {
        for (var x = along_x.x; x < along_x.y; x = x + 1u) {
            folds = folds || determinant[plane + y * size.x + x] <= block.least.x;
        }
    }
    return folds;
}

@compute @workgroup_size(256)
fn shorten(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let size = block.lattice.size;
    let per_component = block.lattice.controls.w;
    var own_folds = 0.0;
    for (var k = lane; k < block.lattice.counts.y; k = k + LINE) {
        own_folds = own_folds + folds_of_groups[problem * block.lattice.counts.y + k];
    }
    // Where nothing folds, nobody looks around.
    let count = select(0u, per_component, workgroup_sum(own_folds, lane) > 0.0);
    let own_set = accepted_set(problem) * block.lattice.counts.x + problem;
    for (var i = group.x * LINE + lane; i < count; i = i + block.lattice.counts.z * LINE) {
        let k = control_at(i);
        let along_x = around(support(0u, k.x));
        let along_y = around(support(1u, k.y));
        var planes = vec4<u32>(0u, 0u, 0u, 1u);
        if (AXES == 3u) {
            planes = support(2u, k.z);
        }
        if (COMPONENTS == 3u) {
            planes = vec4<u32>(0u, 0u, around(planes));
        }
        var folds = false;
        for (var z = planes.x; z < planes.y; z = z + 1u) {
            folds = folds || folds_in(problem * size.w + z * size.x * size.y, along_x, along_y);
        }
        for (var z = planes.z; z < planes.w; z = z + 1u) {
            folds = folds || folds_in(problem * size.w + z * size.x * size.y, along_x, along_y);
        }
        if (folds) {
            for (var c = 0u; c < COMPONENTS; c = c + 1u) {
                let origin = begin[(problem * COMPONENTS + c) * per_component + i];
                let at = (own_set * COMPONENTS + c) * per_component + i;
                controls[at] = origin + 0.5 * (controls[at] - origin);
            }
        }
    }
}
