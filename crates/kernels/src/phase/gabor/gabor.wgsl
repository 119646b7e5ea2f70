// Phases and features of all levels in one launch. The contract is in mod.rs. A workgroup filters a tile: it loads the
// image with its border, then computes nine filters along y, then seventeen along x, all in workgroup memory. Needs
// nan.wgsl, arctangent.wgsl, features.wgsl.

override PHASES: u32 = 1u;
override FEATURES: u32 = 1u;
// 1: responses are rounded to fixed point.
override FIXED: u32 = 0u;
override PLAIN: u32 = 0u;

const TILE_X: u32 = 32u;
const TILE_Y: u32 = 16u;
const WIDE: u32 = 42u;
const HIGH: u32 = 26u;
const COLUMNS: u32 = 672u;

var<workgroup> tile: array<f32, 1092>;
var<workgroup> lines: array<f32, 6048>;

// The samples around a pixel: sums and differences of the samples at equal distances on either side.
struct Sides {
    centre: f32,
    sum: vec4<f32>,
    sum5: f32,
    difference: vec4<f32>,
    difference5: f32,
}

fn even(s: Sides, filter_index: u32) -> f32 {
    let a = block.taps[2u * filter_index];
    let b = block.taps[2u * filter_index + 1u];
    return s.centre * a.x + s.sum.x * a.y + s.sum.y * a.z + s.sum.z * a.w + s.sum.w * b.x + s.sum5 * b.y;
}

fn odd(s: Sides, filter_index: u32) -> f32 {
    let a = block.taps[2u * filter_index];
    let b = block.taps[2u * filter_index + 1u];
    return s.difference.x * a.y + s.difference.y * a.z + s.difference.z * a.w + s.difference.w * b.x + s.difference5 * b.y;
}

fn down_the_tile(i: u32) -> Sides {
    let centre = i + 5u * WIDE;
    let after = vec4<f32>(
        tile[centre + WIDE],
        tile[centre + 2u * WIDE],
        tile[centre + 3u * WIDE],
        tile[centre + 4u * WIDE],
    );
    let before = vec4<f32>(
        tile[centre - WIDE],
        tile[centre - 2u * WIDE],
        tile[centre - 3u * WIDE],
        tile[centre - 4u * WIDE],
    );
    let after5 = tile[centre + 5u * WIDE];
    let before5 = tile[i];
    return Sides(tile[centre], after + before, after5 + before5, after - before, after5 - before5);
}

fn along_the_line(first: u32) -> Sides {
    let c = first + 5u;
    let after = vec4<f32>(lines[c + 1u], lines[c + 2u], lines[c + 3u], lines[c + 4u]);
    let before = vec4<f32>(lines[c - 1u], lines[c - 2u], lines[c - 3u], lines[c - 4u]);
    let after5 = lines[c + 5u];
    let before5 = lines[first];
    return Sides(lines[c], after + before, after5 + before5, after - before, after5 - before5);
}

fn rounded(response: f32) -> f32 {
    if (FIXED == 0u) {
        return response;
    }
    let whole = floor(response * block.limits.y + 0.5) * block.limits.x;
    return clamp(whole, -block.limits.z, block.limits.z);
}

// A phase in the upper fifteen bits of sixteen; the lowest bit tells whether the response has a phase.
fn half_word(even: f32, odd: f32, power: f32) -> u32 {
    // One turn (2¹⁵ steps) is added, so that the value to be rounded is positive; the final mask removes it.
    let steps = turn_steps(odd, even) + 32768.5;
    return ((u32(steps) << 1u) | select(0u, 1u, power > block.limits.w)) & 0xffffu;
}

