// Fills unknown disparities from both sides; a thread has a row. The contract is in mod.rs. Needs nan.wgsl.

override INSIDE: u32 = 0u;

@compute @workgroup_size(32)
fn row_filling(@builtin(global_invocation_id) id: vec3<u32>) {
    let width = block.size.x;
    if (id.x >= block.size.y) {
        return;
    }
    let row = id.x * width;
    var known = not_a_number();
    for (var x = 0u; x < width; x = x + 1u) {
        let d = disparity[row + x];
        if (!is_nan(d)) {
            known = d;
        }
        out[row + x] = known;
    }
    known = not_a_number();
    let last = f32(width - 1u);
    for (var x = width; x > 0u; x = x - 1u) {
        let here = row + x - 1u;
        let own = disparity[here];
        if (!is_nan(own)) {
            known = own;
        }
        var d = out[here];
        if (is_nan(d)) {
            d = known;
        } else if (!is_nan(known)) {
            d = select(known, d, d <= known);
        }
        var counts = !is_nan(d);
        if (INSIDE == 1u && counts) {
            let at = f32(x - 1u) - d;
            counts = at >= -0.5 && at <= last + 0.5;
        }
        if (!counts) {
            d = not_a_number();
            confidence[here] = 0.0;
        }
        out[here] = d;
    }
}
