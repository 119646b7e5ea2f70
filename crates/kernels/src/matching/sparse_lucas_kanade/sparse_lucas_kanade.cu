// sparse_lucas_kanade.wgsl for warps: a lane holds a few columns of a window, and a warp has as many points as it has lanes for.
// The window lies in the workgroup's memory; what a step needs of it beside its samples is taken to registers. The operations and
// their order are the same.
//
// The lanes of a warp stay together: who has arrived computes along at a harmless position, and what it finds is not used.
// Loops are unrolled where registers are counted off by them, and else as little as loads need to be under way: what is executed
// often has to fit the cache of instructions.

namespace kernel {

constexpr uint WARP = 0xffffffffu;
constexpr int SIDE = int(ROWS);
// Columns of a lane, beside each other; lanes of a point; their columns; points of a warp, which is a workgroup.
constexpr int COLUMNS = SIDE > 21 ? 2 : 3;
constexpr int LANES = (SIDE + COLUMNS - 1) / COLUMNS;
constexpr int ACROSS = LANES * COLUMNS;
constexpr int POINTS = 32 / LANES;
// Rows of pixels that are under way.
constexpr int AHEAD = 2;

// By how much steps are lengthened at most.
constexpr float MOST_LENGTHENED = 2.0f;

constexpr float FOUND = 0.0f, UNDEFINED = 1.0f, OUTSIDE = 2.0f, LEFT = 3.0f, FLAT = 4.0f;

// A row of a window, a lane's columns of it: samples, derivatives along x, derivatives along y.
struct Row {
    float values[3 * COLUMNS];

    WGSL_FN float sample(const int c) const { return values[c]; }
    WGSL_FN float along_x(const int c) const { return values[COLUMNS + c]; }
    WGSL_FN float along_y(const int c) const { return values[2 * COLUMNS + c]; }
};

// The windows of a warp: of each row of a lane four values at once, the first four with the samples among them, then single ones.
struct Windows {
    static constexpr int FOURS = 3 * COLUMNS / 4, SINGLES = 3 * COLUMNS % 4;

    float4 fours[SIDE][FOURS][32];
    float singles[SIDE][SINGLES][32];

    WGSL_FN void put(const int j, const Row& row) {
#pragma unroll
        for (int n = 0; n < FOURS; ++n) {
            const float* const from = row.values + 4 * n;
            fours[j][n][threadIdx.x] = make_float4(from[0], from[1], from[2], from[3]);
        }
#pragma unroll
        for (int n = 0; n < SINGLES; ++n) {
            singles[j][n][threadIdx.x] = row.values[4 * FOURS + n];
        }
    }
    WGSL_FN void get_four(const int j, const int nth, Row& row) const {
        const float4 four = fours[j][nth][threadIdx.x];
        float* const to = row.values + 4 * nth;
        to[0] = four.x;
        to[1] = four.y;
        to[2] = four.z;
        to[3] = four.w;
    }
    WGSL_FN void get_first(const int j, Row& row) const { get_four(j, 0, row); }
    WGSL_FN void get_others(const int j, Row& row) const {
#pragma unroll
        for (int n = 1; n < FOURS; ++n) {
            get_four(j, n, row);
        }
#pragma unroll
        for (int n = 0; n < SINGLES; ++n) {
            row.values[4 * FOURS + n] = singles[j][n][threadIdx.x];
        }
    }
};

// What the lanes of a warp share.
struct alignas(16) Shared {
    Windows windows;
    // Two sums of each column of each point.
    float2 sums[POINTS][ACROSS + ACROSS % 2];
};

// A lane, and its point among those of the warp. Lanes beyond the last point do what its first ones do.
struct Place {
    Shared& shared;
    int point, column;

    WGSL_FN explicit Place(Shared& shared) : shared(shared) {
        const int seat = threadIdx.x < POINTS * LANES ? int(threadIdx.x) : int(threadIdx.x) - LANES;
        point = seat / LANES;
        column = seat % LANES * COLUMNS;
    }
    // Whether one of the lane's columns belongs to the window.
    WGSL_FN bool owns(const int c) const { return ACROSS == SIDE || column + c < SIDE; }

