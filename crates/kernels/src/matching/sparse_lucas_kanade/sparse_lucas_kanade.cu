// sparse_lucas_kanade.wgsl with its windows in registers: sixteen lanes of a warp hold a point, a column of the window each,
// or all thirty-two where the window is wider. What they have to tell each other goes through shuffles, for which WGSL's
// subset has no word. The operations and their order are the same.
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
constexpr int LANES = SIDE > 16 ? 32 : 16;
constexpr uint WARP = 0xffffffffu;
// The samples have one column more on either side than the window has: the first lanes may have a second one.
constexpr bool HAS_SECOND = SIDE + 2 > LANES;

// By how much steps are lengthened at most.
constexpr float MOST_LENGTHENED = 2.0f;

constexpr float FOUND = 0.0f, UNDEFINED = 1.0f, OUTSIDE = 2.0f, LEFT = 3.0f, FLAT = 4.0f;

WGSL_FN float from_lane(const float value, const int lane) { return __shfl_sync(WARP, value, lane, LANES); }

// The sum of a point's lanes: the first sixteen and those beyond, every fourth of them, then the four that are left.
WGSL_FN float total(float sum, const int lane) {
    const int nth = lane & 3;
    if (LANES > 16) {
        sum = sum + from_lane(sum, (lane + 16) & 31);
    }
    const float quarter =
        from_lane(sum, nth) + from_lane(sum, nth + 4) + from_lane(sum, nth + 8) + from_lane(sum, nth + 12);
    return from_lane(quarter, 0) + from_lane(quarter, 1) + from_lane(quarter, 2) + from_lane(quarter, 3);
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

// Samples between two columns of a picture, row by row, a row further with each call.
template <bool BORDER> struct Column {
    const View& at;
    int low, high, y;

    WGSL_FN Column(const View& at, const int x, const int y) : at(at), low(at.corner.x + x), y(y) {
        high = low + 1;
        if (BORDER) {
            low = min(max(low, 0), at.size.x - 1);
            high = min(max(high, 0), at.size.x - 1);
        } else {
            low += (at.corner.y + y) * at.size.x;
        }
    }
    WGSL_FN float next() {
        float a, b;
        if (BORDER) {
            const int row = min(max(at.corner.y + y, 0), at.size.y - 1) * at.size.x;
            a = at.pixels[low + row];
            b = at.pixels[high + row];
        } else {
            a = at.pixels[low];
            b = at.pixels[low + 1];
            low += at.size.x;
        }
        y += 1;
        return mix_of(a, b, at.part.x);
    }
};

struct Window {
    float samples[SIDE], along_x[SIDE], along_y[SIDE];

    // Takes the window and its derivatives; Σ g gᵀ of this lane's column: 11, 12, 22.
    template <bool BORDER> WGSL_FN float3 take(const View& at, const int lane) {
        // Three rows of samples above each other, of the column itself and the two beside it.
        float rows[3][3];
        float3 sum = make_float3(0.0f, 0.0f, 0.0f);
        Column<BORDER> first(at, min(lane, SIDE + 1) - 1, -1);
        Column<BORDER> second(at, min(lane + LANES, SIDE + 1) - 1, -1);
        float above = first.next(), above_second = HAS_SECOND ? second.next() : 0.0f;
#pragma unroll
        for (int j = 0; j < SIDE + 2; ++j) {
            const float below = first.next(), below_second = HAS_SECOND ? second.next() : 0.0f;
            const float own = mix_of(above, below, at.part.y), beyond = mix_of(above_second, below_second, at.part.y);
            above = below;
            above_second = below_second;
            rows[j % 3][0] = own;
#pragma unroll
            for (int k = 1; k < 3; ++k) {
                // The last lanes' neighbours are the first ones' second columns.
                const float lent = !HAS_SECOND || lane >= k ? own : beyond;
                rows[j % 3][k] = from_lane(lent, (lane + k) & (LANES - 1));
            }
            if (j >= 2) {
                const float* const a = rows[(j - 2) % 3];
                const float* const b = rows[(j - 1) % 3];
                const float* const c = rows[j % 3];
                const float gx = 0.09375f * (a[2] - a[0] + c[2] - c[0]) + 0.3125f * (b[2] - b[0]);
                const float gy = 0.09375f * (c[0] - a[0] + c[2] - a[2]) + 0.3125f * (c[1] - a[1]);
                samples[j - 2] = b[1];
                along_x[j - 2] = lane < SIDE ? gx : 0.0f;
                along_y[j - 2] = lane < SIDE ? gy : 0.0f;
            }
        }
#pragma unroll
        for (int j = 0; j < SIDE; ++j) {
            sum.x = sum.x + along_x[j] * along_x[j];
            sum.y = sum.y + along_x[j] * along_y[j];
            sum.z = sum.z + along_y[j] * along_y[j];
        }
        return sum;
    }

    // Hands over J − I of this lane's column.
    template <bool BORDER, class Take> WGSL_FN void compare(const View& at, const int lane, Take take) const {
        Column<BORDER> column(at, min(lane, SIDE - 1), 0);
        float above = column.next();
#pragma unroll
        for (int j = 0; j < SIDE; ++j) {
            const float below = column.next();
            take(j, mix_of(above, below, at.part.y) - samples[j]);
            above = below;
        }
    }

    // Σ (J − I) g of this lane's column.
    template <bool BORDER> WGSL_FN float2 mismatch(const View& at, const int lane) const {
        float2 sum = make_float2(0.0f, 0.0f);
        compare<BORDER>(at, lane, [&](const int j, const float difference) {
            sum.x = sum.x + difference * along_x[j];
            sum.y = sum.y + difference * along_y[j];
        });
        return sum;
    }

    // Σ |J − I| of this lane's column.
    WGSL_FN float difference(const View& at, const int lane) const {
        float sum = 0.0f;
        compare<true>(at, lane, [&](const int, const float difference) {
            sum = sum + (lane < SIDE ? fabsf(difference) : 0.0f);
        });
        return sum;
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
        float3 matrix = __all_sync(WARP, from.holds(-1, SIDE + 1)) ? window.take<false>(from, lane) : window.take<true>(from, lane);
        matrix = make_float3(total(matrix.x, lane), total(matrix.y, lane), total(matrix.z, lane));
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
            float2 sum = __all_sync(WARP, to.holds(0, SIDE)) ? window.mismatch<false>(to, lane) : window.mismatch<true>(to, lane);
            sum = make_float2(total(sum.x, lane), total(sum.y, lane));
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
    const float mean = total(window.difference(to, lane), lane) / float(ROWS * ROWS);
    if (exists && lane == 0) {
        fate[nth] = own;
        moved_x[nth] = is_found ? here.x : not_a_number();
        moved_y[nth] = is_found ? here.y : not_a_number();
        error[nth] = is_found ? mean : not_a_number();
    }
}

} // namespace kernel
