// One sweep of the search for matches. The contract is in mod.rs. Needs packed.wgsl.

override SIZES: u32 = 1u;
// Half width of the patches of `patch_match_picture`, at most 8.
override REACH: u32 = 8u;

const WORST: u32 = 1048576u;
const MOST_BITS: u32 = 9u;

// What lies beyond the border of a picture.
const BEYOND: u32 = 0xff5aa5a5u;

struct Match {
    vector: vec3<i32>,
    size: u32,
}

struct Best {
    found: Match,
    cost: u32,
}

// lowbias32.
fn hash(start: u32) -> u32 {
    var word = (start ^ (start >> 16u)) * 0x7feb352du;
    word = (word ^ (word >> 15u)) * 0x846ca68bu;
    return word ^ (word >> 16u);
}

// Where a match leads at the size of the moving image that it has; x is -1 for outside.
fn centre_of(voxel: vec3<i32>, tried: Match) -> vec3<i32> {
    let size = vec3<i32>(block.size.xyz);
    let at = voxel + tried.vector;
    let most = longest();
    let far = max(abs(tried.vector.x), max(abs(tried.vector.y), abs(tried.vector.z)));
    if (any(at < vec3<i32>(0)) || any(at >= size) || far > most) {
        return vec3<i32>(-1);
    }
    return (2 * at + vec3<i32>(1)) * vec3<i32>(block.moving[tried.size].size.xyz) / (2 * size);
}

// The cost of a match, or WORST if it is not below the limit.
fn cost_of(voxel: vec3<i32>, tried: Match, limit: u32) -> u32 {
    let centre = centre_of(voxel, tried);
    if (centre.x < 0) {
        return WORST;
    }
    let last = vec3<i32>(block.size.xyz) - vec3<i32>(1);
    let size = block.moving[tried.size].size;
    let held = block.moving[tried.size].held;
    let reach = i32(block.reach);
    let deep = select(0, reach, COMPONENTS == 3u);
    var sum = 0u;
    for (var z = -deep; z <= deep; z = z + 2) {
        for (var y = -reach; y <= reach; y = y + 2) {
            for (var x = -reach; x <= reach; x = x + 2) {
                let step = vec3<i32>(x, y, z);
                let start = vec3<u32>(clamp(voxel + step, vec3<i32>(0), last));
                // Negative positions wrap around to large numbers, and so are outside too.
                let to = vec3<u32>(centre + step);
                let a = fixed[block.size.w + (start.z * block.held.y + start.y) * block.held.x + start.x];
                var different = select(min(countOneBits(a ^ BEYOND), MOST_BITS), MOST_BITS, COMPONENTS == 3u);
                if (all(to < size.xyz)) {
                    let b = moving[size.w + (to.z * held.y + to.y) * held.x + to.x];
                    different = min(countOneBits(a ^ b), MOST_BITS);
                }
                sum = sum + different;
            }
            if (sum >= limit) {
                return WORST;
            }
        }
    }
    return sum;
}

fn try_one(voxel: vec3<i32>, tried: Match, best: Best) -> Best {
    if (all(tried.vector == best.found.vector) && tried.size == best.found.size) {
        return best;
    }
    let cost = cost_of(voxel, tried, best.cost);
    if (cost < best.cost) {
        return Best(tried, cost);
    }
    return best;
}

// Steps to the neighbours: along every axis, then diagonally in the plane.
fn steps_to(neighbour: u32) -> vec3<i32> {
    let step = i32(block.sweep.x);
    let sign = select(step, -step, (neighbour & 1u) == 0u);
    if (neighbour < 2u * COMPONENTS) {
        return select(vec3<i32>(0), vec3<i32>(sign), vec3<u32>(neighbour / 2u) == vec3<u32>(0u, 1u, 2u));
    }
    let diagonal = neighbour - 2u * COMPONENTS;
    let x = select(step, -step, diagonal == 0u || diagonal == 3u);
    let y = select(step, -step, diagonal == 0u || diagonal == 2u);
    return vec3<i32>(x, y, 0);
}

// Neighbour `k` of a voxel: its match, as the voxel would have it. A size of SIZES or more: there is no such neighbour.
fn neighbour_of(voxel: vec3<i32>, k: u32) -> Match {
    let size = block.size;
    let steps = steps_to(k);
    let at = vec3<u32>(voxel + steps);
    if (!all(at < size.xyz)) {
        return Match(vec3<i32>(0), SIZES);
    }
    let word = matches[(at.z * size.y + at.y) * size.x + at.x];
    let growth = i32(block.moving[size_of(word)].held.z);
    let vector = vector_of(word) - ((growth * steps + vec3<i32>(512)) >> vec3<u32>(10u));
    return Match(vector, size_of(word));
}