    // Two sums over the columns of a point: the first sixteen and those beyond, every fourth of them, then the four that are left.
    WGSL_FN float2 total(const float (&x)[COLUMNS], const float (&y)[COLUMNS]) const {
        float2* const own = shared.sums[point];
        __syncwarp();
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            own[column + c] = make_float2(x[c], y[c]);
        }
        __syncwarp();
        float2 all[SIDE + 1];
#pragma unroll
        for (int c = 0; c < SIDE; c += 2) {
            const float4 two = *reinterpret_cast<const float4*>(own + c);
            all[c] = make_float2(two.x, two.y);
            all[c + 1] = make_float2(two.z, two.w);
        }
#pragma unroll
        for (int c = 16; c < SIDE; ++c) {
            all[c - 16] = all[c - 16] + all[c];
        }
#pragma unroll
        for (int c = 4; c < (SIDE < 16 ? SIDE : 16); ++c) {
            all[c % 4] = all[c % 4] + all[c];
        }
        const float2 three = all[0] + all[1] + all[2];
        return SIDE == 3 ? three : three + all[3];
    }
};

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
    // Whether rows and columns `first` to `last` are pixels.
    WGSL_FN bool holds(const int first, const int last) const {
        return corner.x + first >= 0 && corner.y + first >= 0 && corner.x + last < size.x && corner.y + last < size.y;
    }
};

// Samples between columns of a picture that lie beside each other, a row further with each call; some rows of pixels are under way.
template <bool BORDER, int COUNT> struct Rows {
    const View& at;
    int column, y;
    float pixels[AHEAD][COUNT + 1];

    WGSL_FN Rows(const View& at, const int first_column, const int first_row)
        : at(at), column(at.corner.x + first_column), y(at.corner.y + first_row) {
#pragma unroll
        for (int n = 0; n < AHEAD; ++n) {
            fetch(pixels[n]);
        }
    }
    // The next row; those beyond the last one are not used.
    WGSL_FN void fetch(float (&into)[COUNT + 1]) {
        const float* const row = at.pixels + min(BORDER ? max(y, 0) : y, at.size.y - 1) * at.size.x;
#pragma unroll
        for (int c = 0; c <= COUNT; ++c) {
            into[c] = row[BORDER ? min(max(column + c, 0), at.size.x - 1) : column + c];
        }
        y += 1;
    }
    WGSL_FN void next(float (&samples)[COUNT]) {
#pragma unroll
        for (int c = 0; c < COUNT; ++c) {
            samples[c] = mix_of(pixels[0][c], pixels[0][c + 1], at.part.x);
        }
#pragma unroll
        for (int n = 1; n < AHEAD; ++n) {
#pragma unroll
            for (int c = 0; c <= COUNT; ++c) {
                pixels[n - 1][c] = pixels[n][c];
            }
        }
        fetch(pixels[AHEAD - 1]);
    }
};

// Samples between rows.
template <int COUNT>
WGSL_FN void between(float (&samples)[COUNT], const float (&above)[COUNT], const float (&below)[COUNT], const float t) {
#pragma unroll
    for (int c = 0; c < COUNT; ++c) {
        samples[c] = mix_of(above[c], below[c], t);
    }
}

template <int COUNT> WGSL_FN void copy(float (&to)[COUNT], const float (&from)[COUNT]) {
#pragma unroll
    for (int c = 0; c < COUNT; ++c) {
        to[c] = from[c];
    }
}

// Takes the window and its derivatives; Σ g gᵀ: 11, 12, 22.
template <bool BORDER> WGSL_FN float3 take(const View& at, const Place& place) {
    float xx[COLUMNS] = {}, xy[COLUMNS] = {}, yy[COLUMNS] = {};
    // Three rows of samples above each other, of the columns themselves and one beside them on either side.
    float a[COLUMNS + 2], b[COLUMNS + 2], c[COLUMNS + 2], above[COLUMNS + 2], below[COLUMNS + 2];
    Rows<BORDER, COLUMNS + 2> rows(at, place.column - 1, -1);
    rows.next(above);
    rows.next(below);
    between(a, above, below, at.part.y);
    rows.next(above);
    between(b, below, above, at.part.y);
#pragma unroll 3
    for (int j = 0; j < SIDE; ++j) {
        rows.next(below);
        between(c, above, below, at.part.y);
        Row row;
#pragma unroll
        for (int n = 0; n < COLUMNS; ++n) {
            const float gx = 0.09375f * (a[n + 2] - a[n] + c[n + 2] - c[n]) + 0.3125f * (b[n + 2] - b[n]);
            const float gy = 0.09375f * (c[n] - a[n] + c[n + 2] - a[n + 2]) + 0.3125f * (c[n + 1] - a[n + 1]);
            const float x = place.owns(n) ? gx : 0.0f, y = place.owns(n) ? gy : 0.0f;
            row.values[n] = b[n + 1];
            row.values[COLUMNS + n] = x;
            row.values[2 * COLUMNS + n] = y;
            xx[n] = xx[n] + x * x;
            xy[n] = xy[n] + x * y;
            yy[n] = yy[n] + y * y;
        }
        place.shared.windows.put(j, row);
        copy(a, b);
        copy(b, c);
        copy(above, below);
    }
    const float2 first = place.total(xx, xy), second = place.total(yy, yy);
    return make_float3(first.x, first.y, second.x);
}

