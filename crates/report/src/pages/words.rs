//! What words of a page mean, for readers who meet them first.

use crate::pages::page::Section;
use crate::pages::tables::Table;

/// A word that pages use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Ause,
    Brightness,
    Determinant,
    Drift,
    Folded,
    Rim,
    Segment,
}

impl Word {
    fn text(self) -> [&'static str; 2] {
        match self {
            Self::Ause => [
                "AUSE",
                "Area between two curves: the mean error that is left as the least confident vectors are taken away, and the \
                 same with the worst ones taken away first. 0: confidence puts vectors in the order of their errors. Random \
                 order: what a confidence reaches that says nothing.",
            ],
            Self::Brightness => [
                "|Iₜ|",
                "Difference of intensity between the fixed image and the moving one, before and after the motion is undone. A \
                 small one is necessary for a good field, not sufficient.",
            ],
            Self::Determinant => [
                "det(I + ∇d)",
                "Volume (in pictures area) of matter in the moving image by that in the fixed one: 1 is kept, 2 doubled.",
            ],
            Self::Drift => [
                "drift, cycle closure",
                "Distance between a point and where it arrives after it was followed once around the whole cycle: 0 where motion \
                 is periodic and all fields are right.",
            ],
            Self::Folded => [
                "folded",
                "Share of the cells between the voxels with a point where det(I + ∇d), interpolated, is 0 or below: matter would be \
                 turned inside out, which no motion of a body does. Proven: its Bernstein coefficients are positive.",
            ],
            Self::Rim => [
                "rim",
                "Edge of the wheel of directions: the length of motion that has full colour. Longer vectors are darker.",
            ],
            Self::Segment => [
                "segment",
                "Part of the left ventricle by the American Heart Association: 1 to 6 basal, 7 to 12 mid, 13 to 16 apical, 17 the \
                 apex; small numbers in the bull's-eye. 1, 7 and 13 are anterior, on top.",
            ],
        }
    }
}

/// The section that explains these words.
pub(crate) fn words(used: &[Word]) -> Section {
    let rows = used.iter().map(|word| word.text().map(str::to_owned).to_vec());
    let table = Table { text_columns: 2, ..Table::new(&["word", "meaning"], rows) };
    Section { table: Some(table), folded: "Words of this page".to_owned(), ..Section::new("Words") }
}
