// Sums of the affine normal equations. The contract is in mod.rs.
//
// q qᵀ is (g gᵀ) ⊗ (p pᵀ) with p = (x, 1). Each of the 6 entries of n g gᵀ is summed with the 10 products of positions,
// and each of the 3 entries of −n g I_t with the 4 entries of p. A workgroup takes four rows at a time.

override COMPONENTS: u32 = 3u;
override WEIGHTED: u32 = 0u;

// Number of vec4 sums that a workgroup writes.
const QUADS: u32 = 19u;

fn derivative(i: u32, at: u32, count: u32, stride: u32) -> f32 {
    let before = select(i, i - stride, at > 0u);
    let after = select(i, i + stride, at + 1u < count);
    let far_before = select(before, before - stride, at > 1u);
    let far_after = select(after, after + stride, at + 2u < count);
    return (warped[far_before] - warped[far_after] + 8.0 * (warped[after] - warped[before])) * (1.0 / 12.0);
}

var<workgroup> lane_quads: array<vec4<f32>, 256>;

// Adds `value` over the workgroup and writes the sum at place `at`. All threads of the workgroup must call this
// together.
fn leave(group: u32, lane: u32, at: u32, value: vec4<f32>) {
    lane_quads[lane] = value;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half = half >> 1u) {
        if (lane < half) {
            lane_quads[lane] = lane_quads[lane] + lane_quads[lane + half];
        }
        workgroupBarrier();
    }
    if (lane == 0u) {
        sums[QUADS * group + at] = lane_quads[0];
    }
    workgroupBarrier();
}

@compute @workgroup_size(64, 4)
fn affine_normal_equations(
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = block.size;
    // Sums of each entry of n g gᵀ times position products: _a with xx, xy, xz, yy; _b with yz, zz, x, y; _c with z, 1.
    var xx_a = vec4<f32>(0.0);
    var xy_a = vec4<f32>(0.0);
    var xz_a = vec4<f32>(0.0);
    var yy_a = vec4<f32>(0.0);
    var yz_a = vec4<f32>(0.0);
    var zz_a = vec4<f32>(0.0);
    var xx_b = vec4<f32>(0.0);
    var xy_b = vec4<f32>(0.0);
    var xz_b = vec4<f32>(0.0);
    var yy_b = vec4<f32>(0.0);
    var yz_b = vec4<f32>(0.0);
    var zz_b = vec4<f32>(0.0);
    var xx_xy_c = vec4<f32>(0.0);
    var xz_yy_c = vec4<f32>(0.0);
    var yz_zz_c = vec4<f32>(0.0);
    // Sums of −n g I_t with x, y, z, 1.
    var x_t = vec4<f32>(0.0);
    var y_t = vec4<f32>(0.0);
    var z_t = vec4<f32>(0.0);
    // Sums of n I_t² and of the weights.
    var rest = vec4<f32>(0.0);
    // A workgroup has an equal stretch of all rows, four at a time.
    let rows = size.y * size.z;
    let each = ((rows + 3u) / 4u + groups.x - 1u) / groups.x * 4u;
    let end = min((group.x + 1u) * each, rows);
    for (var row = group.x * each + local.y; row < end; row = row + 4u) {
        let y = row % size.y;
        let z = row / size.y;
        for (var x = local.x; x < size.x; x = x + 64u) {
            let i = row * size.x + x;
            let difference = warped[i] - fixed[i];
            var g = vec3<f32>(derivative(i, x, size.x, 1u), derivative(i, y, size.y, size.x), 0.0);
            if (COMPONENTS == 3u) {
                g.z = derivative(i, z, size.z, size.x * size.y);
            }
            var length2 = block.centre.w + g.x * g.x + g.y * g.y;
            if (COMPONENTS == 3u) {
                length2 = length2 + g.z * g.z;
            }
            var counts = 1.0;
            if (WEIGHTED == 1u) {
                counts = weight[i];
            }
            if (is_finite(length2 + difference) && counts > 0.0) {
                let scale = counts / length2;
                let p = vec3<f32>(f32(x), f32(y), f32(z)) - block.centre.xyz;
                let a = vec4<f32>(p.x * p.x, p.x * p.y, p.x * p.z, p.y * p.y);
                let b = vec4<f32>(p.y * p.z, p.z * p.z, p.x, p.y);
                let c = vec2<f32>(p.z, 1.0);
                let s = scale * g;
                xx_a = xx_a + s.x * g.x * a;
                xy_a = xy_a + s.x * g.y * a;
                yy_a = yy_a + s.y * g.y * a;
                xx_b = xx_b + s.x * g.x * b;
                xy_b = xy_b + s.x * g.y * b;
                yy_b = yy_b + s.y * g.y * b;
                xx_xy_c = xx_xy_c + vec4<f32>(s.x * g.x * c, s.x * g.y * c);
                if (COMPONENTS == 3u) {
                    xz_a = xz_a + s.x * g.z * a;
                    yz_a = yz_a + s.y * g.z * a;
                    zz_a = zz_a + s.z * g.z * a;
                    xz_b = xz_b + s.x * g.z * b;
                    yz_b = yz_b + s.y * g.z * b;
                    zz_b = zz_b + s.z * g.z * b;
                    yz_zz_c = yz_zz_c + vec4<f32>(s.y * g.z * c, s.z * g.z * c);
                    z_t = z_t - s.z * difference * vec4<f32>(p, 1.0);
                }
                xz_yy_c = xz_yy_c + vec4<f32>(s.x * g.z * c, s.y * g.y * c);
                x_t = x_t - s.x * difference * vec4<f32>(p, 1.0);
                y_t = y_t - s.y * difference * vec4<f32>(p, 1.0);
                rest = rest + vec4<f32>(scale * difference * difference, counts, 0.0, 0.0);
            }
        }
    }
    leave(group.x, lane, 0u, xx_a);
    leave(group.x, lane, 1u, xy_a);
    leave(group.x, lane, 2u, xz_a);
    leave(group.x, lane, 3u, yy_a);
    leave(group.x, lane, 4u, yz_a);
    leave(group.x, lane, 5u, zz_a);
    leave(group.x, lane, 6u, xx_b);
    leave(group.x, lane, 7u, xy_b);
    leave(group.x, lane, 8u, xz_b);
    leave(group.x, lane, 9u, yy_b);
    leave(group.x, lane, 10u, yz_b);
    leave(group.x, lane, 11u, zz_b);
    leave(group.x, lane, 12u, xx_xy_c);
    leave(group.x, lane, 13u, xz_yy_c);
    leave(group.x, lane, 14u, yz_zz_c);
    leave(group.x, lane, 15u, x_t);
    leave(group.x, lane, 16u, y_t);
    leave(group.x, lane, 17u, z_t);
    leave(group.x, lane, 18u, rest);
}
