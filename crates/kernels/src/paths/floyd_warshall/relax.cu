// The third phase of floyd_warshall.wgsl for NVIDIA GPUs: the bits of lengths of 0 or more sort as integers do, and the
// least of three integers is one instruction on them. The sums are the same and least values have no order: the same bits.

namespace kernel {

struct Block {
    uint pivot, side, tasks;
};

// Two times eight pivots: one half is read while the other is written.
__shared__ float4 left[512];
__shared__ float4 right[512];

// The least of a length so far and of two new ones.
WGSL_FN void shorten(int& best, const float first, const float second) {
    best = min(min(best, __float_as_int(first)), __float_as_int(second));
}

} // namespace kernel

extern "C" __global__ void __launch_bounds__(256, 2) relax(
    const kernel::Block block,
    float4* __restrict__ lengths,
    const uint* __restrict__ slots,
    const uint* __restrict__ tasks,
    const float4* __restrict__ row_panel,
    const float4* __restrict__ column_panel
) {
    using namespace kernel;
    const uint task = blockIdx.y * gridDim.x + blockIdx.x;
    if (task >= block.tasks) return;
    const uint t = threadIdx.x, tx = t % 16u, ty = t / 16u;
    uint row = tasks[2u * task], column = tasks[2u * task + 1u];
    row += row >= block.pivot;
    column += column >= block.pivot;
    float4* const own = lengths + (size_t)slots[row * block.side + column] * 4096u;
    const float4* const a = (LOWER == 1u ? row_panel : column_panel) + (size_t)row * 4096u + t;
    const float4* const b = row_panel + (size_t)column * 4096u + t;
    int c[8][8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const uint at = (ty * 4u + (i & 3) + (i >> 2) * 64u) * 32u + tx;
        *(float4*)&c[i][0] = own[at];
        *(float4*)&c[i][4] = own[at + 16u];
    }
    left[t] = a[0];
    right[t] = b[0];
    __syncthreads();
    for (uint chunk = 0; chunk < 16u; ++chunk) {
        const uint from = (chunk & 1u) * 256u;
        float4 next_left, next_right;
        if (chunk < 15u) {
            next_left = a[(chunk + 1u) * 256u];
            next_right = b[(chunk + 1u) * 256u];
        }
#pragma unroll
        for (int k = 0; k < 8; k += 2) {
            float u[2][8], v[2][8];
#pragma unroll
            for (int q = 0; q < 2; ++q) {
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
        if (chunk < 15u) {
            left[256u - from + t] = next_left;
            right[256u - from + t] = next_right;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const uint at = (ty * 4u + (i & 3) + (i >> 2) * 64u) * 32u + tx;
        own[at] = *(float4*)&c[i][0];
        own[at + 16u] = *(float4*)&c[i][4];
    }
}
