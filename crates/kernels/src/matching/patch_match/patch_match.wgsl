// One sweep of the search for matches. The contract is in mod.rs. Needs packed.wgsl.

override SIZES: u32 = 1u;

const WORST: u32 = 1048576u;
const MOST_BITS: u32 = 9u;

struct Image {
    // Voxels along x, y, z, and the first code (w).
    size: vec4<u32>,
    // 1024 (s - 1), as a word (x).
    growth: vec4<u32>,
}

struct Block {
    // Of the fixed image.
    size: vec4<u32>,
    moving: array<Image, 5>,
    // Step, radius, tries, seed.
    sweep: vec4<u32>,
    reach: u32,
}

@group(0) @binding(0) var<uniform> block: Block;
@group(0) @binding(1) var<storage, read> fixed: array<u32>;
@group(0) @binding(2) var<storage, read> moving: array<u32>;
@group(0) @binding(3) var<storage, read> matches: array<u32>;
@group(0) @binding(4) var<storage, read> costs: array<u32>;
@group(0) @binding(5) var<storage, read_write> better: array<u32>;
@group(0) @binding(6) var<storage, read_write> better_costs: array<u32>;

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
                var different = MOST_BITS;
                if (all(to < size.xyz)) {
                    let a = fixed[block.size.w + (start.z * block.size.y + start.y) * block.size.x + start.x];
                    let b = moving[size.w + (to.z * size.y + to.y) * size.x + to.x];
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
        let steps = steps_to(k);
        let at = vec3<u32>(voxel + steps);
        if (all(at < size.xyz)) {
            let word = matches[(at.z * size.y + at.y) * size.x + at.x];
            let growth = i32(block.moving[size_of(word)].growth.x);
            let vector = vector_of(word) - ((growth * steps + vec3<i32>(512)) >> vec3<u32>(10u));
            best = try_one(voxel, Match(vector, size_of(word)), best);
        }
    }
    var word = hash(block.sweep.w) ^ (i * 16u);
    var radius = block.sweep.y;
    for (var k = 0u; k < block.sweep.z; k = k + 1u) {
        word = word + 1u;
        let span = 2u * radius + 1u;
        var mixed = hash(word);
        var vector = best.found.vector;
        vector.x = vector.x + i32(mixed % span) - i32(radius);
        mixed = hash(mixed + 0x9e3779b9u);
        vector.y = vector.y + i32(mixed % span) - i32(radius);
        mixed = hash(mixed + 0x9e3779b9u);
        if (COMPONENTS == 3u) {
            vector.z = vector.z + i32(mixed % span) - i32(radius);
            mixed = hash(mixed + 0x9e3779b9u);
        }
        let at_size = clamp(i32(best.found.size) + i32(mixed % 3u) - 1, 0, i32(SIZES) - 1);
        best = try_one(voxel, Match(vector, u32(at_size)), best);
        radius = max(radius / 2u, 1u);
    }
    better[i] = packed(best.found.vector, best.found.size);
    better_costs[i] = best.cost;
}
