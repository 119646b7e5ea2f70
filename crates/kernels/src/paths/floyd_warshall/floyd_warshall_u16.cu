// The phases of floyd_warshall.wgsl on lengths of 16 bits for NVIDIA GPUs, as floyd_warshall.cu: two lengths a word, sums and least
// values of both in one instruction. Infinity is 32767, so that no sum of two lengths overflows.

namespace kernel {

// Parts of a panel's tile: by columns of the pivots' row, by rows of their column.
constexpr uint PARTS = 2u;
constexpr uint WIDE = 128u / PARTS;
// Words, and lengths, from one pivot to the next where a tile is turned.
constexpr uint PADDED = 132u, PADDED_LENGTHS = 136u;

WGSL_FN uint row_of(const uint ty, const uint i) { return ty * 4u + (i & 3u) + (i >> 2) * 64u; }

// One of a word's lengths, in both halves.
WGSL_FN uint twice(const uint word, const uint half) { return __byte_perm(word, 0u, half ? 0x3232u : 0x1010u); }

WGSL_FN void shorten(uint& best, const uint first, const uint second) {
#if __CUDA_ARCH__ >= 900
    best = __viaddmin_u16x2(first, second, best);
#else
    best = __vminu2(best, first + second);
#endif
}

// Eight lengths, each twice.
WGSL_FN void spread(uint4* const to, const uint4 from) {
    to[0] = make_uint4(twice(from.x, 0u), twice(from.x, 1u), twice(from.y, 0u), twice(from.y, 1u));
    to[1] = make_uint4(twice(from.z, 0u), twice(from.z, 1u), twice(from.w, 0u), twice(from.w, 1u));
}

// One pivot of a tile: row and column hold two pivots, so that one barrier is enough.
template <int Q, int E>
WGSL_FN void close_step(uint (&c)[8][4], const uint m, uint* const row, uint* const column) {
    const uint tx = threadIdx.x % 16u, ty = threadIdx.x / 16u;
    constexpr int i0 = 4 * Q + E % 4, j0 = E / 2;
    uint* const own_row = row + (E & 1) * 64;
    uint* const own_column = column + (E & 1) * 128;
    if (ty == 2u * m + E / 4) *(uint4*)(own_row + tx * 4u) = *(uint4*)&c[i0][0];
    if (tx == 8u * Q + m) {
        const uint h = E & 1;
        *(uint4*)(own_column + ty * 4u) =
            make_uint4(twice(c[0][j0], h), twice(c[1][j0], h), twice(c[2][j0], h), twice(c[3][j0], h));
        *(uint4*)(own_column + ty * 4u + 64u) =
            make_uint4(twice(c[4][j0], h), twice(c[5][j0], h), twice(c[6][j0], h), twice(c[7][j0], h));
    }
    __syncthreads();
    uint u[8], v[4];
    *(uint4*)&u[0] = *(uint4*)(own_column + ty * 4u);
    *(uint4*)&u[4] = *(uint4*)(own_column + ty * 4u + 64u);
    *(uint4*)&v[0] = *(uint4*)(own_row + tx * 4u);
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) shorten(c[i][j], u[i], v[j]);
}

template <int Q>
WGSL_FN void close_half(uint (&c)[8][4], uint* const row, uint* const column) {
    for (uint m = 0u; m < 8u; ++m) {
        close_step<Q, 0>(c, m, row, column);
        close_step<Q, 1>(c, m, row, column);
        close_step<Q, 2>(c, m, row, column);
        close_step<Q, 3>(c, m, row, column);
        close_step<Q, 4>(c, m, row, column);
        close_step<Q, 5>(c, m, row, column);
        close_step<Q, 6>(c, m, row, column);
        close_step<Q, 7>(c, m, row, column);
    }
}

