// The same sweep of a small picture, which alone would fill few multiprocessors: eight threads a pixel. Each tries one of the
// neighbours' matches; a random one, which depends on the best so far, is compared by all of them together, a share of the patch
// each. The first of the best is taken, as in turn. Needs patch_match.wgsl, with a WIDTH and HEIGHT of 32 pixels.

const TEAM: u32 = 8u;
// What threads tell each other, in two halves in turn, so that one barrier is enough.
var<workgroup> told: array<u32, 512>;

// The bits in which every eighth sample of two patches differs.
fn share_of_cost(start: i32, first: i32, pitch: i32, member: i32) -> u32 {
    let across = i32(REACH) + 1;
    var sum = 0u;
    for (var nth = member; nth < across * across; nth = nth + i32(TEAM)) {
        let x = 2 * (nth % across);
        let y = 2 * (nth / across);
        let different = countOneBits(tile[start + y * i32(tile_width()) + x] ^ moving[first + y * pitch + x]);
        sum = sum + min(different, MOST_BITS);
    }
    return sum;
}

@compute @workgroup_size(256)
fn patch_match_teams(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let size = block.size;
    let corner = group.xy * vec2<u32>(WIDTH, HEIGHT);
    load_tile(vec2<i32>(corner), lane);
    workgroupBarrier();
    let pixel = lane / TEAM;
    let member = lane % TEAM;
    let asked = corner + vec2<u32>(pixel % WIDTH, pixel / WIDTH);
    // Teams without a pixel wait at the same barriers.
    let at = min(asked, size.xy - vec2<u32>(1u));
    let i = at.y * size.x + at.x;
    let voxel = vec3<i32>(vec2<i32>(at), 0);
    let start = i32((at.y - corner.y) * tile_width() + at.x - corner.x);
    let team = lane - member;
    var best = Best(Match(vector_of(matches[i]), size_of(matches[i])), costs[i]);
    var word = hash(block.sweep.w) ^ (i * 16u);
    var radius = block.sweep.y;
    var half = 0u;
    // What was found before, if it was not compared yet; then the neighbours'; then random ones.
    for (var k = 0u; k < 2u + block.sweep.z; k = k + 1u) {
        var tried = best.found;
        var cost = WORST;
        if (k == 1u) {
            tried = neighbour_of(voxel, member);
            if (tried.size < SIZES) {
                cost = tile_cost(start, voxel, tried, best.cost);
            }
        } else {
            if (k > 1u) {
                let random = random_near(best.found, word, radius);
                word = random.word;
                radius = max(radius / 2u, 1u);
                tried = random.tried;
            }
            let centre = centre_in_picture(voxel, tried);
            if (centre.x >= 0) {
                let pitch = i32(block.moving[tried.size].held.x);
                cost = share_of_cost(start, first_of_patch(centre, tried.size), pitch, i32(member));
            }
        }
        told[half + lane] = cost;
        workgroupBarrier();
        if (k == 1u) {
            var first = TEAM;
            for (var nth = 0u; nth < TEAM; nth = nth + 1u) {
                if (told[half + team + nth] < best.cost) {
                    best.cost = told[half + team + nth];
                    first = nth;
                }
            }
            if (first < TEAM) {
                best.found = neighbour_of(voxel, first);
            }
        } else {
            var sum = 0u;
            for (var nth = 0u; nth < TEAM; nth = nth + 1u) {
                sum = sum + told[half + team + nth];
            }
            if (sum < best.cost && (k > 0u || best.cost == WORST)) {
                best = Best(tried, sum);
            }
        }
        half = 256u - half;
    }
    if (member == 0u && all(asked < size.xy)) {
        better[i] = packed(best.found.vector, best.found.size);
        better_costs[i] = best.cost;
    }
}
