// A pass over the voxels of one colour; and whole sweeps, for grids small enough for one workgroup.

// The voxels that a pass updates: by parity of x (0), of x + y + z in all rows (1, red-black), or of x + z (2).
override ORDER: u32 = 0u;

fn relax_voxel(v: vec3<u32>) {
    let i = index_of(v);
    let next = next_at(v);
    x0[i] = next.a;
    x1[i] = next.b;
    if (COMPONENTS == 3u) {
        x2[i] = next.c;
    }
}

@compute @workgroup_size(32, 8, 1)
fn relax_colour(@builtin(global_invocation_id) id: vec3<u32>) {
    let z = id.z;
    var y = id.y;
    var parity = block.colour + y + z;
    if (ORDER != 1u) {
        y = 2u * id.y + ((block.rows + z) & 1u);
        parity = block.colour + select(0u, z, ORDER == 2u);
    }
    let x = 2u * id.x + (parity & 1u);
    if (x < block.size.x && y < block.size.y) {
        relax_voxel(vec3<u32>(x, y, z));
    }
}

// Whole sweeps in one launch: a single workgroup, with barriers between the passes.
@compute @workgroup_size(256)
fn relax_small(@builtin(local_invocation_index) lane: u32) {
    let size = block.size;
    let count = size.x * size.y * size.z;
    let passes = select(4u, 2u, ORDER == 1u);
    for (var step = 0u; step < block.sweeps * passes; step = step + 1u) {
        let pass_of = step % passes;
        for (var i = lane; i < count; i = i + 256u) {
            let x = i % size.x;
            let y = i / size.x % size.y;
            let z = i / (size.x * size.y);
            var takes = ((x + y + z) & 1u) == pass_of;
            if (ORDER != 1u) {
                takes = ((y + z) & 1u) == pass_of / 2u
                    && ((x + select(0u, z, ORDER == 2u)) & 1u) == (pass_of & 1u);
            }
            if (takes) {
                relax_voxel(vec3<u32>(x, y, z));
            }
        }
        storageBarrier();
        workgroupBarrier();
    }
}