// Closes a tile, pivot by pivot. A call of its own, whose registers do not add to those of the third phase.
__device__ __noinline__ void close_own(uint4* const own, uint* const row, uint* const column) {
    const uint tx = threadIdx.x % 16u, ty = threadIdx.x / 16u;
    uint c[8][4];
#pragma unroll
    for (int i = 0; i < 8; ++i) *(uint4*)&c[i][0] = own[row_of(ty, i) * 16u + tx];
    close_half<0>(c, row, column);
    close_half<1>(c, row, column);
#pragma unroll
    for (int i = 0; i < 8; ++i) own[row_of(ty, i) * 16u + tx] = *(uint4*)&c[i][0];
}

} // namespace kernel

extern "C" __global__ void __launch_bounds__(256, 1) close(
    const kernel::Block block, uint4* const lengths, const uint* const slots, const uint* const, uint4* const, uint4* const
) {
    __shared__ __align__(16) uint row[128], column[256];
    kernel::close_own(lengths + (size_t)slots[block.pivot * block.side + block.pivot] * 2048u, row, column);
}

// As in floyd_warshall.cu, sixteen pivots at a time.
extern "C" __global__ void __launch_bounds__(256, 2) panels(
    const kernel::Block block, uint4* const lengths, const uint* const slots, const uint* const, uint4* const row_panel,
    uint4* const column_panel
) {
    using namespace kernel;
    __shared__ __align__(16) uint left[2][16u * PADDED];
    __shared__ __align__(16) unsigned short right[2][16u * PADDED_LENGTHS];
    const uint p = block.pivot, other = blockIdx.x + (blockIdx.x >= p), first = blockIdx.y * WIDE;
    const bool is_column = LOWER == 1u ? other > p : blockIdx.z == 1u;
    const uint4* const closed = lengths + (size_t)slots[p * block.side + p] * 2048u;
    uint4* const own = lengths + (size_t)slots[is_column ? other * block.side + p : p * block.side + other] * 2048u;
    unsigned short* const samples = (unsigned short*)own;
    const uint t = threadIdx.x, tx = t % 16u, ty = t / 16u, at = first + tx * 4u;
    uint c[8][2];
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            const unsigned short* const pair = samples + (at + 2 * j) * 128u + row_of(ty, i);
            c[i][j] = is_column ? pair[0] | (uint)pair[128] << 16 : *(uint*)&samples[row_of(ty, i) * 128u + at + 2 * j];
        }
    const uint4* const turned_from = (is_column ? own : closed) + ((is_column ? first : 0u) + t / 2u) * 16u + t % 2u;
    const bool turns = !is_column || t < 2u * WIDE;
    const uint eights = is_column ? 16u : WIDE / 8u, k_own = t / eights;
    const uint4* const direct_from = (is_column ? closed : own) + k_own * 16u + (is_column ? 0u : first / 8u) + t % eights;
    const bool goes = k_own < 16u;
    uint4 next_turned, next_direct;
    const auto load = [&](const uint chunk) {
        if (turns) next_turned = turned_from[chunk * 2u];
        if (goes) next_direct = direct_from[chunk * 256u];
    };
    const auto keep = [&](const uint half) {
        const uint words[4] = {next_turned.x, next_turned.y, next_turned.z, next_turned.w};
        if (turns)
#pragma unroll
            for (uint e = 0u; e < 8u; ++e) {
                const uint k = (t % 2u) * 8u + e;
                if (is_column) right[half][k * PADDED_LENGTHS + t / 2u] = (unsigned short)(words[e / 2u] >> (16u * (e & 1u)));
                else left[half][k * PADDED + t / 2u] = twice(words[e / 2u], e & 1u);
            }
        if (!goes) return;
        if (is_column) spread((uint4*)&left[half][k_own * PADDED + (t % eights) * 8u], next_direct);
        else *(uint4*)&right[half][k_own * PADDED_LENGTHS + (t % eights) * 8u] = next_direct;
    };
    load(0u);
    keep(0u);
    __syncthreads();
    for (uint chunk = 0u; chunk < 8u; ++chunk) {
        const uint half = chunk & 1u;
        if (chunk < 7u) load(chunk + 1u);
#pragma unroll
        for (uint k = 0u; k < 16u; ++k) {
            uint u[8], v[2];
            *(uint4*)&u[0] = *(uint4*)&left[half][k * PADDED + ty * 4u];
            *(uint4*)&u[4] = *(uint4*)&left[half][k * PADDED + ty * 4u + 64u];
            *(uint2*)&v[0] = *(uint2*)&right[half][k * PADDED_LENGTHS + tx * 4u];
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 2; ++j) shorten(c[i][j], u[i], v[j]);
        }
        if (chunk < 7u) keep(1u - half);
        __syncthreads();
    }
    uint4* const panel_tile = (LOWER == 1u || !is_column ? row_panel : column_panel) + (size_t)other * 2048u;
    unsigned short* const panel = (unsigned short*)panel_tile;
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            *(uint*)&panel[row_of(ty, i) * 128u + at + 2 * j] = c[i][j];
            unsigned short* const pair = samples + (at + 2 * j) * 128u + row_of(ty, i);
            if (is_column) pair[0] = (unsigned short)c[i][j], pair[128] = (unsigned short)(c[i][j] >> 16);
            else *(uint*)&samples[row_of(ty, i) * 128u + at + 2 * j] = c[i][j];
        }
}

