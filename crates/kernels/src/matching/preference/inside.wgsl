// Whether a vector leads from its voxel into the image; the same as mod.rs. Needs nan.wgsl, lattice.wgsl.

override COMPONENTS: u32 = 2u;

const REACH_VOX: f32 = 0.5;

fn leads_inside(id: vec3<u32>, vector: vec3<f32>, size: vec4<u32>) -> bool {
    let at = vec3<f32>(f32(id.x) + vector.x, f32(id.y) + vector.y, f32(id.z) + vector.z);
    var inside = is_inside(at.x, size.x, REACH_VOX) && is_inside(at.y, size.y, REACH_VOX);
    if (COMPONENTS == 3u) {
        inside = inside && is_inside(at.z, size.z, REACH_VOX);
    }
    return inside;
}

fn first_at(i: u32) -> vec3<f32> {
    var vector = vec3<f32>(first_x[i], first_y[i], 0.0);
    if (COMPONENTS == 3u) {
        vector.z = first_z[i];
    }
    return vector;
}

fn second_at(i: u32) -> vec3<f32> {
    var vector = vec3<f32>(second_x[i], second_y[i], 0.0);
    if (COMPONENTS == 3u) {
        vector.z = second_z[i];
    }
    return vector;
}
