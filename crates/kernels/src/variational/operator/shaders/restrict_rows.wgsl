// The mean residual of coarse cells. A thread computes two cells, that is, four fine voxels along x.

override WIDTH: u32 = 32u;
override HEIGHT: u32 = 8u;

alias Out = vec2<f32>;

@compute @workgroup_size(WIDTH, HEIGHT, 1)
fn restrict_residual(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let fine = block.size;
    let coarse = block.coarse;
    var norm2 = 0.0;
    if (id.x < fine.x && id.y < coarse.y) {
        let ys = cells(id.y, fine.y, coarse.y);
        let zs = cells(id.z, fine.z, coarse.z);
        let half = 0.5 / f32((ys.y - ys.x) * (zs.y - zs.x));
        var sum_a = vec2<f32>();
        var sum_b = vec2<f32>();
        var sum_c = vec2<f32>();
        for (var z = zs.x; z < zs.y; z = z + 1u) {
            for (var y = ys.x; y < ys.y; y = y + 1u) {
                let r = residual_at(vec3<u32>(id.x, y, z));
                sum_a = sum_a + half * (r.a.xz + r.a.yw);
                sum_b = sum_b + half * (r.b.xz + r.b.yw);
                sum_c = sum_c + half * (r.c.xz + r.c.yw);
                norm2 = norm2 + squares(r);
            }
        }
        let i = (id.z * coarse.y + id.y) * fine.x + id.x;
        out0[i] = sum_a;
        out1[i] = sum_b;
        if (COMPONENTS == 3u) {
            out2[i] = sum_c;
        }
    }
    let total = tile_sum(norm2, lane);
    if (lane == 0u) {
        sums[(group.z * groups.y + group.y) * groups.x + group.x] = total;
    }
}
