//! What is said of the cells between a field's voxels.

use crate::number::counted;
use veloxel_measure::CellCounts;

/// How many cells fold, as the field is interpolated linearly, and whether that is proven: a sentence without its full stop.
pub fn cells_text(cells: &CellCounts) -> String {
    let CellCounts { certified: _, undecided, folded, unknown, non_diffeomorphic_volume_vox } = *cells;
    let known = counted(cells.known(), "cell");
    let mut text = match (folded, undecided) {
        _ if cells.known() == 0 => "no cell between the voxels is known".to_owned(),
        (0, 0) => format!("{known} between the voxels: none folds, which is proven"),
        _ => format!(
            "{known} between the voxels: {} folded, {} undecided, all others proven not to fold; \
             {non_diffeomorphic_volume_vox:.3} voxels turned inside out",
            counted(folded, "cell"),
            counted(undecided, "cell"),
        ),
    };
    if unknown > 0 {
        text.push_str(&format!("; {} with an unknown corner", counted(unknown, "cell")));
    }
    text
}
