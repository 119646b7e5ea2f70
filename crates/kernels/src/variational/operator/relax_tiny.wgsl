// Whole sweeps of a grid of at most TINY voxels, without volume term: one workgroup, the unknowns in its own memory, and
// what belongs to a voxel in the registers of its thread.

// Which voxels a pass takes: 0 by parity of y + z, then of x; 1 of x + y + z (red-black).
override ORDER: u32 = 0u;

const TINY: u32 = 768u;
const THREADS: u32 = 256u;
const EACH: u32 = 3u;

var<workgroup> field: array<f32, 2304>;

fn field_at(i: u32) -> Three {
    return Three(field[i], field[i + TINY], field[i + 2u * TINY]);
}

@compute @workgroup_size(256)
fn relax_tiny(@builtin(local_invocation_index) lane: u32) {
    let size = block.size;
    let plane = size.x * size.y;
    let count = plane * size.z;
    // Springs to the six neighbours, 0 beyond the border.
    var springs: array<array<f32, 6>, 3>;
    var inverse: array<Inverse, 3>;
    var rhs: array<Three, 3>;
    var colour: array<u32, 3>;
    for (var k = 0u; k < EACH; k = k + 1u) {
        let i = lane + k * THREADS;
        colour[k] = 4u;
        if (i < count) {
            let x = i % size.x;
            let y = i / size.x % size.y;
            let z = i / plane;
            colour[k] = select(2u * ((y + z) & 1u) + (x & 1u), (x + y + z) & 1u, ORDER == 1u);
            var near = array<f32, 6>(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
            if (x > 0u) {
                near[0] = spring(block.spring.x, i, i - 1u);
            }
            if (x + 1u < size.x) {
                near[1] = spring(block.spring.x, i, i + 1u);
            }
            if (y > 0u) {
                near[2] = spring(block.spring.y, i, i - size.x);
            }
            if (y + 1u < size.y) {
                near[3] = spring(block.spring.y, i, i + size.x);
            }
            if (COMPONENTS == 3u && z > 0u) {
                near[4] = spring(block.spring.z, i, i - plane);
            }
            if (COMPONENTS == 3u && z + 1u < size.z) {
                near[5] = spring(block.spring.z, i, i + plane);
            }
            springs[k] = near;
            inverse[k] = inverse_at(i, pull_at(vec3<u32>(x, y, z)).diag);
            rhs[k] = rhs_at(i);
            let start = x_at(i);
            field[i] = start.a;
            field[i + TINY] = start.b;
            field[i + 2u * TINY] = start.c;
        }
    }
    workgroupBarrier();
    let passes = select(4u, 2u, ORDER == 1u);
    for (var step = 0u; step < block.sweeps * passes; step = step + 1u) {
        for (var k = 0u; k < EACH; k = k + 1u) {
            if (colour[k] == step % passes) {
                let i = lane + k * THREADS;
                let near = springs[k];
                // Beyond the border the voxel itself stands in, with weight 0.
                let p0 = field_at(select(i, i - 1u, near[0] > 0.0));
                let p1 = field_at(select(i, i + 1u, near[1] > 0.0));
                let p2 = field_at(select(i, i - size.x, near[2] > 0.0));
                let p3 = field_at(select(i, i + size.x, near[3] > 0.0));
                let p4 = field_at(select(i, i - plane, near[4] > 0.0));
                let p5 = field_at(select(i, i + plane, near[5] > 0.0));
                // In the order of the general text.
                var sum = add_scaled(add_scaled(rhs[k], near[2], p2), near[3], p3);
                if (COMPONENTS == 3u) {
                    sum = add_scaled(add_scaled(sum, near[4], p4), near[5], p5);
                }
                if (DIFFUSIVITY == 1u) {
                    sum = add_scaled(add_scaled(sum, near[0], p0), near[1], p1);
                } else {
                    let s = block.spring.x;
                    let has_left = near[0] > 0.0;
                    let has_right = near[1] > 0.0;
                    sum = Three(
                        sum.a + s * (select(0.0, p0.a, has_left) + select(0.0, p1.a, has_right)),
                        sum.b + s * (select(0.0, p0.b, has_left) + select(0.0, p1.b, has_right)),
                        sum.c + s * (select(0.0, p0.c, has_left) + select(0.0, p1.c, has_right)),
                    );
                }
                let next = relaxed(field_at(i), inverse[k], sum);
                field[i] = next.a;
                field[i + TINY] = next.b;
                field[i + 2u * TINY] = next.c;
            }
        }
        workgroupBarrier();
    }
    for (var i = lane; i < count; i = i + THREADS) {
        x0[i] = field[i];
        x1[i] = field[i + TINY];
        if (COMPONENTS == 3u) {
            x2[i] = field[i + 2u * TINY];
        }
    }
}
