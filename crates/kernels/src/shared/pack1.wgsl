// Samples one by one, where rows are no multiple of four.
alias Pack = f32;
const PACK: u32 = 1u;
