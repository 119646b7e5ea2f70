// Whole sweeps of a grid of at most TINY voxels, without volume term. One workgroup holds the unknowns in workgroup
// memory, and the other data of a voxel in the registers of its thread.

// The voxels that a pass updates: by parity of y + z, then of x (0), or of x + y + z (1, red-black).
override ORDER: u32 = 0u;

const TINY: u32 = 768u;
const THREADS: u32 = 256u;
const EACH: u32 = 3u;

var<workgroup> field: array<f32, 2304>;

fn field_at(i: u32) -> Three {
    return Three(field[i], field[i + TINY], field[i + 2u * TINY]);
}

fn field_or_zero(i: u32, is_inside: bool) -> vec3<f32> {
    if (is_inside) {
        return vec3<f32>(field[i], field[i + TINY], field[i + 2u * TINY]);
    }
    return vec3<f32>(0.0, 0.0, 0.0);
}

@compute @workgroup_size(256)
fn relax_tiny(@builtin(local_invocation_index) lane: u32) {
    let size = block.size;
    let plane = size.x * size.y;
    let count = plane * size.z;
    // Springs to the neighbours along x (`along`), and along y and z (`across`); 0 beyond the border.
    var along: array<vec2<f32>, 3>;
    var across: array<vec4<f32>, 3>;
    var inverse: array<Symmetric, 3>;
    var rhs: array<Three, 3>;
    var colour: array<u32, 3>;
    for (var k = 0u; k < EACH; k = k + 1u) {
        let i = lane + k * THREADS;
        colour[k] = 4u;
        if (i < count) {
            let v = vec3<u32>(i % size.x, i / size.x % size.y, i / plane);
            colour[k] = select(2u * ((v.y + v.z) & 1u) + (v.x & 1u), (v.x + v.y + v.z) & 1u, ORDER == 1u);
            along[k] = springs_along(v);
            across[k] = springs_across(v);
            inverse[k] = inverse_of(tensor_at(i), pull_at(v).diag);
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
                // Beyond the border the voxel itself is the neighbour, with weight 0.
                let beside = Across(
                    field_at(select(i, i - size.x, across[k].x > 0.0)),
                    field_at(select(i, i + size.x, across[k].y > 0.0)),
                    field_at(select(i, i - plane, across[k].z > 0.0)),
                    field_at(select(i, i + plane, across[k].w > 0.0)),
                );
                let own = field_at(i);
                let left = field_or_zero(i - 1u, along[k].x > 0.0);
                let right = field_or_zero(i + 1u, along[k].y > 0.0);
                let sum = add_along(add_across(rhs[k], across[k], beside), own, along[k], left, right);
                let next = relaxed(own, inverse[k], sum, block.omega);
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
