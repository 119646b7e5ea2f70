//! A field in memory, its Jacobian's determinant, strain tensor and principal strains out, and the proof that it folds nowhere.

use crate::pipelines::account::Account;
use crate::{Result, Session};
use veloxel_core::{Flow, Portion, Stage, WarningKind};
use veloxel_measure::{Deformation, FoldingCertificate, NamedMap, folding_certificate};

/// Maps of a field, each on the field's grid.
#[derive(Debug, Clone, PartialEq)]
pub struct DeformationResult {
    /// The maps under the names of their files.
    pub maps: Vec<NamedMap>,
    /// Number of axes along which the field was differentiated.
    pub axes: usize,
    /// The cells between the voxels by what is proven of them; `None` unless [`jacobian_and_folding`] was asked.
    pub cells: Option<FoldingCertificate>,
    /// Device, times and warnings.
    pub account: Account,
}

/// The determinant of a field's Jacobian, one map (see [`Deformation`]).
///
/// # Errors
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn jacobian(flow: &Flow, session: &Session) -> Result<DeformationResult> {
    measured(flow, session, |deformation| Ok(vec![deformation.determinant(session.threads().telling())?]))
}

/// [`jacobian`], and where the field folds between voxels (see [`folding_certificate`], which takes longer than the map).
///
/// # Errors
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn jacobian_and_folding(flow: &Flow, session: &Session) -> Result<DeformationResult> {
    let (control, threads) = (session.control(), session.threads().telling());
    let measure = |deformation: &Deformation<'_>| {
        control.portion(Portion::nth_of(0, 2), || Ok(vec![deformation.determinant(threads)?]))
    };
    let mut found = measured(flow, session, measure)?;
    let certify = || control.portion(Portion::nth_of(1, 2), || folding_certificate(flow, None, threads));
    found.cells = Some(found.account.stages.time("certify", certify)?);
    Ok(found)
}

/// The components of a field's strain tensor along the axes of its grid, then the principal strains (see [`Deformation`]).
///
/// # Errors
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn strain(flow: &Flow, session: &Session) -> Result<DeformationResult> {
    measured(flow, session, |deformation| Ok(deformation.strain(session.threads().telling())?))
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
    Ok(DeformationResult { maps, axes, cells: None, account })
}
