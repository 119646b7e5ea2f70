// Rows are a multiple of four: a thread smooths quads of channels along x and stores 16 bytes at a time.

// Two rows of up to ten channels: one is read while the next is written.
const ROW: u32 = 760u;
var<workgroup> row_memory: array<vec4<f32>, 1520>;

fn put(parity: u32, channel: u32, own: u32, value: f32) {
    row_memory[parity * ROW + channel * PLANES * THREADS / 4u + (own >> 2u)][own & 3u] = value;
}

// What a thread stores of every row: one quad of one plane.
struct Place {
    // Its place in a channel's row, and the quad in row 0 of the plane.
    at: u32,
    i: u32,
    x: u32,
    // The first of the channels that the thread does, one in turn(); none outside.
    channel: u32,
}

fn place_of(own: u32, group: vec3<u32>) -> Place {
    let quads = STRIP / 4u;
    let quad = own % quads;
    let plane = (own / quads) % PLANES;
    let x = group.x * STRIP + 4u * quad;
    let z = group.z * PLANES + plane;
    let is_any = own < turn() * PLANES * quads && x < block.size.x && z < block.size.z;
    let channel = select(CHANNELS, own / (PLANES * quads), is_any);
    return Place((plane * THREADS + PAD) / 4u + quad, (z * block.size.y * block.size.x + x) / 4u, x, channel);
}

fn turn() -> u32 {
    return 4u * THREADS / STRIP;
}

// The quad at `at` that starts in column x, smoothed along x; beyond the border stands the border's sample.
fn filter_quad(at: u32, x: u32) -> vec4<f32> {
    let c = row_memory[at];
    let after = block.size.x - 4u - x;
    let near = block.taps_x[0];
    var sum = near.x * c;
    if (RADIUS_X > 0u) {
        var b = vec4<f32>(c.x);
        if (x > 0u) {
            b = row_memory[at - 1u];
        }
        var d = vec4<f32>(c.w);
        if (after > 0u) {
            d = row_memory[at + 1u];
        }
        let far = block.taps_x[1];
        sum = sum + near.y * (vec4<f32>(b.w, c.xyz) + vec4<f32>(c.yzw, d.x));
        if (RADIUS_X > 1u) {
            sum = sum + near.z * (vec4<f32>(b.zw, c.xy) + vec4<f32>(c.zw, d.xy));
        }
        if (RADIUS_X > 2u) {
            sum = sum + near.w * (vec4<f32>(b.yzw, c.x) + vec4<f32>(c.w, d.xyz));
        }
        if (RADIUS_X > 3u) {
            sum = sum + far.x * (b + d);
        }
        if (RADIUS_X > 4u) {
            var a = vec4<f32>(b.x);
            if (x > 4u) {
                a = row_memory[at - 2u];
            }
            var e = vec4<f32>(d.w);
            if (after > 4u) {
                e = row_memory[at + 2u];
            }
            sum = sum + far.y * (vec4<f32>(a.w, b.xyz) + vec4<f32>(d.yzw, e.x));
            if (RADIUS_X > 5u) {
                sum = sum + far.z * (vec4<f32>(a.zw, b.xy) + vec4<f32>(d.zw, e.xy));
            }
            if (RADIUS_X > 6u) {
                sum = sum + far.w * (vec4<f32>(a.yzw, b.x) + vec4<f32>(d.w, e.xyz));
            }
            if (RADIUS_X > 7u) {
                sum = sum + block.taps_x[2].x * (a + e);
            }
        }
    }
    return sum;
}

fn store_row(parity: u32, place: Place, y: u32) {
    for (var channel = place.channel; channel < CHANNELS; channel = channel + turn()) {
        if (is_made(channel)) {
            let done = filter_quad(parity * ROW + channel * PLANES * THREADS / 4u + place.at, place.x);
            store_out(channel, place.i + y * (block.size.x / 4u), done);
        }
    }
}