@compute @workgroup_size(256)
fn local_phase(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = group.y * groups.x + group.x;
    // The last row of workgroups may be longer than needed; the surplus workgroups filter the last tile again.
    let index = min(number, block.count - 1u);
    var level = block.levels[0];
    for (var l = 1u; l < 13u; l = l + 1u) {
        if (index >= block.levels[l].w) {
            level = block.levels[l];
        }
    }
    let size = level.xy;
    let across = (size.x + TILE_X - 1u) / TILE_X;
    let within = index - level.w;
    let corner = vec2<u32>((within % across) * TILE_X, (within / across) * TILE_Y);
    for (var i = lane; i < WIDE * HIGH; i = i + 256u) {
        let x = min(max(corner.x + i % WIDE, 5u) - 5u, size.x - 1u);
        let y = min(max(corner.y + i / WIDE, 5u) - 5u, size.y - 1u);
        tile[i] = image[level.z + y * size.x + x];
    }
    workgroupBarrier();
    for (var i = lane; i < COLUMNS; i = i + 256u) {
        let s = down_the_tile(i);
        lines[i] = even(s, 0u);
        lines[COLUMNS + i] = even(s, 1u);
        lines[2u * COLUMNS + i] = odd(s, 2u);
        lines[3u * COLUMNS + i] = even(s, 3u);
        lines[4u * COLUMNS + i] = odd(s, 4u);
        lines[5u * COLUMNS + i] = even(s, 5u);
        lines[6u * COLUMNS + i] = odd(s, 6u);
        lines[7u * COLUMNS + i] = even(s, 7u);
        lines[8u * COLUMNS + i] = odd(s, 8u);
    }
    workgroupBarrier();
    for (var half = 0u; half < 2u; half = half + 1u) {
        let tx = lane % TILE_X;
        let ty = lane / TILE_X + 8u * half;
        let x = corner.x + tx;
        let y = corner.y + ty;
        if (x < size.x && y < size.y) {
            let first = ty * WIDE + tx;
            let at = level.z + y * size.x + x;
            // Responses of lanes 2k (x) and 2k + 1 (y).
            var even_pairs: array<vec2<f32>, 4>;
            var odd_pairs: array<vec2<f32>, 4>;
            let gaussian = along_the_line(first);
            let up_even = along_the_line(COLUMNS + first);
            let up_odd = along_the_line(2u * COLUMNS + first);
            even_pairs[0] = vec2<f32>(rounded(even(gaussian, 1u)), rounded(even(up_even, 0u)));
            odd_pairs[0] = vec2<f32>(rounded(odd(gaussian, 2u)), rounded(even(up_odd, 0u)));
            let constant = even(gaussian, 0u) * block.diagonal_constant;
            for (var k = 1u; k < 4u; k = k + 1u) {
                let along_x = 1u + 2u * k;
                let along_y = 9u - 2u * k;
                let e = along_the_line(along_y * COLUMNS + first);
                let o = along_the_line((along_y + 1u) * COLUMNS + first);
                var ee = even(e, along_x);
                if (k == 2u) {
                    ee = ee - constant;
                }
                let oe = odd(e, along_x + 1u);
                let eo = even(o, along_x);
                let oo = odd(o, along_x + 1u);
                even_pairs[k] = vec2<f32>(rounded(ee - oo), rounded(ee + oo));
                odd_pairs[k] = vec2<f32>(rounded(oe + eo), rounded(eo - oe));
            }
            var powers: array<vec2<f32>, 4>;
            for (var k = 0u; k < 4u; k = k + 1u) {
                powers[k] = even_pairs[k] * even_pairs[k] + odd_pairs[k] * odd_pairs[k];
            }
            if (PHASES == 1u) {
                var words = vec4<u32>();
                for (var k = 0u; k < 4u; k = k + 1u) {
                    let low = half_word(even_pairs[k].x, odd_pairs[k].x, powers[k].x);
                    let high = half_word(even_pairs[k].y, odd_pairs[k].y, powers[k].y);
                    words[k] = low | (high << 16u);
                }
                phases[at] = words;
            }
            if (FEATURES == 1u) {
                var sums = Sums();
                for (var k = 0u; k < 4u; k = k + 1u) {
                    sums = with_powers(sums, powers[k], block.twice[k]);
                }
                let half = half_angle(sums.x, sums.y);
                var s = 0.0;
                var c = 0.0;
                for (var k = 0u; k < 4u; k = k + 1u) {
                    if (PLAIN == 1u) {
                        s = s + odd_pairs[k].x + odd_pairs[k].y;
                        c = c + even_pairs[k].x + even_pairs[k].y;
                    } else {
                        let along = block.once[k].xz * half.x + block.once[k].yw * half.y;
                        let odd_terms = odd_pairs[k] * powers[k] * along;
                        let even_terms = even_pairs[k] * powers[k] * abs(along);
                        s = s + odd_terms.x + odd_terms.y;
                        c = c + even_terms.x + even_terms.y;
                    }
                }
                energy[at] = sums.energy;
                let has_phase = sums.most > block.limits.w;
                orientation[at] = select(not_a_number(), orientation_of(sums.x, sums.y), has_phase);
                phase[at] = select(not_a_number(), phase_of(s, c), has_phase);
            }
        }
    }
}