extern "C" __global__ void __launch_bounds__(256, 2) relax(
    const kernel::Block block, uint4* const __restrict__ lengths, const uint* const __restrict__ slots,
    const uint* const __restrict__ tasks, const uint4* const __restrict__ row_panel,
    const uint4* const __restrict__ column_panel
) {
    using namespace kernel;
    // Two times sixteen pivots: one half is read while the other is written.
    __shared__ uint4 left[1024], right[512];
    const uint nth = blockIdx.y * gridDim.x + blockIdx.x, first = block.next < block.tasks ? block.next : 0u;
    if (nth >= block.tasks) return;
    const uint task = nth == 0u ? first : nth == first ? 0u : nth;
    const uint t = threadIdx.x, tx = t % 16u, ty = t / 16u;
    uint row = tasks[2u * task], column = tasks[2u * task + 1u];
    row += row >= block.pivot;
    column += column >= block.pivot;
    uint4* const own = lengths + (size_t)slots[row * block.side + column] * 2048u;
    const uint4* const a = (LOWER == 1u ? row_panel : column_panel) + (size_t)row * 2048u + t;
    const uint4* const b = row_panel + (size_t)column * 2048u + t;
    uint c[8][4];
#pragma unroll
    for (int i = 0; i < 8; ++i) *(uint4*)&c[i][0] = own[row_of(ty, i) * 16u + tx];
    spread(left + t * 2u, a[0]);
    right[t] = b[0];
    __syncthreads();
    for (uint chunk = 0u; chunk < 8u; ++chunk) {
        const uint half = chunk & 1u;
        uint4 next_left, next_right;
        if (chunk < 7u) {
            next_left = a[(chunk + 1u) * 256u];
            next_right = b[(chunk + 1u) * 256u];
        }
#pragma unroll
        for (uint k = 0u; k < 16u; ++k) {
            uint u[8], v[4];
            *(uint4*)&u[0] = left[half * 512u + k * 32u + ty];
            *(uint4*)&u[4] = left[half * 512u + k * 32u + ty + 16u];
            *(uint4*)&v[0] = right[half * 256u + k * 16u + tx];
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) shorten(c[i][j], u[i], v[j]);
        }
        if (chunk < 7u) {
            spread(left + (1u - half) * 512u + t * 2u, next_left);
            right[(1u - half) * 256u + t] = next_right;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) own[row_of(ty, i) * 16u + tx] = *(uint4*)&c[i][0];
    if (nth == 0u && block.next < block.tasks) close_own(own, (uint*)right, (uint*)left);
}
