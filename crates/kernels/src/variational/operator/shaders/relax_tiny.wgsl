// Whole sweeps of a grid of at most TINY voxels, without volume term. One workgroup holds the unknowns in workgroup
// memory, and the other data of a voxel in the registers of its thread. A thread has pairs of voxels beside each other along x,
// of which a pass updates one, so that no thread rests.

// The voxels that a pass updates: by parity of y + z, then of x (0), or of x + y + z (1, red-black).
override ORDER: u32 = 0u;

const TINY: u32 = 768u;
const THREADS: u32 = 256u;
// Pairs of a thread: a grid of one voxel along x has as many pairs as voxels.
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

// The voxel of a pair that a pass updates first (0) or next (1); its x may lie beyond the end of its row.
fn voxel_of(pair: u32, nth: u32) -> vec3<u32> {
    let width = (block.size.x + 1u) / 2u;
    let y = pair / width % block.size.y;
    let z = pair / (width * block.size.y);
    let shift = select(0u, y + z, ORDER == 1u);
    return vec3<u32>(2u * (pair % width) + ((nth + shift) & 1u), y, z);
}

// What a thread knows of a voxel.
struct Held {
    along: vec2<f32>,
    across: vec4<f32>,
    inverse: Symmetric,
    rhs: Three,
}

fn relax_held(i: u32, plane: u32, held: Held) {
    let across = held.across;
    // Beyond the border the voxel itself is the neighbour, with weight 0.
    let beside = Across(
        field_at(select(i, i - block.size.x, across.x > 0.0)),
        field_at(select(i, i + block.size.x, across.y > 0.0)),
        field_at(select(i, i - plane, across.z > 0.0)),
        field_at(select(i, i + plane, across.w > 0.0)),
    );
    let own = field_at(i);
    let left = field_or_zero(i - 1u, held.along.x > 0.0);
    let right = field_or_zero(i + 1u, held.along.y > 0.0);
    let sum = add_along(add_across(held.rhs, across, beside), own, held.along, left, right);
    let next = relaxed(own, held.inverse, sum, block.omega);
    field[i] = next.a;
    field[i + TINY] = next.b;
    field[i + 2u * TINY] = next.c;
}

@compute @workgroup_size(256)
fn relax_tiny(@builtin(local_invocation_index) lane: u32) {
    let size = block.size;
    let plane = size.x * size.y;
    let count = plane * size.z;
    let pairs = (size.x + 1u) / 2u * size.y * size.z;
    // Of both voxels of each pair: what is known, and the index; and the parity of the row.
    var held: array<Held, 6>;
    var index: array<u32, 6>;
    var row: array<u32, 3>;
    for (var k = 0u; k < EACH; k = k + 1u) {
        let pair = lane + k * THREADS;
        row[k] = 0u;
        for (var nth = 0u; nth < 2u; nth = nth + 1u) {
            let own = 2u * k + nth;
            index[own] = TINY;
            if (pair < pairs) {
                let v = voxel_of(pair, nth);
                row[k] = (v.y + v.z) & 1u;
                if (v.x < size.x) {
                    let i = (v.z * size.y + v.y) * size.x + v.x;
                    index[own] = i;
                    let inverse = inverse_of(tensor_at(i), pull_at(v).diag);
                    held[own] = Held(springs_along(v), springs_across(v), inverse, rhs_at(i));
                    let start = x_at(i);
                    field[i] = start.a;
                    field[i + TINY] = start.b;
                    field[i + 2u * TINY] = start.c;
                }
            }
        }
    }
    workgroupBarrier();
    let passes = select(4u, 2u, ORDER == 1u);
    for (var step = 0u; step < block.sweeps * passes; step = step + 1u) {
        let nth = step & 1u;
        let turn = step % passes / 2u;
        for (var k = 0u; k < EACH; k = k + 1u) {
            // Rows have their turn; an index of TINY is none.
            if (k * THREADS < pairs && (ORDER == 1u || row[k] == turn)) {
                if (nth == 0u && index[2u * k] < TINY) {
                    relax_held(index[2u * k], plane, held[2u * k]);
                }
                if (nth == 1u && index[2u * k + 1u] < TINY) {
                    relax_held(index[2u * k + 1u], plane, held[2u * k + 1u]);
                }
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
