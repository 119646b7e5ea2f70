//! Options that say of inputs which series and which frames: they go to the names of the inputs, as `@series:3` and `@5`.

use crate::{Fallible, wrong_usage};
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use veloxel::io::{FrameSelection, SeriesChoice};
use veloxel::report::number::counted;

/// Series of DICOM files: one for all inputs, or one for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeriesList(Vec<SeriesChoice>);

/// Series that a range may have.
const MOST_SERIES: u64 = 1000;

impl FromStr for SeriesList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut series = Vec::new();
        for part in text.split(',').map(str::trim) {
            let Some((first, last)) = part.split_once('-') else {
                series.push(part.parse()?);
                continue;
            };
            let range = first.parse::<u64>().ok().zip(last.parse::<u64>().ok());
            let range = range.filter(|(first, last)| last >= first && last - first < MOST_SERIES);
            let (first, last) =
                range.ok_or("expected numbers of series, such as 3,5 or 3-12, or their UIDs")?;
            for number in first..=last {
                series.push(number.to_string().parse()?);
            }
        }
        Ok(Self(series))
    }
}

impl SeriesList {
    /// The one series of all inputs; several are refused where inputs have not got one each.
    pub fn one(&self) -> Fallible<SeriesChoice> {
        match self.0[..] {
            [one] => Ok(one),
            _ => {
                let message = "--series names several series, and this command reads one: name its inputs as FOLDER@series:3";
                Err(wrong_usage("", ErrorKind::WrongNumberOfValues, message).into())
            }
        }
    }

    /// One input for each of several series: of one folder, or of a folder each.
    pub fn of_inputs(&self, command: &str, inputs: Vec<PathBuf>) -> Fallible<Vec<PathBuf>> {
        let named = |(path, series): (&PathBuf, &SeriesChoice)| with_part(path, &format!("series:{series}"));
        match &inputs[..] {
            [folder] => Ok(self.0.iter().map(|series| named((folder, series))).collect()),
            several if several.len() == self.0.len() => Ok(several.iter().zip(&self.0).map(named).collect()),
            several => {
                let (count, given) = (self.0.len(), counted(several.len(), "input"));
                let message =
                    format!("--series names {count} series for {given}: one for all, or one for each");
                Err(wrong_usage(command, ErrorKind::WrongNumberOfValues, &message).into())
            }
        }
    }

    /// Whether there is one series for all inputs.
    pub fn is_one(&self) -> bool {
        self.0.len() == 1
    }
}

/// Frames of one input: some by their numbers, or a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChosenFrames {
    /// By their numbers, in this order.
    Numbers(Vec<usize>),
    /// A range.
    Range(FrameSelection),
}

impl FromStr for ChosenFrames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !text.contains(',') {
            return text.parse().map(Self::Range);
        }
        let numbers: Result<_, _> = text.split(',').map(|number| number.trim().parse()).collect();
        let wrong = "expected numbers of frames, such as 0,5, or BEGIN:END:STEP, without END, such as 0:10:2";
        numbers.map(Self::Numbers).map_err(|_| wrong.to_owned())
    }
}

impl ChosenFrames {
    /// The range of a sequence.
    pub fn of_sequence(&self, command: &str) -> Fallible<FrameSelection> {
        match self {
            Self::Range(range) => Ok(*range),
            Self::Numbers(_) => {
                let message =
                    "--frames of a sequence is a range BEGIN:END:STEP, each part of which may be left out";
                Err(wrong_usage(command, ErrorKind::ValueValidation, message).into())
            }
        }
    }

    /// Frames of one input as inputs.
    pub fn of_input(&self, command: &str, inputs: &[PathBuf]) -> Fallible<Vec<PathBuf>> {
        let [input] = inputs else {
            let given = counted(inputs.len(), "input");
            let message =
                format!("--frames takes frames out of one input, got {given}: name frames as FILE@5");
            return Err(wrong_usage(command, ErrorKind::ArgumentConflict, &message).into());
        };
        let numbers = match self {
            Self::Numbers(numbers) => Some(numbers.clone()),
            Self::Range(range) => range.numbers(),
        };
        let Some(numbers) = numbers else {
            let message = "--frames without --sequence needs an end: 0,5 or 0:6:5, for frames 0 and 5";
            return Err(wrong_usage(command, ErrorKind::ValueValidation, message).into());
        };
        Ok(numbers.iter().map(|number| with_part(input, &number.to_string())).collect())
    }
}

/// The name of an input, of which a part is asked for.
fn with_part(path: &Path, part: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push("@");
    name.push(part);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_numbers_ranges_or_uids() {
        let names = |text: &str| {
            text.parse::<SeriesList>().map(|list| list.0.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(names("5"), Ok(vec!["5".to_owned()]));
        assert_eq!(names("3-5,1.2.3"), Ok(["3", "4", "5", "1.2.3"].map(str::to_owned).to_vec()));
        for wrong in ["", "a", "5-3", "1-99999999", "3,"] {
            assert!(names(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn frames_go_to_the_names_of_inputs() {
        let of =
            |text: &str| text.parse::<ChosenFrames>().unwrap().of_input("flow", &["a/c.nii".into()]).unwrap();
        assert_eq!(of("5,0"), ["a/c.nii@5", "a/c.nii@0"].map(PathBuf::from));
        assert_eq!(of("0:6:5"), ["a/c.nii@0", "a/c.nii@5"].map(PathBuf::from));
        assert!("0,x".parse::<ChosenFrames>().is_err() && "x".parse::<ChosenFrames>().is_err());
    }
}
