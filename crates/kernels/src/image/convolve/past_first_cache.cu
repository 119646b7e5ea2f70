// by_memory.wgsl without workgroup memory, with loads that pass the first cache by (ld.global.cg): what neighbours share comes from
// the second one. The operations and their order are the same.

namespace kernel {

constexpr uint LONG = 128u, ALONG = 32u, ACROSS = 32u, HIGH = 8u;
constexpr int REACH = int(RADIUS);

WGSL_FN float tap(const Block& block, const int distance) {
    const uint k = uint(distance < 0 ? -distance : distance);
    const float4 four = block.taps[k >> 2];
    return (k & 3u) == 0u ? four.x : (k & 3u) == 1u ? four.y : (k & 3u) == 2u ? four.z : four.w;
}

WGSL_FN uint within(const Block& block, const int at) { return uint(max(min(at, int(block.count) - 1), 0)); }

WGSL_FN float load(const float* const at) {
    float value;
    asm("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(at));
    return value;
}

extern "C" __global__ void __launch_bounds__(WIDTH) along_x(
    const __grid_constant__ Block block, const float* input, float* output
) {
    const uint tile = blockIdx.y * gridDim.x + blockIdx.x;
    const uint tiles_along = (block.count + LONG - 1u) / LONG;
    const uint row = tile / tiles_along;
    const int at = int(tile % tiles_along * LONG + threadIdx.x);
    if (row >= block.lines || uint(at) >= block.count) {
        return;
    }
    const float* const own = input + row * block.count;
    float sum = tap(block, 0) * load(own + at);
#pragma unroll
    for (int k = 1; k <= REACH; ++k) {
        sum = sum + tap(block, k) * (load(own + within(block, at - k)) + load(own + within(block, at + k)));
    }
    output[row * block.count + uint(at)] = sum;
}

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT) along_line(
    const __grid_constant__ Block block, const float* input, float* output
) {
    const uint tile = blockIdx.y * gridDim.x + blockIdx.x;
    const uint tiles_along = (block.count + ALONG - 1u) / ALONG;
    const uint tiles_across = (block.inner + ACROSS - 1u) / ACROSS;
    const uint column = tile % tiles_across * ACROSS + threadIdx.x;
    const uint first = tile / tiles_across % tiles_along * ALONG;
    const uint outer = tile / (tiles_across * tiles_along);
    if (column >= block.inner || outer >= block.lines) {
        return;
    }
    const uint base = outer * block.inner * block.count + column;
    for (uint nth = threadIdx.y; nth < min(ALONG, block.count - first); nth += HIGH) {
        const int at = int(first + nth);
        float sum = tap(block, REACH) * load(input + base + within(block, at - REACH) * block.inner);
#pragma unroll
        for (int k = 1 - REACH; k <= REACH; ++k) {
            sum = sum + tap(block, k) * load(input + base + within(block, at + k) * block.inner);
        }
        output[base + uint(at) * block.inner] = sum;
    }
}

} // namespace kernel
