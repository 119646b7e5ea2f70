//! The GPUs of a kind that a device's name chooses: what follows the colon in `cuda:1`, `cuda:0,1` and `cuda:all`.

use std::fmt;
use std::str::FromStr;

/// The GPUs that were chosen, by their numbers, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChosenGpus {
    /// GPUs with these numbers, in this order: at least one, and each once.
    These(Vec<usize>),
    /// Every GPU that there is.
    All,
}

impl ChosenGpus {
    /// One GPU.
    pub fn of(number: usize) -> Self {
        Self::These(vec![number])
    }

    /// The numbers of the GPUs, of which there are `count`.
    ///
    /// # Errors
    /// A text that says which one is absent.
    pub fn among(&self, count: usize) -> Result<Vec<usize>, String> {
        let Self::These(numbers) = self else { return Ok((0..count).collect()) };
        match numbers.iter().find(|&&number| number >= count) {
            None => Ok(numbers.clone()),
            Some(_) if numbers.len() == 1 => Err(format!("there are {count}, counted from 0")),
            Some(number) => Err(format!("GPU {number} is not there: there are {count}, counted from 0")),
        }
    }
}

impl FromStr for ChosenGpus {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let number = |digits: &str| digits.trim().parse::<usize>().ok();
        let numbers: Option<Vec<_>> = text.split(',').map(number).collect();
        let Some(numbers) = numbers else {
            return Err("what follows the colon should be a number from 0, several of them \
                        (`cuda:0,1`), or `all`"
                .to_owned());
        };
        match numbers.iter().enumerate().find(|(nth, number)| numbers[..*nth].contains(number)) {
            Some((_, twice)) => Err(format!("GPU {twice} is named twice")),
            None => Ok(Self::These(numbers)),
        }
    }
}

/// What follows the kind in a device's name: nothing for the first GPU.
impl fmt::Display for ChosenGpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str(":all"),
            Self::These(numbers) if numbers == &[0] => Ok(()),
            Self::These(numbers) => {
                let numbers: Vec<_> = numbers.iter().map(usize::to_string).collect();
                write!(f, ":{}", numbers.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str, count: usize) -> Result<Vec<usize>, String> {
        text.parse::<ChosenGpus>()?.among(count)
    }

    #[test]
    fn numbers_and_all_choose_gpus() {
        assert_eq!(chosen("0", 1), Ok(vec![0]));
        assert_eq!(chosen("2,0", 3), Ok(vec![2, 0]));
        assert_eq!(chosen("all", 4), Ok(vec![0, 1, 2, 3]));
        assert_eq!(chosen("3", 2).unwrap_err(), "there are 2, counted from 0");
        assert_eq!(chosen("0,3", 2).unwrap_err(), "GPU 3 is not there: there are 2, counted from 0");
        assert_eq!(chosen("1,0,1", 2).unwrap_err(), "GPU 1 is named twice");
        for wrong in ["", "x", "0,", "-1", "1-2", "All"] {
            assert!(chosen(wrong, 8).unwrap_err().contains("`all`"), "{wrong}");
        }
    }

    #[test]
    fn a_choice_is_written_as_it_is_read() {
        for (text, written) in [("0", ""), ("1", ":1"), ("0,1", ":0,1"), ("all", ":all")] {
            assert_eq!(text.parse::<ChosenGpus>().unwrap().to_string(), written);
        }
    }
}
