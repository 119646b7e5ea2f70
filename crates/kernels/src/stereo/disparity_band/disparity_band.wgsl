// Where the bands of disparities begin. The contract is in mod.rs. Needs nan.wgsl.

const HUGE: f32 = 3.4028235e38;

@compute @workgroup_size(32, 4)
fn disparity_band(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let at = id.xy / vec2<u32>(2u);
    let low = max(at, vec2<u32>(1u)) - vec2<u32>(1u);
    let high = min(at + vec2<u32>(2u), size.zw);
    var least = HUGE;
    var greatest = -HUGE;
    for (var y = low.y; y < high.y; y = y + 1u) {
        for (var x = low.x; x < high.x; x = x + 1u) {
            let d = coarser[y * size.z + x];
            if (!is_nan(d)) {
                least = select(least, d, d < least);
                greatest = select(greatest, d, d > greatest);
            }
        }
    }
    let between = select(0.0, least + greatest, least <= greatest);
    let found = coarser[at.y * size.z + at.x];
    var own = between;
    if (!is_nan(found)) {
        own = 2.0 * found;
    }
    let bounded = select(between, own - block.reach.y, between < own - block.reach.y);
    let middle = select(bounded, own + block.reach.y, bounded > own + block.reach.y);
    base[id.y * size.x + id.x] = floor(middle - block.reach.x + 0.5);
}
