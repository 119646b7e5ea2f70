// Rows are a multiple of four: a thread smooths quads of channels along x and stores 16 bytes at a time.
fn kept(at: u32) -> vec4<f32> {
    return vec4<f32>(
        row_memory[at],
        row_memory[at + STEP],
        row_memory[at + 2u * STEP],
        row_memory[at + 3u * STEP],
    );
}

// Quad `quad` of a channel, smoothed along x.
fn filter_quad(parity: u32, channel: u32, quad: u32) -> vec4<f32> {
    let at = parity * ROW + channel * CHANNEL + quad + PAD / 4u;
    let c = kept(at);
    let near = block.taps_x[0];
    var sum = near.x * c;
    if (RADIUS_X > 0u) {
        let b = kept(at - 1u);
        let d = kept(at + 1u);
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
            let a = kept(at - 2u);
            let e = kept(at + 2u);
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

fn store_row(parity: u32, lane: u32, row: u32, first_x: u32) {
    let quad = lane % (STRIP / 4u);
    let nth = lane / (STRIP / 4u);
    let x = first_x + 4u * quad;
    if (nth >= 4u || x >= block.size.x) {
        return;
    }
    let i = (row + x) / PACK;
    if ((PARTS & 1u) != 0u) {
        store_out(nth, i, filter_quad(parity, nth, quad));
    }
    if ((PARTS & 2u) != 0u) {
        store_out(4u + nth, i, filter_quad(parity, 4u + nth, quad));
    }
    if ((PARTS & 4u) != 0u && first_left() + nth < CHANNELS) {
        store_out(first_left() + nth, i, filter_quad(parity, first_left() + nth, quad));
    }
}
