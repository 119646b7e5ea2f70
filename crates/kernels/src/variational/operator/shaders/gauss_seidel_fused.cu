// Both passes of relax_rows.wgsl in one launch. The second pass follows the first, `lag` planes behind, so that it
// finds the field in the cache. The operations and their order are the same.
//
// Workgroups take the numbers of their tiles from a counter. The tiles of a plane of the first pass alternate with
// those of the second pass, `lag` planes before. A tile of the second pass waits until the tiles of the first pass that
// its rows touch are done. This cannot deadlock: those tiles have smaller numbers; a number belongs, once taken, to a
// workgroup that is running and processes its numbers in their order; and a running workgroup is not stopped in favour
// of others of its launch. So the smallest number that is not done never waits, however many workgroups run at once and
// in whatever order they start.
//
// The stencil and the solution of a voxel's system are those of solve.wgsl, translated.
//
// Tensor and right-hand side are read once: they are loaded before the wait, with the hint that the caches may evict
// them first.

namespace kernel {

constexpr uint THREADS = WIDTH * HEIGHT;

// The first voxel of each pack, after the update of its even voxels.
__shared__ float3 firsts[THREADS];
// The number of the workgroup's next tile.
__shared__ uint drawn;

struct Tile {
    uint pass, nth, z, y, i;
    // `real`: the tile is inside the grid; `inside`: this thread has a pack in it.
    bool real, inside;
};

WGSL_FN Tile tile_of(const uint number, const uint tiles, const Block& block) {
    const uint step = number / (2u * tiles), rest = number - step * 2u * tiles;
    Tile tile;
    tile.pass = rest & 1u;
    tile.nth = rest >> 1u;
    tile.z = step - tile.pass * block.lag;
    // Before the first plane, z has wrapped around to a large number.
    tile.real = tile.z < block.size.z;
    tile.y = 2u * (tile.nth * HEIGHT + threadIdx.y) + ((tile.pass + tile.z) & 1u);
    tile.inside = tile.real && tile.y < block.size.y;
    tile.i = (tile.z * block.size.y + tile.y) * block.size.x + threadIdx.x;
    return tile;
}

// Loads a pack that is not read again. The compiler does not move such a load behind the wait.
WGSL_FN float4 passing(const float4* from) {
    float4 v;
    asm volatile("ld.global.cs.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(from));
    return v;
}

// The packs of all components at index `i`.
WGSL_FN Three three_at(float4* const* x, const uint i) { return Three{x[0][i], x[1][i], x[2][i]}; }

extern "C" __global__ void __launch_bounds__(THREADS, GROUPS) gauss_seidel_fused(
    const __grid_constant__ Block block,
    float4* x0, float4* x1, float4* x2,
    const float4* rhs0, const float4* rhs1, const float4* rhs2,
    const float4* j0, const float4* j1, const float4* j2, const float4* j3, const float4* j4, const float4* j5,
    // All zero at the start: the counter; from word 32 on, a flag for each tile of the first pass.
    uint* state
) {
    const uint4 size = block.size;
    const uint p = threadIdx.x, lane = threadIdx.y * WIDTH + p, plane = size.x * size.y;
    const uint tiles = (size.y + 2u * HEIGHT - 1u) / (2u * HEIGHT);
    const uint all = (size.z + block.lag) * 2u * tiles;
    float4* const x[3] = {x0, x1, x2};
    const float4* const once[9] = {rhs0, rhs1, rhs2, j0, j1, j2, j3, j4, j5};
    uint* const done = state + 32;

    if (lane == 0u) { drawn = atomicAdd(state, 1u); }
    __syncthreads();
    uint number = drawn;
    __syncthreads();
    while (number < all) {
        uint next = 0u;
        if (lane == 0u) { next = atomicAdd(state, 1u); }
        const Tile tile = tile_of(number, tiles, block);
        const uint i = tile.i, y = tile.y, z = tile.z;
        const uint* const here = done + z * tiles + tile.nth;
        float4 read[9] = {};
        if (tile.inside) {
#pragma unroll
            for (int k = 0; k < 9; k++) { read[k] = passing(once[k] + i); }
        }
        if (tile.pass == 1u && tile.real) {
            // All flags are polled in parallel: one after the other would cost more than the fused launch gains.
            for (uint k = lane; k < 5u; k += THREADS) {
                const uint* at = here;
                if (k == 1u && tile.nth > 0u) { at = here - 1; }
                if (k == 2u && tile.nth + 1u < tiles) { at = here + 1; }
                if (k == 3u && z > 0u) { at = here - tiles; }
                if (k == 4u && z + 1u < size.z) { at = here + tiles; }
                while (wgsl::atomic_load(*at) == 0u) {}
                __threadfence();
            }
            __syncthreads();
        }
        Three own, base;
        Symmetric inverse;
        float3 left = float3{0.0f, 0.0f, 0.0f};
        if (tile.inside) {
            const bool has_front = y > 0u, has_back = y + 1u < size.y, has_below = z > 0u, has_above = z + 1u < size.z;
            const float4 springs = float4{
                spring_if(has_front, block.spring.y), spring_if(has_back, block.spring.y),
                spring_if(has_below, block.spring.z), spring_if(has_above, block.spring.z),
            };
            own = three_at(x, i);
            const Across across = Across{
                three_at(x, has_front ? i - size.x : i), three_at(x, has_back ? i + size.x : i),
                three_at(x, has_below ? i - plane : i), three_at(x, has_above ? i + plane : i),
            };
            if (p > 0u) { left = float3{x0[i - 1u].w, x1[i - 1u].w, x2[i - 1u].w}; }
            base = add_across(Three{read[0], read[1], read[2]}, springs, across);
            const float4 diag = total_of_springs(springs, block.spring.x, p > 0u, p + 1u < size.x);
            inverse = inverse_of(Symmetric{read[3], read[4], read[5], read[6], read[7], read[8]}, Three{diag, diag, diag});
            // The right neighbour of an even voxel is in the same pack.
            const Three sums = add_along_x(base, own, left, float3{0.0f, 0.0f, 0.0f}, block.spring.x);
            const Three moved = relaxed(own, inverse, sums, block.omega);
            own = Three{
                float4{moved.a.x, own.a.y, moved.a.z, own.a.w},
                float4{moved.b.x, own.b.y, moved.b.z, own.b.w},
                float4{moved.c.x, own.c.y, moved.c.z, own.c.w},
            };
            firsts[lane] = float3{own.a.x, own.b.x, own.c.x};
        }
        if (lane == 0u) { drawn = next; }
        __syncthreads();
        number = drawn;
        if (tile.inside) {
            float3 right = float3{0.0f, 0.0f, 0.0f};
            if (p + 1u < size.x) { right = firsts[lane + 1u]; }
            const Three sums = add_along_x(base, own, left, right, block.spring.x);
            const Three moved = relaxed(own, inverse, sums, block.omega);
            x0[i] = float4{own.a.x, moved.a.y, own.a.z, moved.a.w};
            x1[i] = float4{own.b.x, moved.b.y, own.b.z, moved.b.w};
            x2[i] = float4{own.c.x, moved.c.y, own.c.z, moved.c.w};
        }
        __syncthreads();
        if (tile.pass == 0u && tile.real && lane == 0u) {
            __threadfence();
            wgsl::atomic_store(done[z * tiles + tile.nth], 1u);
        }
    }
}

} // namespace kernel
