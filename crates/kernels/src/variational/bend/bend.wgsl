// The squared bend of a field, added to what is there: the contract is mod.rs's.

override COMPONENTS: u32 = 3u;

// The Laplacian of a component from its samples: here, then before and after along each axis.
fn laplacian(here: f32, x: vec2<f32>, y: vec2<f32>, z: vec2<f32>) -> f32 {
    var sum = block.weights.x * (x.x + x.y - 2.0 * here);
    sum = sum + block.weights.y * (y.x + y.y - 2.0 * here);
    if (COMPONENTS == 3u) {
        sum = sum + block.weights.z * (z.x + z.y - 2.0 * here);
    }
    return sum;
}

@compute @workgroup_size(64, 4)
fn bend(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let plane = size.x * size.y;
    let i = id.z * plane + id.y * size.x + id.x;
    // Beyond the border lies the voxel itself.
    let x = vec2<u32>(select(i, i - 1u, id.x > 0u), select(i, i + 1u, id.x + 1u < size.x));
    let y = vec2<u32>(select(i, i - size.x, id.y > 0u), select(i, i + size.x, id.y + 1u < size.y));
    let z = vec2<u32>(select(i, i - plane, id.z > 0u), select(i, i + plane, id.z + 1u < size.z));
    var along_z = vec2<f32>(0.0);
    if (COMPONENTS == 3u) {
        along_z = vec2<f32>(d_x[z.x], d_x[z.y]);
    }
    let first = laplacian(d_x[i], vec2<f32>(d_x[x.x], d_x[x.y]), vec2<f32>(d_x[y.x], d_x[y.y]), along_z);
    if (COMPONENTS == 3u) {
        along_z = vec2<f32>(d_y[z.x], d_y[z.y]);
    }
    let second = laplacian(d_y[i], vec2<f32>(d_y[x.x], d_y[x.y]), vec2<f32>(d_y[y.x], d_y[y.y]), along_z);
    var squares = first * first + second * second;
    if (COMPONENTS == 3u) {
        along_z = vec2<f32>(d_z[z.x], d_z[z.y]);
        let third = laplacian(d_z[i], vec2<f32>(d_z[x.x], d_z[x.y]), vec2<f32>(d_z[y.x], d_z[y.y]), along_z);
        squares = squares + third * third;
    }
    error[i] = error[i] + block.weights.w * squares;
}
