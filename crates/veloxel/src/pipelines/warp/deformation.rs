//! A field in memory, its Jacobian's determinant, strain tensor and principal strains out.

use crate::pipelines::account::Account;
use crate::{Result, Session};
use veloxel_core::{Flow, Stage, WarningKind};
use veloxel_measure::{Deformation, NamedMap};

/// Maps of a field, each on the field's grid.
#[derive(Debug, Clone, PartialEq)]
pub struct DeformationResult {
    /// The maps under the names of their files.
    pub maps: Vec<NamedMap>,
    /// Number of axes along which the field was differentiated.
    pub axes: usize,
    /// Device, times and warnings.
    pub account: Account,
}

/// The determinant of a field's Jacobian, one map (see [`Deformation`]).
///
/// # Errors
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn jacobian(flow: &Flow, session: &Session) -> Result<DeformationResult> {
    measured(flow, session, |deformation| Ok(vec![deformation.determinant(session.control())?]))
}

/// The components of a field's strain tensor along the axes of its grid, then the principal strains (see [`Deformation`]).
///
/// # Errors
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn strain(flow: &Flow, session: &Session) -> Result<DeformationResult> {
    measured(flow, session, |deformation| Ok(deformation.strain(session.control())?))
}

fn measured(
    flow: &Flow,
    session: &Session,
    measure: impl FnOnce(&Deformation<'_>) -> Result<Vec<NamedMap>>,
) -> Result<DeformationResult> {
    session.enter(Stage::Measure)?;
    let (mut account, deformation) = (Account::default(), Deformation::of(flow));
    let axes = deformation.axes();
    if axes < flow.grid().dimension().count() {
        let text = "the field moves nothing across its planes: it is measured plane by plane".to_owned();
        account.warnings.push(WarningKind::Note, text);
    }
    let maps = account.stages.time("measure", || measure(&deformation))?;
    Ok(DeformationResult { maps, axes, account })
}
