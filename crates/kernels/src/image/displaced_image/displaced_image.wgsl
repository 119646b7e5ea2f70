// A level of an image, warped by the estimate of the coarser level. The contract is in mod.rs. Needs nan.wgsl,
// expansion.wgsl, corner.wgsl.

override PLANES: u32 = 2u;

@compute @workgroup_size(32, 4)
fn displaced_image(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size.xy;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let n = neighbours(id.xy, block.size.zw);
    let plane = block.size.z * block.size.w;
    var d = vec2<f32>();
    let x = expanded(coarser[n.x], coarser[n.y], coarser[n.z], coarser[n.w]);
    d.x = select(block.factor * x, 0.0, is_nan(x));
    if (PLANES == 2u) {
        let y = expanded(coarser[plane + n.x], coarser[plane + n.y], coarser[plane + n.z], coarser[plane + n.w]);
        d.y = select(block.factor * y, 0.0, is_nan(y));
    }
    let c = corner_of(id.xy, d, size);
    let i = block.start + c.index;
    let top = image[i] + c.weight.x * (image[i + c.right] - image[i]);
    let bottom = image[i + c.down] + c.weight.x * (image[i + c.down + c.right] - image[i + c.down]);
    out[id.y * size.x + id.x] = top + c.weight.y * (bottom - top);
}
