//! What `ffmpeg` complains of, as one line.

use super::source::without_password;
use std::path::Path;

/// Complaints that are told; the others are counted.
const MOST_TOLD: usize = 2;
/// Parts of complaints by which a film is known to end before its end.
const CUT_SHORT: [&str; 3] = ["prematurely", "partial file", "truncat"];
/// What is said of a film without pictures.
const NO_STREAM: &str = "matches no streams";
/// What follows another complaint, and says nothing more.
const FOLLOWING: [&str; 4] = [
    "Error marking filters as finished",
    "Conversion failed!",
    "Terminating demuxer thread",
    "Invalid data found when processing input",
];

/// The complaints of a process, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Complaints {
    lines: Vec<String>,
    more: usize,
}

impl Complaints {
    /// Adds one; one that was there already is counted.
    pub fn add(&mut self, text: String) {
        if self.lines.contains(&text) || self.lines.len() > 8 * MOST_TOLD {
            self.more += 1;
        } else {
            self.lines.push(text);
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether one says that the film ends too early.
    pub fn tell_of_a_cut(&self) -> bool {
        let tells = |line: &String| {
            let line = line.to_ascii_lowercase();
            CUT_SHORT.iter().any(|part| line.contains(part))
        };
        self.lines.iter().any(tells)
    }

    /// All of it as one line, without the name of the source, which stands before it.
    pub fn line(&self, source: &Path) -> String {
        if self.lines.iter().any(|line| line.contains(NO_STREAM)) {
            return "it has no pictures that ffmpeg finds: it is of sound alone, or was cut short".to_owned();
        }
        let names = [format!("file:{}: ", source.display()), format!("{}: ", source.display())];
        let bare = |line: &String| {
            let line = without_password(line);
            let bare = names.iter().find_map(|name| line.strip_prefix(name.as_str()));
            bare.unwrap_or(&line).to_owned()
        };
        let mut told: Vec<String> = self.lines.iter().map(bare).collect();
        let says_something = |line: &String| !FOLLOWING.contains(&line.as_str());
        if told.iter().any(says_something) {
            told.retain(says_something);
        }
        told.dedup();
        let more = self.more + told.len().saturating_sub(MOST_TOLD);
        told.truncate(MOST_TOLD);
        let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        if told.is_empty() { "it ended without a word".to_owned() } else { told.join("; ") + &more }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(lines: &[&str]) -> String {
        let mut complaints = Complaints::default();
        lines.iter().for_each(|line| complaints.add((*line).to_owned()));
        complaints.line(Path::new("a.mp4"))
    }

    #[test]
    fn complaints_become_one_line() {
        let invalid = "file:a.mp4: Invalid data found when processing input";
        assert_eq!(line(&["moov atom not found", invalid]), "moov atom not found");
        assert_eq!(line(&[invalid]), "Invalid data found when processing input");
        assert_eq!(line(&["a", "b", "b", "c"]), "a; b (and 2 more)");
        assert_eq!(line(&[]), "it ended without a word");
        assert!(line(&["Stream map '0:V:0' matches no streams."]).contains("sound alone"));
        assert_eq!(line(&["rtsp://me:x@h/a: Connection refused"]), "rtsp://…@h/a: Connection refused");
    }

    #[test]
    fn cuts_are_told_from_other_complaints() {
        let tells = |text: &str| {
            let mut complaints = Complaints::default();
            complaints.add(text.to_owned());
            complaints.tell_of_a_cut()
        };
        assert!(tells("File ended prematurely") && tells("stream 0, offset 0x30: partial file"));
        assert!(!tells("mmco: unref short failure"));
    }
}
