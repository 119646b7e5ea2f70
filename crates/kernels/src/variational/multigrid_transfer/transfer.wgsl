// Transfers between a grid and the next coarser one. The contract is in mod.rs.

override CHANNELS: u32 = 3u;
// 1: prolongation overwrites the fine grid; 0: it adds to it.
override ANEW: u32 = 0u;
// Of a prolongation's workgroups.
override WIDTH: u32 = 32u;
override HEIGHT: u32 = 8u;

// The mean of one, two or three samples of a row.
fn mean(first: f32, second: f32, third: f32, count: u32) -> f32 {
    if (count == 1u) {
        return first;
    }
    if (count == 2u) {
        return 0.5 * (first + second);
    }
    return (first + second + third) / 3.0;
}

fn mean0(at: u32, end: u32) -> f32 {
    return mean(in0[at], in0[min(at + 1u, end - 1u)], in0[end - 1u], end - at);
}

fn mean1(at: u32, end: u32) -> f32 {
    return mean(in1[at], in1[min(at + 1u, end - 1u)], in1[end - 1u], end - at);
}

fn mean2(at: u32, end: u32) -> f32 {
    return mean(in2[at], in2[min(at + 1u, end - 1u)], in2[end - 1u], end - at);
}

fn mean3(at: u32, end: u32) -> f32 {
    return mean(in3[at], in3[min(at + 1u, end - 1u)], in3[end - 1u], end - at);
}

fn mean4(at: u32, end: u32) -> f32 {
    return mean(in4[at], in4[min(at + 1u, end - 1u)], in4[end - 1u], end - at);
}

fn mean5(at: u32, end: u32) -> f32 {
    return mean(in5[at], in5[min(at + 1u, end - 1u)], in5[end - 1u], end - at);
}

@compute @workgroup_size(256)
fn restrict_mean(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    let fine = block.fine;
    let coarse = block.coarse;
    if (i >= coarse.x * coarse.y * coarse.z) {
        return;
    }
    let xs = cells(i % coarse.x, fine.x, coarse.x);
    let ys = cells(i / coarse.x % coarse.y, fine.y, coarse.y);
    let zs = cells(i / (coarse.x * coarse.y), fine.z, coarse.z);
    let share = 1.0 / f32((ys.y - ys.x) * (zs.y - zs.x));
    var s0 = 0.0;
    var s1 = 0.0;
    var s2 = 0.0;
    var s3 = 0.0;
    var s4 = 0.0;
    var s5 = 0.0;
    for (var z = zs.x; z < zs.y; z = z + 1u) {
        for (var y = ys.x; y < ys.y; y = y + 1u) {
            let row = (z * fine.y + y) * fine.x;
            let at = row + xs.x;
            let end = row + xs.y;
            s0 = s0 + share * mean0(at, end);
            if (CHANNELS > 1u) {
                s1 = s1 + share * mean1(at, end);
            }
            if (CHANNELS > 2u) {
                s2 = s2 + share * mean2(at, end);
            }
            if (CHANNELS > 3u) {
                s3 = s3 + share * mean3(at, end);
            }
            if (CHANNELS > 4u) {
                s4 = s4 + share * mean4(at, end);
            }
            if (CHANNELS > 5u) {
                s5 = s5 + share * mean5(at, end);
            }
        }
    }
    out0[i] = s0;
    if (CHANNELS > 1u) {
        out1[i] = s1;
    }
    if (CHANNELS > 2u) {
        out2[i] = s2;
    }
    if (CHANNELS > 3u) {
        out3[i] = s3;
    }
    if (CHANNELS > 4u) {
        out4[i] = s4;
    }
    if (CHANNELS > 5u) {
        out5[i] = s5;
    }
}

// The nearest and the next nearest coarse cell of a fine one along an axis, and the weight of the nearest.
struct Around {
    near: u32,
    far: u32,
    weight: f32,
}

fn around(cell: u32, fine: u32, coarse: u32) -> Around {
    if (fine == coarse) {
        return Around(cell, cell, 1.0);
    }
    let near = cell / 2u;
    if (near >= coarse) {
        // At an odd end, the last of three fine cells lies beyond the centre of the last coarse cell.
        return Around(coarse - 1u, coarse - 1u, 1.0);
    }
    let above = min(near + 1u, coarse - 1u);
    let below = select(0u, near - 1u, near > 0u);
    return Around(near, select(above, below, cell % 2u == 0u), 0.75);
}

// The weighted sum of the samples of one column in four rows.
fn blend(lines: vec4<f32>, weights: vec4<f32>) -> f32 {
    return weights.x * lines.x + weights.y * lines.y + weights.z * lines.z + weights.w * lines.w;
}

fn along_x(near: f32, far: f32, weight: f32) -> f32 {
    return select(weight * near + (1.0 - weight) * far, near, weight == 1.0);
}

// The value of the fine grid to which prolongation adds.
fn present(value: f32) -> f32 {
    if (ANEW == 1u) {
        return 0.0;
    }
    return value;
}

@compute @workgroup_size(WIDTH, HEIGHT, 1)
fn prolong_add(@builtin(global_invocation_id) id: vec3<u32>) {
    let fine = block.fine;
    let coarse = block.coarse;
    if (id.x >= fine.x || id.y >= fine.y) {
        return;
    }
    let i = (id.z * fine.y + id.y) * fine.x + id.x;
    let x = around(id.x, fine.x, coarse.x);
    let y = around(id.y, fine.y, coarse.y);
    let z = around(id.z, fine.z, coarse.z);
    let lines = coarse.x * vec4<u32>(
        z.near * coarse.y + y.near,
        z.near * coarse.y + y.far,
        z.far * coarse.y + y.near,
        z.far * coarse.y + y.far,
    );
    let w = vec4<f32>(
        y.weight * z.weight,
        (1.0 - y.weight) * z.weight,
        y.weight * (1.0 - z.weight),
        (1.0 - y.weight) * (1.0 - z.weight),
    );
    let n = lines + x.near;
    let f = lines + x.far;
    let near0 = blend(vec4<f32>(in0[n.x], in0[n.y], in0[n.z], in0[n.w]), w);
    let far0 = blend(vec4<f32>(in0[f.x], in0[f.y], in0[f.z], in0[f.w]), w);
    out0[i] = present(out0[i]) + along_x(near0, far0, x.weight);
    if (CHANNELS > 1u) {
        let near1 = blend(vec4<f32>(in1[n.x], in1[n.y], in1[n.z], in1[n.w]), w);
        let far1 = blend(vec4<f32>(in1[f.x], in1[f.y], in1[f.z], in1[f.w]), w);
        out1[i] = present(out1[i]) + along_x(near1, far1, x.weight);
    }
    if (CHANNELS > 2u) {
        let near2 = blend(vec4<f32>(in2[n.x], in2[n.y], in2[n.z], in2[n.w]), w);
        let far2 = blend(vec4<f32>(in2[f.x], in2[f.y], in2[f.z], in2[f.w]), w);
        out2[i] = present(out2[i]) + along_x(near2, far2, x.weight);
    }
}
