// The phases of floyd_warshall.wgsl for NVIDIA GPUs. The bits of lengths of 0 or more sort as integers do, and the least of three
// integers is one instruction on them; the third phase closes the next block of pivots on the way; and tiles of panels are cut
// into parts, so that there are enough for every multiprocessor. The sums are the same and least values have no order: the same
// bits.

namespace kernel {

// Pivots of the third phase that are read while those before are used.
constexpr uint CHUNK = 16u;
// Parts of a panel's tile: by columns of the pivots' row, by rows of their column.
constexpr uint PARTS = 4u;
constexpr uint WIDE = 128u / PARTS;
// Samples from one pivot to the next where samples of a row are written under one another.
constexpr uint PADDED = 132u;

WGSL_FN uint row_of(const uint ty, const uint i) { return ty * 4u + (i & 3u) + (i >> 2) * 64u; }

// The least of a length so far and of two new ones.
WGSL_FN void shorten(int& best, const float first, const float second) {
    best = min(min(best, __float_as_int(first)), __float_as_int(second));
}

WGSL_FN void load_tile(int (&c)[8][8], const float4* const own, const uint tx, const uint ty) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const uint at = row_of(ty, i) * 32u + tx;
        *(float4*)&c[i][0] = own[at];
        *(float4*)&c[i][4] = own[at + 16u];
    }
}

WGSL_FN void store_tile(const int (&c)[8][8], float4* const own, const uint tx, const uint ty) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const uint at = row_of(ty, i) * 32u + tx;
        own[at] = *(const float4*)&c[i][0];
        own[at + 16u] = *(const float4*)&c[i][4];
    }
}

// One pivot of a tile: row and column hold two pivots, so that one barrier is enough.
template <int Q, int R>
WGSL_FN void close_step(int (&c)[8][8], const uint m, float* const row, float* const column) {
    const uint tx = threadIdx.x % 16u, ty = threadIdx.x / 16u;
    constexpr int k = 4 * Q + R;
    int* const own_row = (int*)row + (R & 1) * 128;
    int* const own_column = (int*)column + (R & 1) * 128;
    if (ty == m) {
        *(int4*)(own_row + tx * 4u) = *(int4*)&c[k][0];
        *(int4*)(own_row + tx * 4u + 64u) = *(int4*)&c[k][4];
    }
    if (tx == m) {
        *(int4*)(own_column + ty * 4u) = make_int4(c[0][k], c[1][k], c[2][k], c[3][k]);
        *(int4*)(own_column + ty * 4u + 64u) = make_int4(c[4][k], c[5][k], c[6][k], c[7][k]);
    }
    __syncthreads();
    float u[8], v[8];
    *(float4*)&u[0] = *(float4*)(own_column + ty * 4u);
    *(float4*)&u[4] = *(float4*)(own_column + ty * 4u + 64u);
    *(float4*)&v[0] = *(float4*)(own_row + tx * 4u);
    *(float4*)&v[4] = *(float4*)(own_row + tx * 4u + 64u);
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) c[i][j] = min(c[i][j], __float_as_int(u[i] + v[j]));
}

// Closes a tile, pivot by pivot. A call of its own, whose registers do not add to those of the third phase.
__device__ __noinline__ void close_own(float4* const own, float* const row, float* const column) {
    const uint tx = threadIdx.x % 16u, ty = threadIdx.x / 16u;
    int c[8][8];
    load_tile(c, own, tx, ty);
    for (uint m = 0u; m < 16u; ++m) {
        close_step<0, 0>(c, m, row, column);
        close_step<0, 1>(c, m, row, column);
        close_step<0, 2>(c, m, row, column);
        close_step<0, 3>(c, m, row, column);
    }
    for (uint m = 0u; m < 16u; ++m) {
        close_step<1, 0>(c, m, row, column);
        close_step<1, 1>(c, m, row, column);
        close_step<1, 2>(c, m, row, column);
        close_step<1, 3>(c, m, row, column);
    }
    store_tile(c, own, tx, ty);
}

// Sixteen bytes from global to shared memory, past the registers.
WGSL_FN void copy_later(const float4* const to, const float4* const from) {
    const uint address = (uint)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}

} // namespace kernel

extern "C" __global__ void __launch_bounds__(256) close(
    const kernel::Block block, float4* const lengths, const uint* const slots, const uint* const, float4* const, float4* const
) {
    __shared__ __align__(16) float row[256], column[256];
    kernel::close_own(lengths + (size_t)slots[block.pivot * block.side + block.pivot] * 4096u, row, column);
}

