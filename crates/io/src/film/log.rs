//! What `ffmpeg` writes on its standard error, line by line: times of frames, and complaints.

/// A line that says something.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LogLine {
    /// The unit of the times that follow, and the time between frames that the film announces.
    Unit { seconds: f64, interval_ms: Option<f64> },
    /// A frame: its time in that unit, where it has one, its size, and the format of its pixels.
    Frame { time: Option<i64>, size: [usize; 2], pixels: String },
    /// Something that `ffmpeg` could not do.
    Complaint(String),
}

/// The mark of lines that the filter writes which tells of frames.
const FILTER: &str = "[Parsed_showinfo_";

impl LogLine {
    /// Reads a line of `-loglevel level+info`; none where it says nothing that counts.
    pub fn parse(line: &str) -> Option<Self> {
        if line.starts_with(FILTER) {
            let (_, text) = line.split_once("[info] ")?;
            return if text.starts_with("config in ") { unit(text) } else { frame(text) };
        }
        let complaint = ["[error] ", "[fatal] ", "[panic] "].iter().find_map(|level| line.split_once(level));
        complaint.map(|(_, text)| Self::Complaint(text.trim().to_owned()))
    }
}

/// `config in time_base: 1/15360, frame_rate: 30/1`
fn unit(text: &str) -> Option<LogLine> {
    let seconds = ratio(word_behind(text, "time_base: ")?)?;
    let rate = word_behind(text, "frame_rate: ").and_then(ratio);
    Some(LogLine::Unit { seconds, interval_ms: rate.map(|rate| 1e3 / rate) })
}

/// `n:   1 pts:    512 pts_time:0.0333333 pos:     1514 fmt:yuv420p sar:1/1 s:64x48 i:P iskey:0 type:B`
fn frame(text: &str) -> Option<LogLine> {
    if !text.starts_with("n:") {
        return None;
    }
    let time = word_behind(text, " pts:")?.parse().ok();
    let (width, height) = word_behind(text, " s:")?.split_once('x')?;
    let pixels = word_behind(text, " fmt:")?.to_owned();
    Some(LogLine::Frame { time, size: [width.parse().ok()?, height.parse().ok()?], pixels })
}

/// The word that follows a mark, without what ends a list.
fn word_behind<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(mark)?;
    rest.split_ascii_whitespace().next().map(|word| word.trim_end_matches(','))
}

/// A ratio above 0, such as `30000/1001`.
fn ratio(text: &str) -> Option<f64> {
    let (above, below) = text.split_once('/')?;
    let (above, below): (f64, f64) = (above.parse().ok()?, below.parse().ok()?);
    Some(above / below).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_sizes_and_complaints_are_found() {
        let parse = LogLine::parse;
        let filter = "[Parsed_showinfo_1 @ 0x557eedc721c0] [info] ";
        assert_eq!(
            parse(&format!("{filter}config in time_base: 1/15360, frame_rate: 30000/1001")),
            Some(LogLine::Unit { seconds: 1.0 / 15360.0, interval_ms: Some(1e3 * 1001.0 / 30000.0) })
        );
        assert_eq!(
            parse(&format!("{filter}config in time_base: 1/1000, frame_rate: 0/0")),
            Some(LogLine::Unit { seconds: 1e-3, interval_ms: None })
        );
        let frame = "n:   1 pts:    512 pts_time:0.0333333 pos:     1514 fmt:yuv420p sar:1/1 s:64x48 i:P iskey:0 type:B ";
        assert_eq!(
            parse(&format!("{filter}{frame}")),
            Some(LogLine::Frame { time: Some(512), size: [64, 48], pixels: "yuv420p".to_owned() })
        );
        let untimed = "n:   0 pts:NOPTS pts_time:NOPTS fmt:gray sar:0/1 s:8x6 i:P iskey:1 type:I checksum:0 ";
        assert_eq!(
            parse(&format!("{filter}{untimed}")),
            Some(LogLine::Frame { time: None, size: [8, 6], pixels: "gray".to_owned() })
        );
        let complaint = parse("[mov,mp4 @ 0x55] [error] moov atom not found");
        assert_eq!(complaint, Some(LogLine::Complaint("moov atom not found".to_owned())));
        for other in
            ["", "[info]   Duration: 00:00:01.00", "[warning] old", &format!("{filter}color_range:tv")]
        {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
