// Medians of estimates, of which some may be unknown. The contract is in mod.rs. id.z is the plane. Needs nan.wgsl,
// expansion.wgsl.

override RADIUS: u32 = 1u;
// Number of samples in the lower half of the window.
override HALF: u32 = 5u;
override SIDE: u32 = 3u;
override COARSER: u32 = 0u;

const HUGE: f32 = 3.4028235e38;

fn middle_of(a: f32, b: f32, c: f32) -> f32 {
    return max(min(a, b), min(max(a, b), c));
}

struct Five {
    a: f32,
    b: f32,
    c: f32,
    d: f32,
    e: f32,
}

// Sorts five values with nine exchanges.
fn sorted_five(v: Five) -> Five {
    let a0 = min(v.a, v.b);
    let b0 = max(v.a, v.b);
    let d0 = min(v.d, v.e);
    let e0 = max(v.d, v.e);
    let c1 = min(v.c, e0);
    let e1 = max(v.c, e0);
    let c2 = min(c1, d0);
    let d2 = max(c1, d0);
    let b3 = min(b0, e1);
    let e3 = max(b0, e1);
    let a4 = min(a0, d2);
    let d4 = max(a0, d2);
    let a5 = min(a4, c2);
    let c5 = max(a4, c2);
    let b6 = min(b3, d4);
    let d6 = max(b3, d4);
    return Five(a5, min(b6, c5), max(b6, c5), d6, e3);
}

// The median of a 3 × 3 window, given by its rows. Each column is sorted. The median is then the median of three: the
// greatest of the columns' least values, the median of their middle values, and the least of their greatest values.
fn median_of_nine(a: vec3<f32>, b: vec3<f32>, c: vec3<f32>) -> f32 {
    let low = min(a, b);
    let high = max(a, b);
    let least = min(low, c);
    let middle = max(low, min(high, c));
    let most = max(high, c);
    return middle_of(
        max(max(least.x, least.y), least.z),
        middle_of(middle.x, middle.y, middle.z),
        min(min(most.x, most.y), most.z),
    );
}

// The median of a 5 × 5 window, given by its rows. The rows are sorted, then the columns of the result. Six values are
// then known to lie below the median and six above. Of the thirteen in between, the least and the greatest of eight are
// discarded and another value is added, until the median is left.
fn median_of_twenty_five(p: Five, q: Five, r: Five, s: Five, t: Five) -> f32 {
    let f = sorted_five(p);
    let g = sorted_five(q);
    let h = sorted_five(r);
    let i = sorted_five(s);
    let j = sorted_five(t);
    let a = sorted_five(Five(f.a, g.a, h.a, i.a, j.a));
    let b = sorted_five(Five(f.b, g.b, h.b, i.b, j.b));
    let c = sorted_five(Five(f.c, g.c, h.c, i.c, j.c));
    let d = sorted_five(Five(f.d, g.d, h.d, i.d, j.d));
    let e = sorted_five(Five(f.e, g.e, h.e, i.e, j.e));
    var between: array<f32, 13>;
    between[0] = a.d;
    between[1] = a.e;
    between[2] = b.c;
    between[3] = b.d;
    between[4] = b.e;
    between[5] = c.b;
    between[6] = c.c;
    between[7] = c.d;
    between[8] = d.a;
    between[9] = d.b;
    between[10] = d.c;
    between[11] = e.a;
    between[12] = e.b;
    for (var round = 0u; round < 6u; round = round + 1u) {
        for (var k = 1u; k < 8u; k = k + 1u) {
            if (k > round) {
                let least = min(between[round], between[k]);
                between[k] = max(between[round], between[k]);
                between[round] = least;
            }
        }
        for (var k = 1u; k < 7u; k = k + 1u) {
            if (k > round) {
                let least = min(between[k], between[7]);
                between[7] = max(between[k], between[7]);
                between[k] = least;
            }
        }
        between[7] = between[min(8u + round, 12u)];
    }
    return between[6];
}

@compute @workgroup_size(32, 4)
fn valid_median(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size.xy;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let plane = id.z * size.x * size.y;
    let here = plane + id.y * size.x + id.x;
    var found = not_a_number();
    if (RADIUS == 0u) {
        found = estimates[here];
    } else {
        var values: array<f32, 25>;
        var count = 0u;
        var inside = 0u;
        for (var dy = 0u; dy < SIDE; dy = dy + 1u) {
            for (var dx = 0u; dx < SIDE; dx = dx + 1u) {
                // Negative positions wrap around to large numbers, and so are outside too.
                let x = id.x + dx - RADIUS;
                let y = id.y + dy - RADIUS;
                var value = HUGE;
                if (x < size.x && y < size.y) {
                    inside = inside + 1u;
                    let sample = estimates[plane + y * size.x + x];
                    if (!is_nan(sample)) {
                        count = count + 1u;
                        value = sample;
                    }
                }
                values[dy * SIDE + dx] = value;
            }
        }
        if (count == SIDE * SIDE && RADIUS == 1u) {
            found = median_of_nine(
                vec3<f32>(values[0], values[1], values[2]),
                vec3<f32>(values[3], values[4], values[5]),
                vec3<f32>(values[6], values[7], values[8]),
            );
        } else if (count == SIDE * SIDE) {
            found = median_of_twenty_five(
                Five(values[0], values[1], values[2], values[3], values[4]),
                Five(values[5], values[6], values[7], values[8], values[9]),
                Five(values[10], values[11], values[12], values[13], values[14]),
                Five(values[15], values[16], values[17], values[18], values[19]),
                Five(values[20], values[21], values[22], values[23], values[24]),
            );
        } else if (2u * count > inside) {
            // The values are inserted one after the other into the sorted lower half; its greatest value drops out.
            var sorted: array<f32, 13>;
            for (var k = 0u; k < HALF; k = k + 1u) {
                sorted[k] = HUGE;
            }
            for (var i = 0u; i < SIDE * SIDE; i = i + 1u) {
                var value = values[i];
                for (var k = 0u; k < HALF; k = k + 1u) {
                    let least = min(sorted[k], value);
                    value = max(sorted[k], value);
                    sorted[k] = least;
                }
            }
            var lower = 0.0;
            var upper = 0.0;
            for (var k = 0u; k < HALF; k = k + 1u) {
                lower = select(lower, sorted[k], k == (count - 1u) / 2u);
                upper = select(upper, sorted[k], k == count / 2u);
            }
            found = select(0.5 * (lower + upper), upper, (count & 1u) == 1u);
        }
    }
    if (COARSER == 1u && is_nan(found)) {
        let n = neighbours(id.xy, block.size.zw) + vec4<u32>(id.z * block.size.z * block.size.w);
        found = expanded(coarser[n.x], coarser[n.y], coarser[n.z], coarser[n.w]);
    }
    out[here] = found;
    if (id.z < block.planes && is_nan(found)) {
        confidence[here] = 0.0;
    }
}
