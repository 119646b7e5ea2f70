// Costs of disparities along paths: a workgroup has a path, and its threads have pairs of disparities. The contract is in mod.rs.

override ADDED: u32 = 1u;

const LANES: u32 = 32u;
// Words of the costs of a pixel, two disparities each.
const MOST_WORDS: u32 = 1024u;
const OUTSIDE: u32 = 16u;
// More than any cost.
const NOT_THERE: u32 = 0x3fffu;

// Costs of this pixel and of the one before, and the least of each thread's; the two take turns.
var<workgroup> costs: array<u32, 2048>;
var<workgroup> least_of_lanes: array<u32, 64>;

// Bits that differ between a left pixel and its match in the right picture.
fn match_cost(code: u32, row: u32, x: i32) -> u32 {
    if (x < 0 || x >= i32(block.size.x)) {
        return OUTSIDE;
    }
    return countOneBits(code ^ codes[block.size.y + row + u32(x)]);
}

// The cost of a disparity of the pixel before.
fn cost_before(turn: u32, k: i32) -> u32 {
    if (k < 0 || k >= i32(block.size.z)) {
        return NOT_THERE;
    }
    let word = costs[turn * MOST_WORDS + u32(k) / 2u];
    return (word >> (16u * (u32(k) & 1u))) & 0xffffu;
}

// The cheapest way to a disparity of this pixel.
fn cheapest_way(turn: u32, k: i32, jump: u32) -> u32 {
    let beside = min(cost_before(turn, k - 1), cost_before(turn, k + 1)) + block.penalty.x;
    return min(min(cost_before(turn, k), beside), jump);
}

@compute @workgroup_size(32)
fn path_costs(@builtin(workgroup_id) path: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    let words = block.size.z / 2u;
    var pixel = block.lines.x + path.x * block.lines.y;
    var before = pixel;
    for (var step = 0u; step < block.lines.w; step = step + 1u) {
        let turn = step & 1u;
        let last = 1u - turn;
        let begin = i32(base[pixel]);
        let row = pixel / block.size.x * block.size.x;
        let at = i32(pixel - row) - begin;
        var least = 0u;
        var jump = 0u;
        var shift = 0;
        if (step > 0u) {
            least = NOT_THERE;
            for (var other = 0u; other < LANES; other = other + 1u) {
                least = min(least, least_of_lanes[last * LANES + other]);
            }
            let change = abs(image[pixel] - image[before]);
            let lowered = u32(f32(block.penalty.z) / (1.0 + change * block.per_edge));
            jump = least + max(lowered, block.penalty.y);
            shift = begin - i32(base[before]);
        }
        let code = codes[pixel];
        var own_least = NOT_THERE;
        for (var word = lane; word < words; word = word + LANES) {
            let k = i32(2u * word);
            var low = match_cost(code, row, at - k);
            var high = match_cost(code, row, at - k - 1);
            if (step > 0u) {
                low = low + cheapest_way(last, k + shift, jump) - least;
                high = high + cheapest_way(last, k + 1 + shift, jump) - least;
            }
            let both = low | (high << 16u);
            costs[turn * MOST_WORDS + word] = both;
            own_least = min(own_least, min(low, high));
            let place = pixel * words + word;
            if (ADDED == 1u) {
                sums[place] = sums[place] + both;
            } else {
                sums[place] = both;
            }
        }
        least_of_lanes[turn * LANES + lane] = own_least;
        // What the others wrote is read after this; what they read before it is overwritten after the next one.
        workgroupBarrier();
        before = pixel;
        pixel = pixel + block.lines.z;
    }
}
