// Kernels that apply the operator, voxel by voxel: norm of the residual, Jacobi sweep, restriction of the residual.

alias Out = f32;

fn voxel_of(i: u32) -> vec3<u32> {
    let size = block.size;
    return vec3<u32>(i % size.x, i / size.x % size.y, i / (size.x * size.y));
}

@compute @workgroup_size(256)
fn residual_norm2(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let count = block.size.x * block.size.y * block.size.z;
    var sum = 0.0;
    let own = own_items(group.x, groups.x, count);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        sum = sum + squares(residual_at(voxel_of(i)));
    }
    let total = workgroup_sum(sum, lane);
    if (lane == 0u) {
        sums[group.x] = total;
    }
}

@compute @workgroup_size(256)
fn jacobi(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = line_index(id, groups);
    if (i >= block.size.x * block.size.y * block.size.z) {
        return;
    }
    let next = next_at(voxel_of(i));
    out0[i] = next.a;
    out1[i] = next.b;
    if (COMPONENTS == 3u) {
        out2[i] = next.c;
    }
}

@compute @workgroup_size(256)
fn restrict_residual(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let fine = block.size;
    let coarse = block.coarse;
    let count = coarse.x * coarse.y * coarse.z;
    var norm2 = 0.0;
    let own = own_items(group.x, groups.x, count);
    for (var i = own.x + lane; i < own.y; i = i + LINE) {
        let xs = cells(i % coarse.x, fine.x, coarse.x);
        let ys = cells(i / coarse.x % coarse.y, fine.y, coarse.y);
        let zs = cells(i / (coarse.x * coarse.y), fine.z, coarse.z);
        let share = 1.0 / f32((ys.y - ys.x) * (zs.y - zs.x));
        let across = f32(xs.y - xs.x);
        var sum = Three(0.0, 0.0, 0.0);
        for (var z = zs.x; z < zs.y; z = z + 1u) {
            for (var y = ys.x; y < ys.y; y = y + 1u) {
                var row = Three(0.0, 0.0, 0.0);
                for (var x = xs.x; x < xs.y; x = x + 1u) {
                    let r = residual_at(vec3<u32>(x, y, z));
                    row = Three(row.a + r.a, row.b + r.b, row.c + r.c);
                    norm2 = norm2 + squares(r);
                }
                sum.a = sum.a + share * (row.a / across);
                sum.b = sum.b + share * (row.b / across);
                sum.c = sum.c + share * (row.c / across);
            }
        }
        out0[i] = sum.a;
        out1[i] = sum.b;
        if (COMPONENTS == 3u) {
            out2[i] = sum.c;
        }
    }
    let total = workgroup_sum(norm2, lane);
    if (lane == 0u) {
        sums[group.x] = total;
    }
}
