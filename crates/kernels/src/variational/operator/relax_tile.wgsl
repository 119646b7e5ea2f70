// Sweeps of a picture in chequered order, without volume term, several at once. A workgroup holds a tile, and a voxel more on every
// side for each pass, in its own memory, and the other data of a voxel in the registers of its thread. What lies around the tile
// goes wrong from the outside inwards, a voxel a pass, and is not written.

const TILE: vec2<u32> = vec2<u32>(32u, 16u);
// Voxels around a tile: two for each of four sweeps at most.
const AROUND: u32 = 8u;
const WIDE: u32 = 48u;
const HIGH: u32 = 32u;
const THREADS: u32 = 512u;
// Voxels of a thread.
const EACH: u32 = 3u;

@group(0) @binding(15) var<storage, read_write> out0: array<f32>;
@group(0) @binding(16) var<storage, read_write> out1: array<f32>;

var<workgroup> field: array<vec2<f32>, 1536>;

fn field_at(i: u32) -> Three {
    return Three(field[i].x, field[i].y, 0.0);
}

fn field_or_zero(i: u32, is_inside: bool) -> vec3<f32> {
    if (is_inside) {
        return vec3<f32>(field[i], 0.0);
    }
    return vec3<f32>(0.0, 0.0, 0.0);
}

// The voxel of a place of the tile and what lies around it; z is 1 outside of the grid.
fn voxel_of(place: u32, group: vec2<u32>) -> vec3<u32> {
    let at = group * TILE + vec2<u32>(place % WIDE, place / WIDE);
    let is_inside = all(at >= vec2<u32>(AROUND)) && all(at < block.size.xy + vec2<u32>(AROUND));
    return vec3<u32>(at - vec2<u32>(AROUND), select(1u, 0u, is_inside));
}

@compute @workgroup_size(512)
fn relax_tile(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let size = block.size;
    // Springs to the neighbours along x (`along`) and along y (`across`); 0 beyond the border.
    var along: array<vec2<f32>, 3>;
    var across: array<vec4<f32>, 3>;
    var inverse: array<Symmetric, 3>;
    var rhs: array<Three, 3>;
    var colour: array<u32, 3>;
    for (var k = 0u; k < EACH; k = k + 1u) {
        let place = lane + k * THREADS;
        let v = voxel_of(place, group.xy);
        colour[k] = 2u;
        if (v.z == 0u) {
            let i = index_of(v);
            colour[k] = (v.x + v.y) & 1u;
            along[k] = springs_along(v);
            across[k] = springs_across(v);
            inverse[k] = inverse_of(tensor_at(i), pull_at(v).diag);
            rhs[k] = rhs_at(i);
            let start = x_at(i);
            field[place] = vec2<f32>(start.a, start.b);
        }
    }
    workgroupBarrier();
    for (var step = 0u; step < 2u * block.sweeps; step = step + 1u) {
        for (var k = 0u; k < EACH; k = k + 1u) {
            if (colour[k] == (step & 1u)) {
                let i = lane + k * THREADS;
                // Beyond the border the voxel itself is the neighbour, with weight 0; at the edge of what is held, with any.
                let front = field_at(select(i, i - WIDE, across[k].x > 0.0 && i >= WIDE));
                let back = field_at(select(i, i + WIDE, across[k].y > 0.0 && i + WIDE < WIDE * HIGH));
                let own = field_at(i);
                let left = field_or_zero(i - 1u, along[k].x > 0.0 && i > 0u);
                let right = field_or_zero(i + 1u, along[k].y > 0.0 && i + 1u < WIDE * HIGH);
                let beside = add_across(rhs[k], across[k], Across(front, back, front, back));
                let sum = add_along(beside, own, along[k], left, right);
                let next = relaxed(own, inverse[k], sum, block.omega);
                field[i] = vec2<f32>(next.a, next.b);
            }
        }
        workgroupBarrier();
    }
    for (var place = lane; place < WIDE * HIGH; place = place + THREADS) {
        let v = voxel_of(place, group.xy);
        let at = vec2<u32>(place % WIDE, place / WIDE);
        if (v.z == 0u && all(at >= vec2<u32>(AROUND)) && all(at < TILE + vec2<u32>(AROUND))) {
            out0[index_of(v)] = field[place].x;
            out1[index_of(v)] = field[place].y;
        }
    }
}
