// Four samples of a row at a time: 16-byte loads, where rows are a multiple of four.
alias Pack = vec4<f32>;
const PACK: u32 = 4u;