// A tile of the pivots' row, `min(own, closed + own)`, or, turned, of their column, `min(own, own + closed)`: the left operand is
// turned for the first and the right one for the second.
extern "C" __global__ void __launch_bounds__(256, 2) panels(
    const kernel::Block block, float4* const lengths, const uint* const slots, const uint* const, float4* const row_panel,
    float4* const column_panel
) {
    using namespace kernel;
    __shared__ __align__(16) float left[2][8 * PADDED], right[2][8 * PADDED];
    const uint p = block.pivot, other = blockIdx.x + (blockIdx.x >= p), first = blockIdx.y * WIDE;
    const bool is_column = LOWER == 1u ? other > p : blockIdx.z == 1u;
    const float4* const closed = lengths + (size_t)slots[p * block.side + p] * 4096u;
    float4* const own = lengths + (size_t)slots[is_column ? other * block.side + p : p * block.side + other] * 4096u;
    float* const samples = (float*)own;
    const uint t = threadIdx.x, tx = t % 16u, ty = t / 16u, at = first + tx * 2u;
    // Where sample (i, j) of a thread lies in its tile.
    const auto place = [&](const uint i, const uint j) {
        return is_column ? (at + j) * 128u + row_of(ty, i) : row_of(ty, i) * 128u + at + j;
    };
    int c[8][2];
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) c[i][j] = __float_as_int(samples[place(i, j)]);
    const float4* const turned_from = (is_column ? own : closed) + ((is_column ? first : 0u) + t / 2u) * 32u + t % 2u;
    const bool turns = !is_column || t < 2u * WIDE;
    const uint fours = is_column ? 32u : WIDE / 4u, k_own = t / fours;
    const float4* const direct_from = (is_column ? closed : own) + k_own * 32u + (is_column ? 0u : first / 4u) + t % fours;
    const bool goes = k_own < 8u;
    float* const turned = (is_column ? right[0] : left[0]) + (t % 2u) * 4u * PADDED + t / 2u;
    float* const direct = (is_column ? left[0] : right[0]) + k_own * PADDED + (t % fours) * 4u;
    float4 next_turned, next_direct;
    const auto load = [&](const uint chunk) {
        if (turns) next_turned = turned_from[chunk * 2u];
        if (goes) next_direct = direct_from[chunk * 256u];
    };
    const auto keep = [&](const uint half) {
        if (turns) {
            turned[half * 8u * PADDED] = next_turned.x;
            turned[half * 8u * PADDED + PADDED] = next_turned.y;
            turned[half * 8u * PADDED + 2u * PADDED] = next_turned.z;
            turned[half * 8u * PADDED + 3u * PADDED] = next_turned.w;
        }
        if (goes) *(float4*)(direct + half * 8u * PADDED) = next_direct;
    };
    load(0u);
    keep(0u);
    __syncthreads();
    for (uint chunk = 0u; chunk < 16u; ++chunk) {
        const uint half = chunk & 1u;
        if (chunk < 15u) load(chunk + 1u);
#pragma unroll
        for (int k = 0; k < 8; k += 2) {
            float u[2][8], v[2][2];
#pragma unroll
            for (int q = 0; q < 2; ++q) {
                *(float4*)&u[q][0] = *(float4*)&left[half][(k + q) * PADDED + ty * 4u];
                *(float4*)&u[q][4] = *(float4*)&left[half][(k + q) * PADDED + ty * 4u + 64u];
                *(float2*)&v[q][0] = *(float2*)&right[half][(k + q) * PADDED + tx * 2u];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) shorten(c[i][j], u[0][i] + v[0][j], u[1][i] + v[1][j]);
        }
        if (chunk < 15u) keep(1u - half);
        __syncthreads();
    }
    float* const panel = (float*)((LOWER == 1u || !is_column ? row_panel : column_panel) + (size_t)other * 4096u);
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            panel[row_of(ty, i) * 128u + at + j] = __int_as_float(c[i][j]);
            samples[place(i, j)] = __int_as_float(c[i][j]);
        }
}

extern "C" __global__ void __launch_bounds__(256, 2) relax(
    const kernel::Block block, float4* const __restrict__ lengths, const uint* const __restrict__ slots,
    const uint* const __restrict__ tasks, const float4* const __restrict__ row_panel,
    const float4* const __restrict__ column_panel
) {
    using namespace kernel;
    __shared__ float4 left[2u * CHUNK * 32u], right[2u * CHUNK * 32u];
    // Where the own tile lies is read again behind the loop, which needs every register.
    __shared__ uint own_slot;
    // The next pivots' own tile comes first: what is closed while the others run takes no time of its own.
    const uint nth = blockIdx.y * gridDim.x + blockIdx.x, first = block.next < block.tasks ? block.next : 0u;
    if (nth >= block.tasks) return;
    const uint task = nth == 0u ? first : nth == first ? 0u : nth;
    const uint t = threadIdx.x, tx = t % 16u, ty = t / 16u;
    uint row = tasks[2u * task], column = tasks[2u * task + 1u];
    row += row >= block.pivot;
    column += column >= block.pivot;
    const uint slot = slots[row * block.side + column];
    if (t == 0u) own_slot = slot;
    const float4* const a = (LOWER == 1u ? row_panel : column_panel) + (size_t)row * 4096u + t;
    const float4* const b = row_panel + (size_t)column * 4096u + t;
    const auto copy = [&](const uint chunk) {
        const uint to = (chunk & 1u) * CHUNK * 32u + t;
#pragma unroll
        for (uint q = 0u; q < CHUNK * 32u; q += 256u) {
            copy_later(&left[to + q], a + chunk * CHUNK * 32u + q);
            copy_later(&right[to + q], b + chunk * CHUNK * 32u + q);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    copy(0u);
    int c[8][8];
    load_tile(c, lengths + (size_t)slot * 4096u, tx, ty);
    for (uint chunk = 0u; chunk < 128u / CHUNK; ++chunk) {
        const uint from = (chunk & 1u) * CHUNK * 32u;
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        if (chunk + 1u < 128u / CHUNK) copy(chunk + 1u);
#pragma unroll
        for (uint k = 0u; k < CHUNK; k += 2u) {
            float u[2][8], v[2][8];
#pragma unroll
            for (uint q = 0u; q < 2u; ++q) {
                const uint at = from + (k + q) * 32u;
                *(float4*)&u[q][0] = left[at + ty];
                *(float4*)&u[q][4] = left[at + ty + 16u];
                *(float4*)&v[q][0] = right[at + tx];
                *(float4*)&v[q][4] = right[at + tx + 16u];
            }
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j) shorten(c[i][j], u[0][i] + v[0][j], u[1][i] + v[1][j]);
        }
    }
    float4* const own = lengths + (size_t)own_slot * 4096u;
    store_tile(c, own, tx, ty);
    if (nth == 0u && block.next < block.tasks) {
        __syncthreads();
        close_own(own, (float*)left, (float*)right);
    }
}
