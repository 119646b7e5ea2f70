// A pack is one sample: used where the row length is not a multiple of four.
alias Pack = f32;
const PACK: u32 = 1u;
