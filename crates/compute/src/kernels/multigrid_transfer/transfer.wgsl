// Between a grid and the next coarser one: the contract is mod.rs's.

override CHANNELS: u32 = 3u;

struct Block {
    fine: vec4<u32>,
    coarse: vec4<u32>,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> in0: array<f32>;
@group(0) @binding(2) var<storage, read> in1: array<f32>;
@group(0) @binding(3) var<storage, read> in2: array<f32>;
@group(0) @binding(4) var<storage, read> in3: array<f32>;
@group(0) @binding(5) var<storage, read> in4: array<f32>;
@group(0) @binding(6) var<storage, read> in5: array<f32>;
@group(0) @binding(7) var<storage, read_write> out0: array<f32>;
@group(0) @binding(8) var<storage, read_write> out1: array<f32>;
@group(0) @binding(9) var<storage, read_write> out2: array<f32>;
@group(0) @binding(10) var<storage, read_write> out3: array<f32>;
@group(0) @binding(11) var<storage, read_write> out4: array<f32>;
@group(0) @binding(12) var<storage, read_write> out5: array<f32>;

// The fine cells of a coarse one along an axis: first and end.
fn cells(cell: u32, fine: u32, coarse: u32) -> vec2<u32> {
    if (fine == coarse) {
        return vec2<u32>(cell, cell + 1u);
    }
    return vec2<u32>(2u * cell, select(2u * cell + 2u, fine, cell + 1u == coarse));
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
    var s0 = 0.0;
    var s1 = 0.0;
    var s2 = 0.0;
    var s3 = 0.0;
    var s4 = 0.0;
    var s5 = 0.0;
    for (var z = zs.x; z < zs.y; z = z + 1u) {
        for (var y = ys.x; y < ys.y; y = y + 1u) {
            for (var x = xs.x; x < xs.y; x = x + 1u) {
                let j = (z * fine.y + y) * fine.x + x;
                s0 = s0 + in0[j];
                if (CHANNELS > 1u) {
                    s1 = s1 + in1[j];
                }
                if (CHANNELS > 2u) {
                    s2 = s2 + in2[j];
                }
                if (CHANNELS > 3u) {
                    s3 = s3 + in3[j];
                }
                if (CHANNELS > 4u) {
                    s4 = s4 + in4[j];
                }
                if (CHANNELS > 5u) {
                    s5 = s5 + in5[j];
                }
            }
        }
    }
    let share = 1.0 / f32((xs.y - xs.x) * (ys.y - ys.x) * (zs.y - zs.x));
    out0[i] = share * s0;
    if (CHANNELS > 1u) {
        out1[i] = share * s1;
    }
    if (CHANNELS > 2u) {
        out2[i] = share * s2;
    }
    if (CHANNELS > 3u) {
        out3[i] = share * s3;
    }
    if (CHANNELS > 4u) {
        out4[i] = share * s4;
    }
    if (CHANNELS > 5u) {
        out5[i] = share * s5;
    }
}

// The two coarse cells around a fine cell; the near one weighs ¾ where the sizes differ.
fn around(cell: u32, fine: u32, coarse: u32) -> vec2<u32> {
    if (fine == coarse) {
        return vec2<u32>(cell, cell);
    }
    let near = cell / 2u;
    if (near >= coarse) {
        // The third cell of an odd end lies beyond the last centre.
        return vec2<u32>(coarse - 1u, coarse - 1u);
    }
    let above = min(near + 1u, coarse - 1u);
    let below = select(0u, near - 1u, near > 0u);
    return vec2<u32>(near, select(above, below, cell % 2u == 0u));
}

@compute @workgroup_size(256)
fn prolong_add(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    let fine = block.fine;
    let coarse = block.coarse;
    if (i >= fine.x * fine.y * fine.z) {
        return;
    }
    let x = i % fine.x;
    let xs = around(x, fine.x, coarse.x);
    let ys = around(i / fine.x % fine.y, fine.y, coarse.y);
    let zs = around(i / (fine.x * fine.y), fine.z, coarse.z);
    var s0 = 0.0;
    var s1 = 0.0;
    var s2 = 0.0;
    for (var corner = 0u; corner < 8u; corner = corner + 1u) {
        let far = vec3<bool>((corner & 1u) == 1u, (corner & 2u) == 2u, (corner & 4u) == 4u);
        // Corners that coincide are taken once, with the weight of both.
        if ((far.x && xs.x == xs.y) || (far.y && ys.x == ys.y) || (far.z && zs.x == zs.y)) {
            continue;
        }
        let wx = select(select(0.75, 0.25, far.x), 1.0, xs.x == xs.y);
        let wy = select(select(0.75, 0.25, far.y), 1.0, ys.x == ys.y);
        let wz = select(select(0.75, 0.25, far.z), 1.0, zs.x == zs.y);
        let j = (select(zs.x, zs.y, far.z) * coarse.y + select(ys.x, ys.y, far.y)) * coarse.x
            + select(xs.x, xs.y, far.x);
        let weight = wx * wy * wz;
        s0 = s0 + weight * in0[j];
        if (CHANNELS > 1u) {
            s1 = s1 + weight * in1[j];
        }
        if (CHANNELS > 2u) {
            s2 = s2 + weight * in2[j];
        }
    }
    out0[i] = out0[i] + s0;
    if (CHANNELS > 1u) {
        out1[i] = out1[i] + s1;
    }
    if (CHANNELS > 2u) {
        out2[i] = out2[i] + s2;
    }
}
