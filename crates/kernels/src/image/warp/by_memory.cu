// The trilinear warp of warp.wgsl by one way through memory or another, a voxel a thread. The contract is in by_memory.rs.

namespace kernel {

// 0: loads through all caches. 1: loads past the first cache. 2: a texture that is a line. 3: a texture that is a volume.
WGSL_FN float voxel(const Block& block, const float* const moving, const uint x, const uint y, const uint z) {
    const uint at = (z * block.size.y + y) * block.size.x + x;
    float value;
    if (PATH == 0u) {
        return moving[at];
    } else if (PATH == 1u) {
        asm("ld.global.cg.f32 %0, [%1];" : "=f"(value) : "l"(moving + at));
        return value;
    }
    const unsigned long long texture = (unsigned long long)block.texture.y << 32 | block.texture.x;
    // A fetch has four components, of which a volume fills one.
    if (PATH == 2u) {
        asm("{ .reg .f32 y, z, w; tex.1d.v4.f32.s32 {%0, y, z, w}, [%1, {%2}]; }"
            : "=f"(value)
            : "l"(texture), "r"(at));
    } else {
        asm("{ .reg .f32 y, z, w; tex.3d.v4.f32.s32 {%0, y, z, w}, [%1, {%2, %3, %4, %5}]; }"
            : "=f"(value)
            : "l"(texture), "r"(x), "r"(y), "r"(z), "r"(0u));
    }
    return value;
}

extern "C" __global__ void __launch_bounds__(WIDTH * HEIGHT) warp(
    const __grid_constant__ Block block,
    const float* moving,
    const float* displacement_x, const float* displacement_y, const float* displacement_z,
    float* out
) {
    const uint x = blockIdx.x * WIDTH + threadIdx.x, y = blockIdx.y * HEIGHT + threadIdx.y, z = blockIdx.z;
    if (x >= block.size.x || y >= block.size.y) {
        return;
    }
    const uint at = (z * block.size.y + y) * block.size.x + x;
    const float to_x = float(x) + displacement_x[at];
    const float to_y = float(y) + displacement_y[at];
    const float to_z = float(z) + displacement_z[at];
    float value = not_a_number();
    if (is_inside(to_x, block.size.x, block.reach) && is_inside(to_y, block.size.y, block.reach)
        && is_inside(to_z, block.size.z, block.reach)) {
        const Cell cx = cell_of(to_x, block.size.x), cy = cell_of(to_y, block.size.y), cz = cell_of(to_z, block.size.z);
        float planes[2];
#pragma unroll
        for (uint k = 0u; k < 2u; ++k) {
            const uint plane = k == 0u ? cz.low : cz.high;
            float rows[2];
#pragma unroll
            for (uint j = 0u; j < 2u; ++j) {
                const uint row = j == 0u ? cy.low : cy.high;
                const float left = voxel(block, moving, cx.low, row, plane);
                rows[j] = lerp(left, voxel(block, moving, cx.high, row, plane), cx.weight);
            }
            planes[k] = lerp(rows[0], rows[1], cy.weight);
        }
        value = lerp(planes[0], planes[1], cz.weight);
    }
    out[at] = value;
}

} // namespace kernel
