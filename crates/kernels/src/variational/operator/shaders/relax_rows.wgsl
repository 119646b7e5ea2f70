// A pass over the rows of one parity of y + z: first even x, then odd x, while the row is in registers. A workgroup
// holds whole rows, so that no other workgroup writes them. The second pass may run backwards from the last plane, whose
// rows are still in the cache.

override WIDTH: u32 = 64u;
override HEIGHT: u32 = 4u;
override BACKWARDS: u32 = 1u;

// The first voxel of each pack, after the update of its even voxels.
var<workgroup> firsts: array<vec3<f32>, 1024>;

@compute @workgroup_size(WIDTH, HEIGHT, 1)
fn relax_rows(@builtin(local_invocation_id) local: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let size = block.size;
    let p = local.x;
    let z = select(group.z, size.z - 1u - group.z, BACKWARDS == 1u && block.rows == 1u);
    let y = 2u * (group.y * HEIGHT + local.y) + ((block.rows + z) & 1u);
    let inside = y < size.y;
    let v = vec3<u32>(p, y, z);
    let i = index_of(v);
    let lane = local.y * WIDTH + p;
    let zero = vec4<f32>(0.0);
    var own = Three(zero, zero, zero);
    var base = Three(zero, zero, zero);
    var inverse: Symmetric;
    var left = vec3<f32>(0.0, 0.0, 0.0);
    if (inside) {
        own = x_at(i);
        let springs = springs_across(v);
        base = add_across(rhs_at(i), springs, across_at(v));
        let diag = total_of_springs(springs, block.spring.x, p > 0u, p + 1u < size.x);
        inverse = inverse_of(tensor_at(i), Three(diag, diag, diag));
        left = left_of(v);
        // The right neighbour of an even voxel is in the same pack.
        let sums = add_along_x(base, own, left, vec3<f32>(0.0, 0.0, 0.0), block.spring.x);
        let next = relaxed(own, inverse, sums, block.omega);
        own = Three(
            vec4<f32>(next.a.x, own.a.y, next.a.z, own.a.w),
            vec4<f32>(next.b.x, own.b.y, next.b.z, own.b.w),
            vec4<f32>(next.c.x, own.c.y, next.c.z, own.c.w),
        );
        firsts[lane] = vec3<f32>(own.a.x, own.b.x, own.c.x);
    }
    workgroupBarrier();
    if (inside) {
        var right = vec3<f32>(0.0, 0.0, 0.0);
        if (p + 1u < size.x) {
            right = firsts[lane + 1u];
        }
        let sums = add_along_x(base, own, left, right, block.spring.x);
        let next = relaxed(own, inverse, sums, block.omega);
        x0[i] = vec4<f32>(own.a.x, next.a.y, own.a.z, next.a.w);
        x1[i] = vec4<f32>(own.b.x, next.b.y, own.b.z, next.b.w);
        if (COMPONENTS == 3u) {
            x2[i] = vec4<f32>(own.c.x, next.c.y, own.c.z, next.c.w);
        }
    }
}
