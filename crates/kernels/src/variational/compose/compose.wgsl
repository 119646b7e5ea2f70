// δ + d ∘ (id + δ), or a step of δ to the inverse by that sum. The contract is in mod.rs.

override COMPONENTS: u32 = 3u;
override TOWARDS_INVERSE: u32 = 0u;

// The position that a voxel is displaced to. A NaN is replaced by the origin; the sum afterwards keeps its component
// NaN.
fn position(voxel: u32, step: f32) -> f32 {
    return select(f32(voxel) + step, 0.0, is_nan(step));
}

@compute @workgroup_size(64, 2)
fn compose(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= block.size.x || id.y >= block.size.y) {
        return;
    }
    let i = (id.z * block.size.y + id.y) * block.size.x + id.x;
    let step_x = increment_x[i];
    let step_y = increment_y[i];
    let x = cell_of(position(id.x, step_x * block.per_edge.x), block.size.x);
    let y = cell_of(position(id.y, step_y * block.per_edge.y), block.size.y);
    let right = x.high - x.low;
    if (COMPONENTS == 2u) {
        let at = vec2<u32>(y.low, y.high) * block.size.x + x.low;
        let px = vec2<f32>(displacement_x[at.x], displacement_x[at.y]);
        let py = vec2<f32>(displacement_y[at.x], displacement_y[at.y]);
        let qx = vec2<f32>(displacement_x[at.x + right], displacement_x[at.y + right]);
        let qy = vec2<f32>(displacement_y[at.x + right], displacement_y[at.y + right]);
        let rows_x = lerp2(px, qx, x.weight);
        let rows_y = lerp2(py, qy, x.weight);
        increment_x[i] = joined(step_x, add_lerp(step_x, rows_x.x, rows_x.y, y.weight));
        increment_y[i] = joined(step_y, add_lerp(step_y, rows_y.x, rows_y.y, y.weight));
        return;
    }
    let step_z = increment_z[i];
    let z = cell_of(position(id.z, step_z * block.per_edge.z), block.size.z);
    let base = (z.low * block.size.y + y.low) * block.size.x + x.low;
    let row = (y.high - y.low) * block.size.x;
    let plane = (z.high - z.low) * block.size.x * block.size.y;
    let p = base + vec4<u32>(0u, row, plane, plane + row);
    let q = p + right;
    let px = vec4<f32>(displacement_x[p.x], displacement_x[p.y], displacement_x[p.z], displacement_x[p.w]);
    let py = vec4<f32>(displacement_y[p.x], displacement_y[p.y], displacement_y[p.z], displacement_y[p.w]);
    let pz = vec4<f32>(displacement_z[p.x], displacement_z[p.y], displacement_z[p.z], displacement_z[p.w]);
    let qx = vec4<f32>(displacement_x[q.x], displacement_x[q.y], displacement_x[q.z], displacement_x[q.w]);
    let qy = vec4<f32>(displacement_y[q.x], displacement_y[q.y], displacement_y[q.z], displacement_y[q.w]);
    let qz = vec4<f32>(displacement_z[q.x], displacement_z[q.y], displacement_z[q.z], displacement_z[q.w]);
    increment_x[i] = joined(step_x, add_blend(step_x, lerp4(px, qx, x.weight), y.weight, z.weight));
    increment_y[i] = joined(step_y, add_blend(step_y, lerp4(py, qy, x.weight), y.weight, z.weight));
    increment_z[i] = joined(step_z, add_blend(step_z, lerp4(pz, qz, x.weight), y.weight, z.weight));
}

fn add_blend(start: f32, rows: vec4<f32>, along_y: f32, along_z: f32) -> f32 {
    let planes = lerp2(rows.xz, rows.yw, along_y);
    return add_lerp(start, planes.x, planes.y, along_z);
}

// The sum itself, or the step that it asks for.
fn joined(step: f32, sum: f32) -> f32 {
    if (TOWARDS_INVERSE == 1u) {
        return step - block.relaxation * sum;
    }
    return sum;
}
