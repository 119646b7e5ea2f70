//! The flows between frames that are tensors in the memory of a session's device, one at a time.

use crate::error::{InputError, InternalError, UnsupportedError};
use crate::fields::flow::{MODES, Options};
use crate::fields::resident::ResidentFound;
use crate::session::Session;
use crate::settings::chosen;
use crate::tensors::{Beside, Inputs, Ran, Samples, Source, Taken, TensorGiven, run_with_tensors};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, TryLockError};
use veloxel::method::TakenImages;
use veloxel::pipelines::{ResidentFrames, ResidentImage, ResidentSequence, ResidentSequenceRequest};
use veloxel::{Device, Grid};

/// Which fields of a sequence, and where its data count, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct FieldsBeside<'py> {
    mode: String,
    reference: Option<usize>,
    mask: Option<Beside<'py>>,
    volume_mask: Option<Beside<'py>>,
}

/// Frames that [`ResidentSteps`] keeps.
struct Frames(Vec<Samples>);

impl ResidentFrames for Frames {
    fn grids(&self) -> Vec<&Grid> {
        self.0.iter().map(Samples::grid).collect()
    }

    fn copied(&self, nth: usize, device: &Device) -> veloxel::Result<ResidentImage> {
        // SAFETY: the tensors are kept beside the sequence, whose every step waits for the device.
        unsafe { self.0[nth].copied(device) }
    }
}

/// What is left of a sequence of tensors.
#[pyclass(frozen, module = "veloxel._veloxel")]
pub struct ResidentSteps {
    /// Before the tensors that it reads.
    sequence: Mutex<Option<ResidentSequence<'static>>>,
    _kept: Vec<Taken>,
    session: Py<Session>,
    progress: Option<Py<PyAny>>,
    finds_inverse: bool,
}

/// Looks at the frames of a sequence, tensors on the session's device; what follows is found by [`ResidentSteps::next`].
#[pyfunction]
pub fn resident_sequence(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    frames: Vec<TensorGiven<'_>>,
    options: Options<'_>,
    fields: FieldsBeside<'_>,
) -> PyResult<ResidentSteps> {
    let method = options.method()?;
    if method.takes() != TakenImages::Pairs {
        let name = method.draft.method_name();
        let text = format!(
            "{name} takes windows of frames in the memory of the host: `.cpu()` takes the frames there"
        );
        return Err(UnsupportedError::new_err(text));
    }
    if frames.is_empty() {
        return Err(InputError::new_err("a sequence has two frames or more, not 0"));
    }
    let finds_inverse = method.draft.method().uses.finds_inverse;
    let FieldsBeside { mode, reference, mask, volume_mask } = fields;
    let mode = chosen("mode", &mode, MODES)?;
    let take = |inputs: &mut Inputs| {
        let frames = frames.iter().map(|frame| inputs.samples(frame)).collect::<PyResult<_>>()?;
        Ok((Frames(frames), [inputs.beside(mask, true)?, inputs.beside(volume_mask, true)?]))
    };
    let Ran { found, inputs, .. } =
        run_with_tensors(py, session.get(), options.progress(), take, |(frames, masks), library| {
            let device = library.device()?;
            // SAFETY: the tensors are kept while this runs, and until the device has done all that it was asked for.
            let resident = |source: Source| unsafe { source.resident(device) };
            let [mask, volume_mask] = masks.map(|mask| mask.map(resident).transpose());
            let (mask, volume_mask) = (mask?, volume_mask?);
            let request = ResidentSequenceRequest::new(frames, method);
            ResidentSequence::open(
                ResidentSequenceRequest { mask, volume_mask, mode, reference, ..request },
                library,
            )
        })?;
    Ok(ResidentSteps {
        sequence: Mutex::new(Some(found)),
        _kept: inputs.into_kept(),
        session: session.clone().unbind(),
        progress: options.progress().map(|progress| progress.clone().unbind()),
        finds_inverse,
    })
}

/// A field with its name, and the frames that it leads from and to.
type Labelled = (String, usize, usize, ResidentFound);

#[pymethods]
impl ResidentSteps {
    /// The next field as `(name, fixed, moving, found)`; none at the end, and after an error.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Labelled>> {
        let mut held = self.held()?;
        let Some(mut sequence) = held.take() else { return Ok(None) };
        let progress = self.progress.as_ref().map(|progress| progress.bind(py));
        let Ran { found, device, .. } = run_with_tensors(
            py,
            self.session.get(),
            progress,
            |_| Ok(()),
            |(), library| {
                let grid = sequence.grid();
                Ok((sequence.next(library)?, grid, sequence))
            },
        )?;
        let (Some(field), grid, sequence) = found else { return Ok(None) };
        *held = Some(sequence);
        let (label, grids) = (field.label, [grid.clone(), grid]);
        let found = ResidentFound::of(py, &device, field.pair, grids, self.finds_inverse)?;
        Ok(Some((label.name(), label.fixed, label.moving, found)))
    }
}

impl ResidentSteps {
    fn held(&self) -> PyResult<MutexGuard<'_, Option<ResidentSequence<'static>>>> {
        match self.sequence.try_lock() {
            Ok(held) => Ok(held),
            Err(TryLockError::WouldBlock) => {
                Err(InputError::new_err("another thread waits for the next field of this sequence"))
            }
            Err(TryLockError::Poisoned(_)) => {
                Err(InternalError::new_err("a run of this sequence panicked: please report it"))
            }
        }
    }
}
