//! Our dense methods as users run them, by the names that scores call them.

use crate::{BenchError, Session};
use std::time::Instant;
use veloxel::jobs::DenseMethodOptions;
use veloxel::pipelines::{MethodChoice, PairRequest, PairResult, PairStart, PairWanted, pair};
use veloxel_core::Volume;
use veloxel_motion::MotionError;

/// A method with a preset and a start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    /// What scores call it.
    pub name: &'static str,
    pub method: &'static str,
    pub preset: &'static str,
    pub start: PairStart<'static>,
}

/// Every way.
const WAYS: [Way; 14] = [
    clg("accurate", "accurate", PairStart::None),
    clg("fast", "fast", PairStart::None),
    clg("realtime", "realtime", PairStart::None),
    clg("ultrafast", "ultrafast", PairStart::None),
    clg("cine", "cine", PairStart::None),
    clg("accurate, matches", "accurate", PairStart::Matches),
    clg("fast, matches", "fast", PairStart::Matches),
    clg("accurate, affine", "accurate", PairStart::Affine),
    clg("fast, affine", "fast", PairStart::Affine),
    clg("affine", "ultrafast", PairStart::Affine),
    clg("rigid", "ultrafast", PairStart::Rigid),
    Way { name: "register", method: "symmetric", preset: "accurate", start: PairStart::Affine },
    Way { name: "register, fast", method: "symmetric", preset: "fast", start: PairStart::Affine },
    Way { name: "symmetric, fast", method: "symmetric", preset: "fast", start: PairStart::None },
];

const fn clg(name: &'static str, preset: &'static str, start: PairStart<'static>) -> Way {
    Way { name, method: "clg", preset, start }
}

impl Way {
    /// The way of this name.
    pub fn named(name: &str) -> Self {
        let found = WAYS.into_iter().find(|way| way.name == name);
        found.unwrap_or_else(|| panic!("a set should name ways that there are, not {name}"))
    }

    /// The method with its preset.
    pub fn options(&self) -> Result<DenseMethodOptions, BenchError> {
        let options = DenseMethodOptions::named(self.method).and_then(|method| method.preset(self.preset));
        Ok(options.map_err(MotionError::from)?)
    }

    /// What it finds between two images, and the seconds that it took, the opening of the method with them.
    pub fn run(
        &self,
        session: &Session<'_>,
        [fixed, moving]: [&Volume<f32>; 2],
        wanted: PairWanted,
    ) -> Result<(PairResult, f64), BenchError> {
        let method = MethodChoice::new(self.options()?.draft().clone());
        let request = PairRequest { start: self.start, wanted, ..PairRequest::new(fixed, moving, &method) };
        let own = veloxel::Session::on(session.device.clone());
        let begin = Instant::now();
        let found = pair(&request, &own)?;
        Ok((found, begin.elapsed().as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_a_method_and_a_preset_that_there_are() {
        for (nth, way) in WAYS.iter().enumerate() {
            assert!(way.options().is_ok(), "{way:?}");
            assert!(WAYS[..nth].iter().all(|own| own.name != way.name), "{way:?}");
        }
    }
}
