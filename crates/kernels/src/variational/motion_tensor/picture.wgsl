// The whole tensor of a picture in one launch, a tile of WIDTH × HEIGHT pixels a workgroup: derivatives, products, and the filter
// along y and then along x. For small pictures launches that march leave most of a device idle. The contract is in mod.rs; sums
// have the order of along_y.wgsl and smooth.wgsl. This part follows nan.wgsl,
// plane_taps.wgsl and products.wgsl.

// Number of output channels, 5 or 6; the last one is tt, if it is wanted.
override CHANNELS: u32 = 5u;
// Radii of the filters, at most 8.
override RADIUS_X: u32 = 1u;
override RADIUS_Y: u32 = 1u;
// A tile's pixels along x and y, at most 32 and 16; threads of a workgroup.
override WIDTH: u32 = 32u;
override HEIGHT: u32 = 16u;
override THREADS: u32 = 256u;

// Twice the mean of both images and their difference, on the tile and what filters and derivatives reach of it. Later three channels
// at a time: their products on the tile and what filters reach of it, and these after the pass along y.
var<workgroup> tile: array<f32, 6912>;

// Channels that lie in the tile at a time.
const TURN: u32 = 3u;

fn image_width() -> u32 {
    return WIDTH + 2u * RADIUS_X + 4u;
}

fn image_samples() -> u32 {
    return image_width() * (HEIGHT + 2u * RADIUS_Y + 4u);
}

fn product_width() -> u32 {
    return WIDTH + 2u * RADIUS_X;
}

fn product_samples() -> u32 {
    return product_width() * (HEIGHT + 2u * RADIUS_Y);
}

fn column_samples() -> u32 {
    return product_width() * HEIGHT;
}

// The nearest pixel inside of the image.
fn nearest_pixel(at: vec2<i32>) -> vec2<i32> {
    return clamp(at, vec2<i32>(0), vec2<i32>(block.size.xy) - vec2<i32>(1));
}

fn place_in(nth: u32, width: u32) -> vec2<i32> {
    return vec2<i32>(i32(nth % width), i32(nth / width));
}

// Loads a pair. Counts of rounds are known when the text is compiled, so that loads of several rounds are under way.
fn load_pair(pair: u32, first: vec2<i32>, lane: u32) {
    let corner = first - vec2<i32>(i32(RADIUS_X) + 2, i32(RADIUS_Y) + 2);
    for (var round = 0u; round < (image_samples() + THREADS - 1u) / THREADS; round = round + 1u) {
        let nth = lane + round * THREADS;
        let at = nearest_pixel(corner + place_in(nth, image_width()));
        let i = u32(at.y) * block.size.x + u32(at.x);
        let before = fixed_at(pair, i);
        let after = warped_at(pair, i);
        if (nth < image_samples()) {
            tile[nth] = twice_mean(before, after);
            tile[image_samples() + nth] = after - before;
        }
    }
}

fn differ_in_tile(i: u32, stride: u32) -> f32 {
    return tile[i - 2u * stride] - tile[i + 2u * stride] + 8.0 * (tile[i + stride] - tile[i - stride]);
}

// The products of a place of the tile and its surroundings; those of the nearest pixel inside for one outside.
fn products_of(nth: u32, first: vec2<i32>) -> Channels {
    let reach = vec2<i32>(i32(RADIUS_X), i32(RADIUS_Y));
    let at = nearest_pixel(first - reach + place_in(nth, product_width()));
    let local = at - first + reach + vec2<i32>(2);
    let i = u32(local.y) * image_width() + u32(local.x);
    let over = vec3<f32>(differ_in_tile(i, 1u), differ_in_tile(i, image_width()), 0.0);
    return products(u32(at.y) * block.size.x + u32(at.x), tile[image_samples() + i], over);
}

// Puts three channels of a place into the tile: the first ones, or those that are left.
fn keep(channels: Channels, turn: u32, nth: u32) {
    let three = select(vec3<f32>(channels.a.w, channels.c), channels.a.xyz, turn == 0u);
    tile[nth] = three.x;
    tile[product_samples() + nth] = three.y;
    tile[2u * product_samples() + nth] = three.z;
}

fn columns_start() -> u32 {
    return TURN * product_samples();
}

fn filter_along_y(lane: u32) {
    for (var nth = lane; nth < TURN * column_samples(); nth = nth + THREADS) {
        let channel = nth / column_samples();
        let i = channel * product_samples() + nth % column_samples();
        var sum = tap_y(i32(RADIUS_Y)) * tile[i];
        for (var k = 1u; k <= 2u * RADIUS_Y; k = k + 1u) {
            sum = sum + tap_y(i32(k) - i32(RADIUS_Y)) * tile[i + k * product_width()];
        }
        tile[columns_start() + nth] = sum;
    }
}

// A channel of the turn, filtered along x as well.
fn filtered(channel: u32, place: u32) -> f32 {
    let i = columns_start() + channel * column_samples() + place / WIDTH * product_width() + place % WIDTH + RADIUS_X;
    var sum = tap_x(0u) * tile[i];
    for (var k = 1u; k <= RADIUS_X; k = k + 1u) {
        sum = sum + tap_x(k) * (tile[i - k] + tile[i + k]);
    }
    return sum;
}

fn store_filtered(turn: u32, first: vec2<i32>, lane: u32) {
    for (var place = lane; place < WIDTH * HEIGHT; place = place + THREADS) {
        let at = vec2<u32>(first + place_in(place, WIDTH));
        if (all(at < block.size.xy)) {
            let i = at.y * block.size.x + at.x;
            if (turn == 0u) {
                out_0[i] = filtered(0u, place);
                out_1[i] = filtered(1u, place);
                out_2[i] = filtered(2u, place);
            } else {
                out_3[i] = filtered(0u, place);
                out_4[i] = filtered(1u, place);
                if (CHANNELS > 5u) {
                    out_5[i] = filtered(2u, place);
                }
            }
        }
    }
}

@compute @workgroup_size(THREADS)
fn picture(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = vec2<i32>(group.xy * vec2<u32>(WIDTH, HEIGHT));
    let rounds = (product_samples() + THREADS - 1u) / THREADS;
    // The products of a thread's places stay with it until the images have left the tile.
    var kept: array<Channels, 6>;
    for (var pair = 0u; pair < PAIRS; pair = pair + 1u) {
        load_pair(pair, first, lane);
        workgroupBarrier();
        for (var round = 0u; round < rounds; round = round + 1u) {
            let nth = min(lane + round * THREADS, product_samples() - 1u);
            let found = products_of(nth, first);
            if (pair == 0u) {
                kept[round] = found;
            } else {
                kept[round] = sum_of(kept[round], found);
            }
        }
        workgroupBarrier();
    }
    for (var turn = 0u; turn < 2u; turn = turn + 1u) {
        for (var round = 0u; round < rounds; round = round + 1u) {
            let nth = lane + round * THREADS;
            if (nth < product_samples()) {
                keep(kept[round], turn, nth);
            }
        }
        workgroupBarrier();
        filter_along_y(lane);
        workgroupBarrier();
        store_filtered(turn, first, lane);
    }
}