// A random match near another one, and the random word that it was made of.
struct Random {
    tried: Match,
    word: u32,
}

fn random_near(found: Match, start: u32, radius: u32) -> Random {
    let word = start + 1u;
    let span = 2u * radius + 1u;
    var mixed = hash(word);
    var vector = found.vector;
    vector.x = vector.x + i32(mixed % span) - i32(radius);
    mixed = hash(mixed + 0x9e3779b9u);
    vector.y = vector.y + i32(mixed % span) - i32(radius);
    mixed = hash(mixed + 0x9e3779b9u);
    if (COMPONENTS == 3u) {
        vector.z = vector.z + i32(mixed % span) - i32(radius);
        mixed = hash(mixed + 0x9e3779b9u);
    }
    let at_size = clamp(i32(found.size) + i32(mixed % 3u) - 1, 0, i32(SIZES) - 1);
    return Random(Match(vector, u32(at_size)), word);
}

@compute @workgroup_size(32, 4)
fn patch_match(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = block.size;
    if (id.x >= size.x || id.y >= size.y) {
        return;
    }
    let i = (id.z * size.y + id.y) * size.x + id.x;
    let voxel = vec3<i32>(id);
    var best = Best(Match(vector_of(matches[i]), size_of(matches[i])), costs[i]);
    if (best.cost == WORST) {
        best.cost = cost_of(voxel, best.found, WORST);
    }
    for (var k = 0u; k < 2u * COMPONENTS + 4u; k = k + 1u) {
        let tried = neighbour_of(voxel, k);
        if (tried.size < SIZES) {
            best = try_one(voxel, tried, best);
        }
    }
    var word = hash(block.sweep.w) ^ (i * 16u);
    var radius = block.sweep.y;
    for (var k = 0u; k < block.sweep.z; k = k + 1u) {
        let random = random_near(best.found, word, radius);
        word = random.word;
        best = try_one(voxel, random.tried, best);
        radius = max(radius / 2u, 1u);
    }
    better[i] = packed(best.found.vector, best.found.size);
    better_costs[i] = best.cost;
}

// Pictures: the fixed image's codes of a workgroup's patches lie in its memory, and the moving image has a margin as wide as a
// patch reaches, so that patches are compared without a look at its border. Costs are those of `patch_match`.
//
// Rows of a patch are counted when it runs (`block.reach` is REACH): unrolled, the machine code was up to fifteen times as long,
// took as much longer to compile, and was no faster.

// Pixels of a workgroup, of 256 threads.
override WIDTH: u32 = 32u;
override HEIGHT: u32 = 8u;
var<workgroup> tile: array<u32, 1152>;

fn tile_width() -> u32 {
    return WIDTH + 2u * REACH;
}

// The pixel of the image nearest to a place of the tile.
fn load_tile(first: vec2<i32>, lane: u32) {
    let last = vec2<i32>(block.size.xy) - vec2<i32>(1);
    for (var nth = lane; nth < tile_width() * (HEIGHT + 2u * REACH); nth = nth + 256u) {
        let step = vec2<i32>(i32(nth % tile_width()), i32(nth / tile_width())) - vec2<i32>(i32(REACH));
        let at = vec2<u32>(clamp(first + step, vec2<i32>(0), last));
        tile[nth] = fixed[block.size.w + at.y * block.held.x + at.x];
    }
}

// `centre_of` for pictures.
fn centre_in_picture(voxel: vec3<i32>, tried: Match) -> vec2<i32> {
    let at = vec2<u32>(voxel.xy + tried.vector.xy);
    let far = max(abs(tried.vector.x), abs(tried.vector.y));
    // Negative positions wrap around to large numbers, and so are outside too.
    if (any(at >= block.size.xy) || far > longest()) {
        return vec2<i32>(-1);
    }
    return vec2<i32>((2u * at + vec2<u32>(1u)) * block.moving[tried.size].size.xy / (2u * block.size.xy));
}

