//! What the best values of CLG's parameters would reach on the phantoms with noise, by a search that sees the truth: presets, which do not
//! see it, are held against that.
//!
//! *Search*: from each preset of [`STARTS`], parameter by parameter in the order of their table: each number is doubled, halved, multiplied
//! by √2 and divided by it, taken to nothing and from nothing; each word is replaced by every other one. What lowers the mean end-point
//! error in the interior by a thousandth is kept at once, and the search goes round until a round keeps nothing or [`MOST_RUNS`] are spent.

use crate::scores::phantom_grid;
use crate::{BenchError, Figure, Session};
use serde_json::{Value, json};
use veloxel::pipelines::{MethodChoice, PairRequest, pair};
use veloxel_core::parameters::{MethodEntry, ParameterDeclaration, ParameterKind};
use veloxel_core::{Control, Diagnosis, Dimension, ErrorKind};
use veloxel_measure::flow_error;
use veloxel_motion::{DenseDraft, MotionError};
use veloxel_phantoms::catalogue::cases;
use veloxel_phantoms::{Noise, Phantom};

/// Where searches begin.
const STARTS: [&str; 2] = ["accurate", "fast"];
/// Runs of the method for each start.
const MOST_RUNS: usize = 500;
/// Factor below which an error counts as lower.
const LOWER: f64 = 0.999;
/// The largest that a whole number is taken to: what counts steps costs as many times as much.
const MOST_WHOLE: u64 = 64;

/// `best-parameters`: the noisy phantoms of `phantoms`.
pub(crate) fn best_parameters(session: &Session<'_>) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for dimension in [Dimension::Two, Dimension::Three] {
        let (grid, axes) = (phantom_grid(dimension)?, format!("{}-D", dimension.count()));
        for case in cases().into_iter().filter(|case| case.noise != Noise::None) {
            let name = format!("{}: {axes}", case.name(dimension).replace(&format!(" {axes}"), ""));
            if session.only.as_ref().is_some_and(|part| !name.contains(part.as_str())) {
                continue;
            }
            let phantom = case.build(&grid);
            let of_start = |preset| Search::from(session, &phantom, preset);
            let [accurate, fast] = STARTS.map(of_start);
            let (accurate, fast) = (accurate?, fast?);
            let (own, best) = (accurate.begun_at, if accurate.error <= fast.error { accurate } else { fast });
            figures.push(Figure::new(format!("{name}: accurate"), own, "voxels"));
            let how = format!("{name}: best of all parameters, {} {}", best.preset, best.changes());
            figures.push(Figure::new(how, best.error, "voxels"));
            figures.push(Figure::new(format!("{name}: accurate over that"), own / best.error, "×"));
        }
    }
    Ok(figures)
}

/// A search from one preset.
struct Search<'a> {
    session: &'a Session<'a>,
    phantom: &'a Phantom,
    preset: &'static str,
    draft: DenseDraft,
    begun_at: f64,
    error: f64,
    /// What was kept, the last value of each parameter.
    kept: Vec<(&'static str, Value)>,
    runs: usize,
}

impl<'a> Search<'a> {
    fn from(
        session: &'a Session<'a>,
        phantom: &'a Phantom,
        preset: &'static str,
    ) -> Result<Self, BenchError> {
        let mut draft = DenseDraft::named("clg").map_err(MotionError::from)?;
        draft.set_preset(preset).map_err(MotionError::from)?;
        let (kept, error) = (Vec::new(), f64::INFINITY);
        let mut own = Self { session, phantom, preset, draft, begun_at: error, error, kept, runs: 0 };
        own.begun_at = own.error_of(&own.draft)?;
        own.error = own.begun_at;
        while own.round()? {}
        Ok(own)
    }

