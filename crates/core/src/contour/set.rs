//! The outlines of a cine: which structure, on which frame, in which slice.

use super::Polygon;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What an outline encloses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// The cavity of the left ventricle: its endocardium.
    Endo,
    /// The left ventricle with its muscle: its epicardium.
    Epi,
    /// The cavity of the right ventricle.
    Rv,
    /// The right ventricle with its muscle.
    RvEpi,
    /// A region of interest, where motion is estimated.
    Region,
}

impl Structure {
    /// All structures, in the order of reports.
    pub const ALL: [Self; 5] = [Self::Endo, Self::Epi, Self::Rv, Self::RvEpi, Self::Region];

    /// The structure's word in files: `endo`, `epi`, `rv`, `rv-epi`, `region`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Endo => "endo",
            Self::Epi => "epi",
            Self::Rv => "rv",
            Self::RvEpi => "rv-epi",
            Self::Region => "region",
        }
    }

    /// The structure's name in reports, such as `endocardium`.
    pub fn title(self) -> &'static str {
        match self {
            Self::Endo => "endocardium",
            Self::Epi => "epicardium",
            Self::Rv => "right ventricle",
            Self::RvEpi => "right epicardium",
            Self::Region => "region",
        }
    }
}

impl fmt::Display for Structure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Structure {
    type Err = String;

    /// Takes the structure's word, or a name that other programs have for it.
    fn from_str(text: &str) -> Result<Self, String> {
        let plain: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        Ok(match plain.as_str() {
            "endo" | "endocardium" | "lvendo" | "lvendocardium" | "icontour" | "lv" | "lvcavity" => {
                Self::Endo
            }
            "epi" | "epicardium" | "lvepi" | "lvepicardium" | "ocontour" => Self::Epi,
            "rv" | "rvendo" | "rvendocardium" | "rvcavity" => Self::Rv,
            "rvepi" | "rvepicardium" => Self::RvEpi,
            "region" | "roi" => Self::Region,
            _ => return Err(format!("\"{text}\" is no structure: endo, epi, rv, rv-epi or region")),
        })
    }
}

/// One outline.
#[derive(Debug, Clone, PartialEq)]
pub struct Contour {
    /// What it encloses.
    pub structure: Structure,
    /// The frame, from 0 on.
    pub frame: usize,
    /// The plane across z, from 0 on; 0 of a 2-D cine.
    pub slice: usize,
    /// The outline, pixels of the slice.
    pub polygon: Polygon,
}

/// Outlines, at most one of a structure on a frame of a slice; ordered by structure, slice and frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContourSet {
    contours: Vec<Contour>,
}

impl ContourSet {
    /// Puts outlines in order.
    ///
    /// # Errors
    /// The first outline that stands in the place of another.
    pub fn new(mut contours: Vec<Contour>) -> Result<Self, Contour> {
        contours.sort_by_key(place);
        match contours.windows(2).position(|two| place(&two[0]) == place(&two[1])) {
            Some(nth) => Err(contours.swap_remove(nth)),
            None => Ok(Self { contours }),
        }
    }

    /// All outlines, ordered by structure, slice and frame.
    pub fn contours(&self) -> &[Contour] {
        &self.contours
    }

    /// Whether there is no outline.
    pub fn is_empty(&self) -> bool {
        self.contours.is_empty()
    }

    /// The outline of a structure on a frame of a slice.
    pub fn get(&self, structure: Structure, slice: usize, frame: usize) -> Option<&Contour> {
        let wanted = (structure, slice, frame);
        self.contours.binary_search_by_key(&wanted, place).ok().map(|nth| &self.contours[nth])
    }

    /// The slices with outlines, in order.
    pub fn slices(&self) -> Vec<usize> {
        in_order(self.contours.iter().map(|c| c.slice))
    }

    /// The frames with outlines, in order.
    pub fn frames(&self) -> Vec<usize> {
        in_order(self.contours.iter().map(|c| c.frame))
    }

    /// The structures with outlines, in order.
    pub fn structures(&self) -> Vec<Structure> {
        in_order(self.contours.iter().map(|c| c.structure))
    }
}

impl IntoIterator for ContourSet {
    type Item = Contour;
    type IntoIter = std::vec::IntoIter<Contour>;

    fn into_iter(self) -> Self::IntoIter {
        self.contours.into_iter()
    }
}

fn place(contour: &Contour) -> (Structure, usize, usize) {
    (contour.structure, contour.slice, contour.frame)
}

fn in_order<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contour(structure: Structure, slice: usize, frame: usize) -> Contour {
        let polygon = Polygon::new(vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).unwrap();
        Contour { structure, frame, slice, polygon }
    }

    #[test]
    fn outlines_are_found_and_none_stands_in_the_place_of_another() {
        let all = vec![
            contour(Structure::Rv, 2, 1),
            contour(Structure::Endo, 4, 0),
            contour(Structure::Endo, 2, 9),
        ];
        let set = ContourSet::new(all.clone()).unwrap();
        assert_eq!((set.slices(), set.frames()), (vec![2, 4], vec![0, 1, 9]));
        assert!(set.get(Structure::Endo, 2, 9).is_some() && set.get(Structure::Endo, 2, 1).is_none());
        let twice = all.iter().chain(&all[..1]).cloned().collect();
        assert_eq!(ContourSet::new(twice).unwrap_err().structure, Structure::Rv);
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        for structure in Structure::ALL {
            assert_eq!(structure.word().parse(), Ok(structure));
        }
        assert_eq!("LV endo".parse(), Ok(Structure::Endo));
        assert!("atrium".parse::<Structure>().unwrap_err().contains("rv-epi"));
    }
}
