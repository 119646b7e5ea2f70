//! Size, colour and frame rate of a video, and the interface of its encoders.

use crate::error::Result;

/// Frames in so many seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameRate {
    /// Frames; above 0.
    pub frames: u32,
    /// Seconds; above 0.
    pub seconds: u32,
}

impl FrameRate {
    /// The rate of frames that lie so many milliseconds apart; 25 a second where that is unknown.
    pub fn from_interval_ms(interval_ms: Option<f64>) -> Self {
        match interval_ms {
            // Standard rates are multiples of 1/1001 s.
            Some(ms) if ms.is_finite() && ms > 0.0 => {
                let whole = (1e3 / ms).round();
                if whole >= 1.0 && (1e3 / ms - whole).abs() < 1e-6 {
                    Self { frames: whole as u32, seconds: 1 }
                } else {
                    Self { frames: ((1001e3 / ms).round() as u32).max(1), seconds: 1001 }
                }
            }
            _ => Self { frames: 25, seconds: 1 },
        }
    }
}

/// What the samples of a frame are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VideoColour {
    /// One byte a pixel.
    Grey,
    /// Red, green, blue; in Y4M as 4:4:4.
    Full,
    /// Red, green, blue; in Y4M as 4:2:0, with one colour for 2 × 2 pixels.
    Half,
}

/// What all frames of a video have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VideoShape {
    /// Pixels per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// What the samples are.
    pub colour: VideoColour,
    /// How fast it is played.
    pub rate: FrameRate,
}

impl VideoColour {
    /// Samples a pixel.
    pub(crate) fn channels(self) -> usize {
        if self == Self::Grey { 1 } else { 3 }
    }
}

/// A video on its way into a file or a pipe; dropped before it is finished, it leaves no file.
pub(crate) trait VideoEncoder: Send {
    /// Adds a frame whose length was checked.
    fn push(&mut self, samples: &[u8]) -> std::io::Result<()>;

    /// Gives the file its name.
    fn finish(self: Box<Self>) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_intervals() {
        let rate = |ms| FrameRate::from_interval_ms(ms);
        assert_eq!(rate(Some(40.0)), FrameRate { frames: 25, seconds: 1 });
        assert_eq!(rate(Some(1001.0 / 30.0)), FrameRate { frames: 30000, seconds: 1001 });
        assert_eq!(rate(Some(2500.0)), FrameRate { frames: 400, seconds: 1001 });
        assert_eq!(rate(None), FrameRate { frames: 25, seconds: 1 });
    }
}
