// A pack is four samples of a row, loaded with 16 bytes: used where the row length is a multiple of four.
alias Pack = vec4<f32>;
const PACK: u32 = 4u;
