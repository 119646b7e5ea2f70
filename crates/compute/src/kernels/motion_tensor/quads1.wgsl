// Rows are no multiple of four: what lies inside is stored one by one.
fn store_quad(channel: u32, row: u32, x: u32, value: vec4<f32>) {
    for (var k = 0u; k < 4u; k = k + 1u) {
        if (x + k < block.size.x) {
            store_out(channel, row + x + k, value[k]);
        }
    }
}
