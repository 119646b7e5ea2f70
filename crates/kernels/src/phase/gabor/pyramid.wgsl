// Levels of one or two image pyramids. The contract is in mod.rs. z = 0 is the first image, z = 1 the second.

// 0: level 0 exists already; otherwise it is written too, from samples (1) or bytes (2).
override FIRST: u32 = 0u;

fn fine(image: u32, i: u32) -> f32 {
    if (FIRST == 2u) {
        var word = 0u;
        if (image == 0u) {
            word = picture_a[i >> 2u];
        } else {
            word = picture_b[i >> 2u];
        }
        return f32((word >> (8u * (i & 3u))) & 255u);
    }
    if (FIRST == 1u) {
        if (image == 0u) {
            return bitcast<f32>(picture_a[i]);
        }
        return bitcast<f32>(picture_b[i]);
    }
    if (image == 0u) {
        return pyramid_a[block.start.x + i];
    }
    return pyramid_b[block.start.x + i];
}

fn keep(image: u32, i: u32, value: f32) {
    if (image == 0u) {
        pyramid_a[i] = value;
    } else {
        pyramid_b[i] = value;
    }
}

// The filter along a column of five pixels; the filter along the row of columns follows. The CPU kernel has the same
// order.
fn column(image: u32, x: u32, rows: array<u32, 5>) -> f32 {
    let a = fine(image, rows[0] + x);
    let b = fine(image, rows[1] + x);
    let c = fine(image, rows[2] + x);
    let d = fine(image, rows[3] + x);
    let e = fine(image, rows[4] + x);
    return (a + e) + 4.0 * (b + d) + 6.0 * c;
}

@compute @workgroup_size(32, 8)
fn halve(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (FIRST != 0u) {
        for (var dy = 0u; dy < 2u; dy = dy + 1u) {
            for (var dx = 0u; dx < 2u; dx = dx + 1u) {
                let x = 2u * id.x + dx;
                let y = 2u * id.y + dy;
                if (x < size.x && y < size.y) {
                    let i = y * size.x + x;
                    keep(id.z, i, fine(id.z, i));
                }
            }
        }
    }
    if (id.x >= size.z || id.y >= size.w) {
        return;
    }
    let last = size.xy - vec2<u32>(1u);
    let at = 2u * id.xy;
    var rows: array<u32, 5>;
    rows[0] = min(max(at.y, 2u) - 2u, last.y) * size.x;
    rows[1] = min(max(at.y, 1u) - 1u, last.y) * size.x;
    rows[2] = min(at.y, last.y) * size.x;
    rows[3] = min(at.y + 1u, last.y) * size.x;
    rows[4] = min(at.y + 2u, last.y) * size.x;
    let a = column(id.z, min(max(at.x, 2u) - 2u, last.x), rows);
    let b = column(id.z, min(max(at.x, 1u) - 1u, last.x), rows);
    let c = column(id.z, min(at.x, last.x), rows);
    let d = column(id.z, min(at.x + 1u, last.x), rows);
    let e = column(id.z, min(at.x + 2u, last.x), rows);
    let sum = (a + e) + 4.0 * (b + d) + 6.0 * c;
    keep(id.z, block.start.y + id.y * size.z + id.x, sum * 0.00390625);
}
