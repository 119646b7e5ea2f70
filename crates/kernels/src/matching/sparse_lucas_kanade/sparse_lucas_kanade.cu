// sparse_lucas_kanade.wgsl with its windows in registers: four lanes of a warp hold a small window, every fourth column each;
// sixteen lanes a larger one, a column each; all thirty-two the largest. What they have to tell each other goes through
// shuffles, for which WGSL's subset has no word. The operations and their order are the same.
//
// The lanes of a warp stay together: who has arrived computes along at a harmless position, and what it finds is not used.

namespace kernel {

struct Block {
    // Points; levels; steps of a level at most; workgroups along x.
    uint4 counts;
    // Squared tolerances of the finest level and the coarser ones, px²; least eigenvalue; radius, px.
    float4 search;
    // Width, height and first pixel of each level.
    uint4 levels[13];
};

constexpr int SIDE = int(ROWS);
constexpr int LANES = SIDE > 16 ? 32 : (SIDE > 10 ? 16 : 4);
constexpr uint WARP = 0xffffffffu;
// Columns of a lane, and with one more on either side of the window.
constexpr int COLUMNS = (SIDE + LANES - 1) / LANES;
constexpr int AROUND = (SIDE + 2 + LANES - 1) / LANES;

// By how much steps are lengthened at most.
constexpr float MOST_LENGTHENED = 2.0f;

constexpr float FOUND = 0.0f, UNDEFINED = 1.0f, OUTSIDE = 2.0f, LEFT = 3.0f, FLAT = 4.0f;

WGSL_FN float from_lane(const float value, const int lane) { return __shfl_sync(WARP, value, lane, LANES); }

// The sum of a point's columns: the first sixteen and those beyond, every fourth of them, then the four that are left.
WGSL_FN float total(const float (&sums)[COLUMNS], const int lane) {
    float sum = sums[0];
    if (LANES == 4) {
#pragma unroll
        for (int c = 1; c < COLUMNS; ++c) {
            sum = sum + sums[c];
        }
    } else {
        const int nth = lane & 3;
        if (LANES > 16) {
            sum = sum + from_lane(sum, (lane + 16) & 31);
        }
        sum = from_lane(sum, nth) + from_lane(sum, nth + 4) + from_lane(sum, nth + 8) + from_lane(sum, nth + 12);
    }
    return from_lane(sum, 0) + from_lane(sum, 1) + from_lane(sum, 2) + from_lane(sum, 3);
}

WGSL_FN float mix_of(const float a, const float b, const float t) { return a + t * (b - a); }

// The picture of a level from a corner on.
struct View {
    const float* pixels;
    int2 size;
    int2 corner;
    float2 part;

    WGSL_FN View(const float* const picture, const uint4 level, const float2 at)
        : pixels(picture + level.z), size(make_int2(int(level.x), int(level.y))) {
        const float2 low = make_float2(floorf(at.x), floorf(at.y));
        corner = make_int2(int(low.x), int(low.y));
        part = make_float2(at.x - low.x, at.y - low.y);
    }
    // Whether the samples of rows and columns `first` to `last` are pixels.
    WGSL_FN bool holds(const int first, const int last) const {
        return corner.x + first >= 0 && corner.y + first >= 0 && corner.x + last < size.x && corner.y + last < size.y;
    }
};

// Samples between columns of a picture, those of a lane, row by row, a row further with each call.
template <bool BORDER, int COUNT> struct Columns {
    const View& at;
    int low[COUNT], high[COUNT], y;

    // From a row on; the columns of a lane end with `last`, as they are counted from `first` on.
    WGSL_FN Columns(const View& at, const int lane, const int first, const int last) : at(at), y(first) {
#pragma unroll
        for (int c = 0; c < COUNT; ++c) {
            low[c] = at.corner.x + first + min(lane + c * LANES, last);
            high[c] = low[c] + 1;
            if (BORDER) {
                low[c] = min(max(low[c], 0), at.size.x - 1);
                high[c] = min(max(high[c], 0), at.size.x - 1);
            } else {
                low[c] += (at.corner.y + first) * at.size.x;
            }
        }
    }
    WGSL_FN void next(float (&samples)[COUNT]) {
        const int row = min(max(at.corner.y + y, 0), at.size.y - 1) * at.size.x;
#pragma unroll
        for (int c = 0; c < COUNT; ++c) {
            if (BORDER) {
                samples[c] = mix_of(at.pixels[low[c] + row], at.pixels[high[c] + row], at.part.x);
            } else {
                samples[c] = mix_of(at.pixels[low[c]], at.pixels[low[c] + 1], at.part.x);
                low[c] += at.size.x;
            }
        }
        y += 1;
    }
};

struct Window {
    float samples[SIDE][COLUMNS], along_x[SIDE][COLUMNS], along_y[SIDE][COLUMNS];