    /// Goes through all parameters once; whether something was kept, and runs are left.
    fn round(&mut self) -> Result<bool, BenchError> {
        let (begin, dimension) = (self.error, self.phantom.truth.grid().dimension());
        for declaration in self.draft.method().parameters().declarations {
            // What was kept is tried once more in the same direction.
            let mut is_kept = true;
            while is_kept {
                let values = self.draft.values(dimension).map_err(MotionError::from)?;
                is_kept = false;
                for value in others(declaration, &values[declaration.name]) {
                    if self.runs == MOST_RUNS {
                        return Ok(false);
                    }
                    is_kept |= self.keeps(declaration.name, value)?;
                }
            }
        }
        Ok(self.error < begin)
    }

    /// Keeps a value of a parameter if that lowers the error.
    fn keeps(&mut self, name: &'static str, value: Value) -> Result<bool, BenchError> {
        let mut draft = self.draft.clone();
        // A neighbour may lie outside of the range.
        if draft.set(name, value.clone(), "").is_err() {
            return Ok(false);
        }
        self.runs += 1;
        let error = match self.error_of(&draft) {
            // Some values do not go together.
            Err(BenchError::Job(refused)) if refused.kind() == ErrorKind::Parameter => return Ok(false),
            found => found?,
        };
        let is_lower = error < LOWER * self.error;
        if is_lower {
            (self.draft, self.error) = (draft, error);
            self.kept.retain(|(own, _)| *own != name);
            self.kept.push((name, value));
        }
        Ok(is_lower)
    }

    fn error_of(&self, draft: &DenseDraft) -> Result<f64, BenchError> {
        let Phantom { fixed, moving, truth, interior, .. } = self.phantom;
        let method = MethodChoice::new(draft.clone());
        let own = veloxel::Session::on(self.session.device.clone());
        let found = pair(&PairRequest::new(fixed, moving, &method), &own)?.found;
        Ok(flow_error(&found.flow, truth, Some(interior), &Control::default())?.end_point_vox.mean)
    }

    /// What was changed: `alpha=0.4 rho=2`.
    fn changes(&self) -> String {
        let of_one =
            |(name, value): &(&str, Value)| format!("{name}={}", veloxel_core::parameters::shown(value));
        self.kept.iter().map(of_one).collect::<Vec<_>>().join(" ")
    }
}

/// The values next to one.
fn others(declaration: &ParameterDeclaration, value: &Value) -> Vec<Value> {
    match declaration.kind {
        ParameterKind::Number { whole: true, .. } => {
            let own = value.as_u64().unwrap_or_default();
            let next = [own + 1, own.saturating_sub(1), 2 * own, own / 2, 0];
            next.into_iter()
                .filter(|&next| next != own && next <= MOST_WHOLE)
                .map(|next| json!(next))
                .collect()
        }
        ParameterKind::Number { least, .. } => match value.as_f64().unwrap_or_default() {
            0.0 => [1e-3, 1e-2, 0.1, 1.0].map(|next| json!(next)).to_vec(),
            own => {
                let factors = [2.0, 0.5, std::f64::consts::SQRT_2, std::f64::consts::FRAC_1_SQRT_2];
                let zero = (least == 0.0).then_some(0.0);
                factors.into_iter().map(|factor| factor * own).chain(zero).map(|next| json!(next)).collect()
            }
        },
        ParameterKind::OneOf(choices) => {
            let own = value.as_object().and_then(|own| own.keys().next().cloned());
            let own = own.or_else(|| value.as_str().map(str::to_owned));
            let words = choices.iter().filter(|choice| choice.fields.is_empty());
            let words =
                words.filter(|choice| own.as_deref() != Some(choice.name)).map(|choice| json!(choice.name));
            let with_fields = choices.iter().filter(|choice| !choice.fields.is_empty());
            let with_fields = with_fields.flat_map(|choice| {
                [1e-3, 1e-2, 0.1].map(|scale| {
                    let fields = choice.fields.iter().map(|field| (field.name.to_owned(), json!(scale)));
                    json!({ choice.name: fields.collect::<serde_json::Map<_, _>>() })
                })
            });
            words.chain(with_fields).collect()
        }
    }
}
