// Linear interpolation on another grid over the same extent. The contract is in mod.rs. After between.wgsl.

override COMPONENTS: u32 = 1u;
// Whether the planes are pictures for themselves.
override PLANES: u32 = 0u;

// Voxels per thread, along z.
const VOXELS: u32 = 4u;

@compute @workgroup_size(32, 4)
fn resample(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= block.grids.size_out.x || id.y >= block.grids.size_out.y) {
        return;
    }
    let x = between(id.x, block.grids.size_in.x, block.grids.size_out.x, block.grids.whole.x, block.grids.rest.x);
    let y = between(id.y, block.grids.size_in.y, block.grids.size_out.y, block.grids.whole.y, block.grids.rest.y);
    let first = id.z * VOXELS;
    let end = min(first + VOXELS, block.grids.size_out.z);
    for (var to_z = first; to_z < end; to_z = to_z + 1u) {
        var z = Between(to_z, to_z, 0.0);
        if (PLANES == 0u) {
            z = between(to_z, block.grids.size_in.z, block.grids.size_out.z, block.grids.whole.z, block.grids.rest.z);
        }
        let rows = vec4<u32>(
            (z.low * block.grids.size_in.y + y.low) * block.grids.size_in.x,
            (z.low * block.grids.size_in.y + y.high) * block.grids.size_in.x,
            (z.high * block.grids.size_in.y + y.low) * block.grids.size_in.x,
            (z.high * block.grids.size_in.y + y.high) * block.grids.size_in.x,
        );
        let a = rows + x.low;
        let b = rows + x.high;
        let i = (to_z * block.grids.size_out.y + id.y) * block.grids.size_out.x + id.x;
        let weights = vec4<f32>(x.weight, y.weight, z.weight, block.gain);
        out_x[i] = mix_eight(
            vec4<f32>(input_x[a.x], input_x[a.y], input_x[a.z], input_x[a.w]),
            vec4<f32>(input_x[b.x], input_x[b.y], input_x[b.z], input_x[b.w]),
            weights,
        );
        if (COMPONENTS >= 2u) {
            out_y[i] = mix_eight(
                vec4<f32>(input_y[a.x], input_y[a.y], input_y[a.z], input_y[a.w]),
                vec4<f32>(input_y[b.x], input_y[b.y], input_y[b.z], input_y[b.w]),
                weights,
            );
        }
        if (COMPONENTS == 3u) {
            out_z[i] = mix_eight(
                vec4<f32>(input_z[a.x], input_z[a.y], input_z[a.z], input_z[a.w]),
                vec4<f32>(input_z[b.x], input_z[b.y], input_z[b.z], input_z[b.w]),
                weights,
            );
        }
    }
}