    // Takes the window and its derivatives; Σ g gᵀ: 11, 12, 22.
    template <bool BORDER> WGSL_FN float3 take(const View& at, const int lane) {
        // Three rows of samples above each other, of the columns themselves and the two beside each.
        float rows[3][3][COLUMNS], above[AROUND], below[AROUND], own[AROUND];
        Columns<BORDER, AROUND> columns(at, lane, -1, SIDE + 1);
        columns.next(above);
#pragma unroll
        for (int j = 0; j < SIDE + 2; ++j) {
            columns.next(below);
#pragma unroll
            for (int c = 0; c < AROUND; ++c) {
                own[c] = mix_of(above[c], below[c], at.part.y);
                above[c] = below[c];
            }
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                rows[j % 3][0][c] = own[c];
#pragma unroll
                for (int k = 1; k < 3; ++k) {
                    // The last lanes' neighbours are the first ones' next columns.
                    const float lent = c + 1 == AROUND || lane >= k ? own[c] : own[min(c + 1, AROUND - 1)];
                    rows[j % 3][k][c] = from_lane(lent, (lane + k) & (LANES - 1));
                }
            }
            if (j >= 2) {
                differentiate(rows[(j - 2) % 3], rows[(j - 1) % 3], rows[j % 3], j - 2, lane);
            }
        }
        float xx[COLUMNS] = {}, xy[COLUMNS] = {}, yy[COLUMNS] = {};
#pragma unroll
        for (int j = 0; j < SIDE; ++j) {
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                xx[c] = xx[c] + along_x[j][c] * along_x[j][c];
                xy[c] = xy[c] + along_x[j][c] * along_y[j][c];
                yy[c] = yy[c] + along_y[j][c] * along_y[j][c];
            }
        }
        return make_float3(total(xx, lane), total(xy, lane), total(yy, lane));
    }

    // A row of the window, from the three rows of samples around it.
    WGSL_FN void differentiate(
        const float (&a)[3][COLUMNS], const float (&b)[3][COLUMNS], const float (&c)[3][COLUMNS], const int j, const int lane
    ) {
#pragma unroll
        for (int n = 0; n < COLUMNS; ++n) {
            const float gx = 0.09375f * (a[2][n] - a[0][n] + c[2][n] - c[0][n]) + 0.3125f * (b[2][n] - b[0][n]);
            const float gy = 0.09375f * (c[0][n] - a[0][n] + c[2][n] - a[2][n]) + 0.3125f * (c[1][n] - a[1][n]);
            samples[j][n] = b[1][n];
            along_x[j][n] = lane + n * LANES < SIDE ? gx : 0.0f;
            along_y[j][n] = lane + n * LANES < SIDE ? gy : 0.0f;
        }
    }

    // Hands over J − I of this lane's columns.
    template <bool BORDER, class Take> WGSL_FN void compare(const View& at, const int lane, Take take) const {
        float above[COLUMNS], below[COLUMNS];
        Columns<BORDER, COLUMNS> columns(at, lane, 0, SIDE - 1);
        columns.next(above);
#pragma unroll
        for (int j = 0; j < SIDE; ++j) {
            columns.next(below);
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                take(j, c, mix_of(above[c], below[c], at.part.y) - samples[j][c]);
                above[c] = below[c];
            }
        }
    }

    // Σ (J − I) g.
    template <bool BORDER> WGSL_FN float2 mismatch(const View& at, const int lane) const {
        float x[COLUMNS] = {}, y[COLUMNS] = {};
        compare<BORDER>(at, lane, [&](const int j, const int c, const float difference) {
            x[c] = x[c] + difference * along_x[j][c];
            y[c] = y[c] + difference * along_y[j][c];
        });
        return make_float2(total(x, lane), total(y, lane));
    }

    // Σ |J − I|.
    WGSL_FN float difference(const View& at, const int lane) const {
        float sum[COLUMNS] = {};
        compare<true>(at, lane, [&](const int, const int c, const float difference) {
            sum[c] = sum[c] + (lane + c * LANES < SIDE ? fabsf(difference) : 0.0f);
        });
        return total(sum, lane);
    }
};

WGSL_FN float dot_of(const float2 a, const float2 b) { return a.x * b.x + a.y * b.y; }

WGSL_FN bool is_inside(const float2 at, const uint4 level, const float beyond) {
    return at.x >= -beyond && at.y >= -beyond && at.x <= float(level.x - 1u) + beyond && at.y <= float(level.y - 1u) + beyond;
}

