//! The tables of a run: strain of every region, and areas and volumes over time.

use std::fmt::Write;
use veloxel_measure::{DEFINITIONS, Periodicity, StrainAt, eulerian, rate_per_s};
use veloxel_report::TrackRun;

/// What there is to know of time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing {
    pub interval_ms: Option<f64>,
    pub periodicity: Periodicity,
    pub reference: usize,
}

impl Timing {
    fn of(&self, frame: usize) -> String {
        self.interval_ms.map_or(String::new(), |ms| format!("{:.2}", ms * frame as f64))
    }

    fn rates(&self, curve: &[f64]) -> Vec<Option<f64>> {
        match self.interval_ms {
            Some(ms) => rate_per_s(curve, ms, self.periodicity).into_iter().map(Some).collect(),
            None => vec![None; curve.len()],
        }
    }
}

/// One kind of strain.
type Kind = fn(&StrainAt) -> Option<f64>;

const KINDS: [(&str, Kind); 5] = [
    ("circumferential_endo", |s| Some(s.circumferential_endo)),
    ("circumferential_mid", |s| Some(s.circumferential_mid)),
    ("circumferential_epi", |s| Some(s.circumferential_epi)),
    ("radial", |s| Some(s.radial)),
    ("longitudinal", |s| s.longitudinal),
];

/// `strain.csv`.
pub(super) fn strain(run: &TrackRun, timing: Timing) -> String {
    let mut text = format!("# reference frame: {}\n{DEFINITIONS}", timing.reference);
    text.push_str("slice,segment,frame,time_ms");
    for (name, _) in KINDS {
        let _ = write!(text, ",{name}_lagrangian,{name}_eulerian,{name}_rate");
    }
    text.push_str(",thickness_mm\n");
    for region in &run.strain {
        let all = |number: Option<usize>| number.map_or("all".to_owned(), |number| number.to_string());
        let place = format!("{},{}", all(region.slice), all(region.segment.map(usize::from)));
        let curve = |of: Kind| region.frames.iter().map(of).collect::<Option<Vec<f64>>>();
        let curves = KINDS.map(|(_, of)| curve(of));
        let rates = curves.each_ref().map(|curve| Some(timing.rates(curve.as_ref()?)));
        let cell = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.5}"));
        for (frame, at) in region.frames.iter().enumerate() {
            let _ = write!(text, "{place},{frame},{}", timing.of(frame));
            for (curve, rates) in curves.iter().zip(&rates) {
                let strain = curve.as_ref().map(|curve| curve[frame]);
                let rate = rates.as_ref().and_then(|rates| rates[frame]);
                let _ = write!(text, ",{},{},{}", cell(strain), cell(strain.map(eulerian)), cell(rate));
            }
            let _ = writeln!(text, ",{:.4}", at.thickness_mm);
        }
    }
    text
}

/// `function.csv`.
pub(super) fn function(run: &TrackRun, frames: usize, timing: Timing) -> String {
    let found = &run.ventricles;
    let volumes = [
        ("lv_volume_ml", found.lv.as_ref().map(|lv| &lv.volume_ml)),
        ("lv_muscle_volume_ml", found.muscle_ml.as_ref()),
        ("rv_volume_ml", found.rv.as_ref().map(|rv| &rv.volume_ml)),
    ];
    let volumes = volumes.into_iter().filter_map(|(name, curve)| Some((name.to_owned(), curve?)));
    let areas = (found.areas.iter())
        .map(|curve| (format!("{}_slice{}_mm2", curve.structure, curve.slice), &curve.area_mm2));
    let columns: Vec<(String, &Vec<f64>)> = volumes.chain(areas).collect();
    let mut text =
        "# volumes: areas of slices times their distance; areas: of one slice each\nframe,time_ms".to_owned();
    columns.iter().for_each(|(name, _)| text.extend([",", name]));
    text.push('\n');
    for frame in 0..frames {
        let _ = write!(text, "{frame},{}", timing.of(frame));
        for (_, values) in &columns {
            let _ = write!(text, ",{:.4}", values[frame]);
        }
        text.push('\n');
    }
    text
}
