// Image derivatives. The contract is in mod.rs. The derivative along x is in neighbours1.wgsl or neighbours4.wgsl.

// 0: forward differences; 1: central differences of fourth order; 2: means of the forward differences of both sides.
override SCHEME: u32 = 1u;
override COMPONENTS: u32 = 3u;

@compute @workgroup_size(32, 4)
fn gradient(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= block.size.x || id.y >= block.size.y) {
        return;
    }
    let row = (id.z * block.size.y + id.y) * block.size.x;
    let i = row + id.x;
    out_x[i] = derivative_x(row, id.x);
    out_y[i] = derivative(i, vec3<u32>(id.y, block.size.y, block.size.x));
    if (COMPONENTS == 3u) {
        out_z[i] = derivative(i, vec3<u32>(id.z, block.size.z, block.size.x * block.size.y));
    }
}

// The derivative along an axis; `axis` is position, size and stride along it.
fn derivative(i: u32, axis: vec3<u32>) -> Pack {
    let up = min(1u, axis.y - 1u - axis.x);
    if (SCHEME == 0u) {
        return image[i + up * axis.z] - image[i];
    }
    let down = min(1u, axis.x);
    if (SCHEME == 2u) {
        return (image[i + up * axis.z] - image[i - down * axis.z]) * 0.5;
    }
    let up2 = min(2u, axis.y - 1u - axis.x);
    let down2 = min(2u, axis.x);
    let outer = image[i - down2 * axis.z] - image[i + up2 * axis.z];
    return (outer + 8.0 * (image[i + up * axis.z] - image[i - down * axis.z])) * (1.0 / 12.0);
}
