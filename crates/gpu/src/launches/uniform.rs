//! The uniform block of a launch: a few numbers in WGSL's layout.

/// A uniform block. Members are appended in the order of the WGSL struct; alignment is added automatically.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Uniform {
    bytes: Vec<u8>,
}

impl Uniform {
    /// An empty block.
    pub fn new() -> Self {
        Self::default()
    }
    /// Appends a `u32`; larger values become `u32::MAX`.
    pub fn u(mut self, value: usize) -> Self {
        self.bytes.extend(u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes());
        self
    }
    /// Appends an `f32`.
    pub fn f(mut self, value: f32) -> Self {
        self.bytes.extend(value.to_le_bytes());
        self
    }
    /// Appends a `vec4<u32>`; missing components are 0.
    pub fn u4<const N: usize>(mut self, values: [usize; N]) -> Self {
        self.align();
        values.into_iter().chain([0; 4]).take(4).fold(self, Self::u)
    }
    /// Appends a `vec4<f32>`; missing components are 0.
    pub fn f4<const N: usize>(mut self, values: [f32; N]) -> Self {
        self.align();
        values.into_iter().chain([0.0; 4]).take(4).fold(self, Self::f)
    }
    /// The block's bytes; their number is a multiple of 16 and at least 16.
    pub fn bytes(mut self) -> Vec<u8> {
        self.align();
        if self.bytes.is_empty() {
            self.bytes.resize(16, 0);
        }
        self.bytes
    }
    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_where_wgsl_looks_for_them() {
        let bytes = Uniform::new().f(1.0).u4([1, 2]).u(7).bytes();
        assert_eq!(bytes.len(), 48);
        assert_eq!((bytes[16], bytes[20], bytes[24], bytes[32]), (1, 2, 0, 7));
    }
}