// Hands over each row of a window, with J − I of the lane's columns.
template <bool BORDER, class Take> WGSL_FN void compare(const View& at, const Place& place, Take take) {
    float above[COLUMNS], below[COLUMNS], samples[COLUMNS];
    Rows<BORDER, COLUMNS> rows(at, place.column, 0);
    rows.next(above);
#pragma unroll 3
    for (int j = 0; j < SIDE; ++j) {
        rows.next(below);
        between(samples, above, below, at.part.y);
        Row row;
        place.shared.windows.get_first(j, row);
        place.shared.windows.get_others(j, row);
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            take(row, c, samples[c] - row.sample(c));
        }
        copy(above, below);
    }
}

// Σ |J − I|.
template <bool BORDER> WGSL_FN float difference(const View& at, const Place& place) {
    float sum[COLUMNS] = {};
    compare<BORDER>(at, place, [&](const Row&, const int c, const float difference) {
        sum[c] = sum[c] + (place.owns(c) ? fabsf(difference) : 0.0f);
    });
    return place.total(sum, sum).x;
}

// Σ (J − I) g of a window across the border.
WGSL_FN float2 mismatch_across(const View& at, const Place& place) {
    float x[COLUMNS] = {}, y[COLUMNS] = {};
    compare<true>(at, place, [&](const Row& row, const int c, const float difference) {
        x[c] = x[c] + difference * row.along_x(c);
        y[c] = y[c] + difference * row.along_y(c);
    });
    return place.total(x, y);
}

// What of a window is in registers.
struct Slopes {
    Row rows[SIDE];

    WGSL_FN void get(const Place& place) {
#pragma unroll
        for (int j = 0; j < SIDE; ++j) {
            place.shared.windows.get_others(j, rows[j]);
        }
    }

    // Σ (J − I) g of a window inside of the picture.
    WGSL_FN float2 mismatch(const View& at, const Place& place) const {
        float x[COLUMNS] = {}, y[COLUMNS] = {}, above[COLUMNS], below[COLUMNS];
        const float* pixels = at.pixels + at.corner.y * at.size.x + at.corner.x + place.column;
#pragma unroll
        for (int j = 0; j <= SIDE; ++j) {
            float own[COLUMNS + 1];
#pragma unroll
            for (int c = 0; c <= COLUMNS; ++c) {
                own[c] = pixels[c];
            }
            pixels += at.size.x;
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                below[c] = mix_of(own[c], own[c + 1], at.part.x);
            }
            if (j > 0) {
                Row row = rows[j - 1];
                place.shared.windows.get_first(j - 1, row);
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) {
                    const float difference = mix_of(above[c], below[c], at.part.y) - row.sample(c);
                    x[c] = x[c] + difference * row.along_x(c);
                    y[c] = y[c] + difference * row.along_y(c);
                }
            }
            copy(above, below);
        }
        return place.total(x, y);
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
    __shared__ Shared shared;
    const Place place(shared);
    const uint first_point = (blockIdx.y * block.counts.w + blockIdx.x) * POINTS;
    if (first_point >= block.counts.x) {
        return;
    }
    const uint nth = first_point + place.point;
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
    Slopes slopes;
    for (uint back = 0u; back <= coarsest; ++back) {
        const uint4 level = block.levels[coarsest - back];
        const View from(first, level, make_float2(point.x * scale - radius, point.y * scale - radius));
        scale = scale * 2.0f;
        const bool is_inside_first = __all_sync(WARP, from.holds(-1, ACROSS + 1));
        const float3 matrix = is_inside_first ? take<false>(from, place) : take<true>(from, place);
        slopes.get(place);
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
            const bool is_inside_second = __all_sync(WARP, to.holds(0, ACROSS));
            const float2 sum = is_inside_second ? slopes.mismatch(to, place) : mismatch_across(to, place);
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
    const bool is_inside_second = __all_sync(WARP, to.holds(0, ACROSS));
    const float sum = is_inside_second ? difference<false>(to, place) : difference<true>(to, place);
    const float mean = sum / float(ROWS * ROWS);
    if (exists && place.column == 0) {
        fate[nth] = own;
        moved_x[nth] = is_found ? here.x : not_a_number();
        moved_y[nth] = is_found ? here.y : not_a_number();
        error[nth] = is_found ? mean : not_a_number();
    }
}

} // namespace kernel