// Where the patch around a pixel of the moving image begins. (Signed, so that samples beside each other need one address.)
fn first_of_patch(centre: vec2<i32>, image: u32) -> i32 {
    let first = centre - vec2<i32>(i32(REACH));
    return i32(block.moving[image].size.w) + first.y * i32(block.moving[image].held.x) + first.x;
}

// The cost of a match of the pixel whose patch begins at `start` in the tile, or WORST if it is not below the limit.
fn tile_cost(start: i32, voxel: vec3<i32>, tried: Match, limit: u32) -> u32 {
    let centre = centre_in_picture(voxel, tried);
    if (centre.x < 0) {
        return WORST;
    }
    let down = 2 * i32(block.moving[tried.size].held.x);
    var own = start;
    var to = first_of_patch(centre, tried.size);
    var sum = 0u;
    for (var y = 0u; y <= block.reach; y = y + 1u) {
        for (var x = 0; x <= i32(REACH); x = x + 1) {
            sum = sum + min(countOneBits(tile[own + 2 * x] ^ moving[to + 2 * x]), MOST_BITS);
        }
        if (sum >= limit) {
            return WORST;
        }
        own = own + 2 * i32(tile_width());
        to = to + down;
    }
    return sum;
}

// The first of the neighbours' matches that costs least, if one costs less than the best. Rows of the patch are read once for all
// eight.
fn best_neighbour(start: i32, voxel: vec3<i32>, best: Best) -> Best {
    var to: array<i32, 8>;
    var down: array<i32, 8>;
    var sums: array<u32, 8>;
    for (var k = 0u; k < 8u; k = k + 1u) {
        let tried = neighbour_of(voxel, k);
        sums[k] = WORST;
        to[k] = 0;
        down[k] = 0;
        let is_new = any(tried.vector != best.found.vector) || tried.size != best.found.size;
        if (tried.size < SIZES && is_new) {
            let centre = centre_in_picture(voxel, tried);
            if (centre.x >= 0) {
                sums[k] = 0u;
                to[k] = first_of_patch(centre, tried.size);
                down[k] = 2 * i32(block.moving[tried.size].held.x);
            }
        }
    }
    var own = start;
    for (var y = 0u; y <= block.reach; y = y + 1u) {
        var row: array<u32, 9>;
        for (var x = 0; x <= i32(REACH); x = x + 1) {
            row[x] = tile[own + 2 * x];
        }
        for (var k = 0u; k < 8u; k = k + 1u) {
            if (sums[k] < best.cost) {
                for (var x = 0; x <= i32(REACH); x = x + 1) {
                    sums[k] = sums[k] + min(countOneBits(row[x] ^ moving[to[k] + 2 * x]), MOST_BITS);
                }
                to[k] = to[k] + down[k];
            }
        }
        own = own + 2 * i32(tile_width());
    }
    var least = best.cost;
    var first = 8u;
    for (var k = 0u; k < 8u; k = k + 1u) {
        if (sums[k] < least) {
            least = sums[k];
            first = k;
        }
    }
    if (first == 8u) {
        return best;
    }
    return Best(neighbour_of(voxel, first), least);
}

@compute @workgroup_size(32, 8)
fn patch_match_picture(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let size = block.size;
    let corner = group.xy * vec2<u32>(WIDTH, HEIGHT);
    load_tile(vec2<i32>(corner), lane);
    workgroupBarrier();
    let at = corner + local.xy;
    if (at.x >= size.x || at.y >= size.y) {
        return;
    }
    let i = at.y * size.x + at.x;
    let voxel = vec3<i32>(vec2<i32>(at), 0);
    let start = i32(local.y * tile_width() + local.x);
    var best = Best(Match(vector_of(matches[i]), size_of(matches[i])), costs[i]);
    if (best.cost == WORST) {
        best.cost = tile_cost(start, voxel, best.found, WORST);
    }
    best = best_neighbour(start, voxel, best);
    var word = hash(block.sweep.w) ^ (i * 16u);
    var radius = block.sweep.y;
    for (var k = 0u; k < block.sweep.z; k = k + 1u) {
        let random = random_near(best.found, word, radius);
        word = random.word;
        radius = max(radius / 2u, 1u);
        let tried = random.tried;
        if (any(tried.vector != best.found.vector) || tried.size != best.found.size) {
            let cost = tile_cost(start, voxel, tried, best.cost);
            if (cost < best.cost) {
                best = Best(tried, cost);
            }
        }
    }
    better[i] = packed(best.found.vector, best.found.size);
    better_costs[i] = best.cost;
}