extern "C" __global__ void __launch_bounds__(WIDTH) track(
    const __grid_constant__ Block block,
    const float* first, const float* second,
    const float* point_x, const float* point_y, const float* guess_x, const float* guess_y,
    float* moved_x, float* moved_y, float* error, float* fate
) {
    const int lane = threadIdx.x & (LANES - 1);
    const uint nth = (blockIdx.y * block.counts.w + blockIdx.x) * (WIDTH / LANES) + threadIdx.x / LANES;
    const bool exists = nth < block.counts.x;
    const float radius = block.search.w;
    float own = FOUND;
    float2 point = make_float2(0.0f, 0.0f);
    if (exists) {
        point = make_float2(point_x[nth], point_y[nth]);
    }
    if (isnan(point.x) || isnan(point.y)) {
        own = UNDEFINED;
    } else if (!is_inside(point, block.levels[0], 0.0f)) {
        own = OUTSIDE;
    }
    if (own != FOUND) {
        point = make_float2(0.0f, 0.0f);
    }
    const uint coarsest = block.counts.y - 1u;
    float scale = 1.0f / float(1u << coarsest);
    float2 here = make_float2(point.x * scale, point.y * scale);
    if (GUESSED == 1u && exists && !isnan(guess_x[nth]) && !isnan(guess_y[nth])) {
        here = make_float2(guess_x[nth] * scale, guess_y[nth] * scale);
    }
    Window window;
    for (uint back = 0u; back <= coarsest; ++back) {
        const uint4 level = block.levels[coarsest - back];
        const View from(first, level, make_float2(point.x * scale - radius, point.y * scale - radius));
        scale = scale * 2.0f;
        const float3 matrix =
            __all_sync(WARP, from.holds(-1, SIDE + 1)) ? window.take<false>(from, lane) : window.take<true>(from, lane);
        const float half = 0.5f * (matrix.x - matrix.z);
        const float least =
            (0.5f * (matrix.x + matrix.z) - sqrtf(half * half + matrix.y * matrix.y)) / float(ROWS * ROWS);
        const float determinant = matrix.x * matrix.z - matrix.y * matrix.y;
        const bool is_sound = least >= block.search.z && determinant > 0.0f;
        const float limit = back == coarsest ? block.search.x : block.search.y;
        // The step before as it was taken, and as the matrix gave it.
        float2 taken = make_float2(0.0f, 0.0f), given = make_float2(0.0f, 0.0f);
        bool goes_on = exists && own == FOUND && is_sound;
        for (uint nth = 0u; nth < block.counts.z; ++nth) {
            goes_on = goes_on && is_inside(here, level, radius);
            if (!__any_sync(WARP, goes_on)) {
                break;
            }
            const float2 corner = make_float2(here.x - radius, here.y - radius);
            const View to(second, level, goes_on ? corner : make_float2(0.0f, 0.0f));
            const float2 sum =
                __all_sync(WARP, to.holds(0, SIDE)) ? window.mismatch<false>(to, lane) : window.mismatch<true>(to, lane);
            if (goes_on) {
                const float2 step = make_float2(
                    (matrix.y * sum.y - matrix.z * sum.x) / determinant,
                    (matrix.y * sum.x - matrix.x * sum.y) / determinant
                );
                // By the way that was taken the steps fell by so much; the secant through both says where they vanish.
                const float way = dot_of(taken, taken);
                const float fall = dot_of(taken, make_float2(given.x - step.x, given.y - step.y));
                const float factor =
                    fall > way / MOST_LENGTHENED ? way / fall : (fall > 0.0f ? MOST_LENGTHENED : 1.0f);
                const float square = dot_of(step, step), before = dot_of(given, given);
                taken = make_float2(factor * step.x, factor * step.y);
                given = step;
                here = make_float2(here.x + taken.x, here.y + taken.y);
                // The next one would be shorter by as much as this one is.
                goes_on = !(square <= limit || square * square <= limit * before);
            }
        }
        if (back < coarsest) {
            here = make_float2(2.0f * here.x, 2.0f * here.y);
        } else if (own == FOUND) {
            if (!is_sound) {
                own = FLAT;
            } else if (!is_inside(here, level, 0.0f)) {
                own = LEFT;
            }
        }
    }
    const bool is_found = own == FOUND;
    const View to(second, block.levels[0], is_found ? make_float2(here.x - radius, here.y - radius) : make_float2(0.0f, 0.0f));
    const float mean = window.difference(to, lane) / float(ROWS * ROWS);
    if (exists && lane == 0) {
        fate[nth] = own;
        moved_x[nth] = is_found ? here.x : not_a_number();
        moved_y[nth] = is_found ? here.y : not_a_number();
        error[nth] = is_found ? mean : not_a_number();
    }
}

} // namespace kernel
