// Rows are a multiple of four: a quad is a 16-byte store.
fn store_quad(channel: u32, row: u32, x: u32, value: vec4<f32>) {
    store_out(channel, (row + x) / PACK, value);
}
