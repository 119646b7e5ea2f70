// Fields of control points. The contract is in mod.rs.

var<workgroup> controls_from: u32;

fn control(component: u32, at: u32) -> f32 {
    return controls[controls_from + component * block.lattice.controls.w + at];
}

@compute @workgroup_size(256)
fn nodal_field(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let n = block.lattice.size.w;
    let own_set = accepted_set(problem) * block.lattice.counts.x + problem;
    if (lane == 0u) {
        controls_from = own_set * COMPONENTS * block.lattice.controls.w;
    }
    workgroupBarrier();
    for (var i = group.x * LINE + lane; i < n; i = i + block.lattice.counts.y * LINE) {
        let pixel = pixel_at(i);
        out_x[problem * n + i] = block.factor.x * interpolated(0u, pixel);
        out_y[problem * n + i] = block.factor.y * interpolated(1u, pixel);
        if (COMPONENTS == 3u) {
            out_z[problem * n + i] = block.factor.z * interpolated(2u, pixel);
        }
    }
}

@compute @workgroup_size(256)
fn refined_controls(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let problem = group.y;
    let n = block.lattice.size.w;
    let problems = block.lattice.counts.x;
    let own_set = accepted_set(problem) * problems + problem;
    if (lane == 0u) {
        controls_from = own_set * COMPONENTS * block.lattice.controls.w;
    }
    workgroupBarrier();
    for (var i = group.x * LINE + lane; i < n; i = i + block.lattice.counts.y * LINE) {
        let at = pixel_at(i);
        for (var c = 0u; c < COMPONENTS; c = c + 1u) {
            finer[((problems + problem) * COMPONENTS + c) * n + i] = interpolated(c, at);
        }
    }
}
