// Disparities that the right view confirms; a thread has a row. The contract is in mod.rs. Needs nan.wgsl.

override PHASES: u32 = 0u;

const DOUBT: f32 = 0.4;
const PER_LEAD: f32 = 0.05;
const NEAR_PX: f32 = 1.0;
const NONE: f32 = 1e9;

@compute @workgroup_size(32)
fn confirmed_disparity(@builtin(global_invocation_id) id: vec3<u32>) {
    let width = block.size.x;
    if (id.x >= block.size.y) {
        return;
    }
    let pixels = width * block.size.y;
    let row = id.x * width;
    var has_texture = PHASES == 0u;
    for (var x = 0u; x < width; x = x + 1u) {
        owners[row + x] = NONE;
        owners[pixels + row + x] = 0.0;
        if (PHASES == 1u) {
            has_texture = has_texture || !is_nan(phases[row + x]);
        }
    }
    for (var x = 0u; x < width; x = x + 1u) {
        let at = f32(x) - found[row + x];
        if (at >= 0.0 && at < f32(width)) {
            let place = row + u32(at);
            let cost = found[2u * pixels + row + x];
            if (cost < owners[place]) {
                owners[place] = cost;
                owners[pixels + place] = found[row + x];
            }
        }
    }
    for (var x = 0u; x < width; x = x + 1u) {
        let here = row + x;
        let whole = found[here];
        let at = f32(x) - whole;
        var agrees = false;
        if (has_texture && found[3u * pixels + here] > 0.0 && at >= 0.0 && at < f32(width)) {
            agrees = abs(owners[pixels + row + u32(at)] - whole) <= block.tolerance;
        }
        var known = whole + found[pixels + here];
        if (PHASES == 1u) {
            let phase = phases[here];
            if (!is_nan(phase)) {
                known = select(known, phase, abs(phase - whole) < NEAR_PX);
            }
        }
        let share = found[3u * pixels + here] * PER_LEAD;
        out[here] = select(not_a_number(), known, agrees);
        confidence[here] = select(0.0, 1.0 - DOUBT / (1.0 + share * share), agrees);
    }
}
