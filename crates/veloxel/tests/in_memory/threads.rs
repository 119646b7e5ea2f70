//! What comes after a solution is found by all threads of a session: the same bits for any number of them, told as it goes on, and
//! stopped where it is.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use veloxel::io::Strictness;
use veloxel::pipelines::{
    ComposeRequest, EvaluateRequest, FlowClaims, FoundMap, LabelChoice, Map, WarpLabelsRequest, compose,
    evaluate_flow, evaluate_labels, invert, jacobian_and_folding, strain, warp_labels,
};
use veloxel::{Device, Diagnosis, ErrorKind, Flow, Grid, Observer, Result, Session, Step, Volume};

/// More voxels than one thread takes for itself.
fn grid() -> Grid {
    Grid::volume(60, 50, 40).and_then(|grid| grid.with_spacing_mm([1.0, 1.2, 1.5])).unwrap()
}

fn field(strength: f64) -> Flow {
    Flow::from_fn(grid(), |[x, y, z]| {
        [(0.2 * y).sin() * strength, (0.3 * z + 0.1 * x).cos() * strength, (0.2 * x).sin() * strength]
    })
}

fn labels(shift: usize) -> Volume<i32> {
    Volume::from_fn(grid(), |[x, y, z]| {
        let thin = (x + 2 * y + 3 * z) % 37 == 0;
        if thin { 9 } else { ((x + shift) / 9 + y / 11 + z / 8) as i32 % 6 }
    })
}

fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|v| v.to_bits()).collect()
}

fn of_map(map: FoundMap) -> String {
    match map {
        FoundMap::Field(flow) => format!("{:?}", bits(flow.planar_vox())),
        FoundMap::Linear(transform) => format!("{transform:?}"),
    }
}

/// Every pipeline, and all that it finds, as text.
type Pipeline = (&'static str, fn(&Session) -> Result<String>);

const PIPELINES: [Pipeline; 7] = [
    ("jacobian", |session| {
        let found = jacobian_and_folding(&field(1.8), session)?;
        let samples = bits(found.maps[0].volume.data());
        Ok(format!("{samples:?} {:?} {:?}", found.maps[0].summary, found.cells))
    }),
    ("strain", |session| {
        let maps = strain(&field(1.8), session)?.maps;
        let shown = maps.iter().map(|map| format!("{:?} {:?}", bits(map.volume.data()), map.summary));
        Ok(shown.collect())
    }),
    ("labels", |session| {
        let (flow, labels) = (field(1.8), labels(0));
        let of = |choice| {
            let (flow, labels, strictness) = (&flow, &labels, Strictness::Lenient);
            let request = WarpLabelsRequest { flow, labels, choice, strictness };
            Ok::<_, veloxel::VeloxelError>(warp_labels(&request, session)?.warped)
        };
        let found = [of(LabelChoice::Nearest)?, of(LabelChoice::MostWeight)?];
        assert!(found[0] != found[1] && found[1].data().contains(&9));
        Ok(format!("{:?}", found.each_ref().map(Volume::data)))
    }),
    ("compose", |session| {
        let flow = field(1.8);
        let maps = [Map::Field(&flow), Map::Field(&flow)];
        Ok(of_map(compose(&ComposeRequest { maps: &maps, grid: None }, session)?.map))
    }),
    ("invert", |session| Ok(of_map(invert(&field(1.0), None, session)?.map))),
    ("evaluate flow", |session| {
        let (result, truth) = (field(1.8), field(1.7));
        let request = EvaluateRequest::new(&result, &truth);
        Ok(format!("{:?}", evaluate_flow(&request, &FlowClaims::default(), session)?))
    }),
    ("evaluate labels", |session| {
        let [result, truth] = [1, 0].map(|shift| labels(shift).map(|&label| label as f32));
        Ok(format!("{:?}", evaluate_labels(&EvaluateRequest::new(&result, &truth), session)?))
    }),
];

#[test]
fn any_number_of_threads_finds_the_same_bits() {
    for (name, run) in PIPELINES {
        let of = |threads| run(&Session::on(Device::cpu(threads).unwrap())).unwrap();
        let one = of(1);
        for threads in [2, 3, 5] {
            assert!(of(threads) == one, "{name} by {threads} threads");
        }
    }
}

/// Keeps what is told, and stops at a step.
struct Told {
    steps: Mutex<Vec<Step>>,
    stop_at: usize,
}

impl Observer for Told {
    fn step(&self, step: Step) -> ControlFlow<()> {
        let mut steps = self.steps.lock().unwrap();
        steps.push(step);
        if steps.len() == self.stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn it_is_told_as_it_goes_on_and_stops() {
    for (name, run) in PIPELINES {
        let session = Session::on(Device::cpu(3).unwrap());
        let told = |stop_at| {
            let told = Arc::new(Told { steps: Mutex::default(), stop_at });
            session.follow(Some(told.clone()));
            let found = run(&session);
            let steps = std::mem::take(&mut *told.steps.lock().unwrap());
            (found, steps)
        };
        let (whole, steps) = told(0);
        let whole = whole.unwrap();
        let done: Vec<f64> = steps.iter().map(|step| step.done).collect();
        // Labels are warped by kernels, which tell nothing.
        let is_told = name != "labels";
        if is_told {
            assert!(done.is_sorted() && done.last().is_some_and(|last| *last > 0.999), "{name}: {done:?}");
            assert!(done.iter().filter(|done| (0.05..0.95).contains(*done)).count() > 3, "{name}: {done:?}");
        }
        let stops = if is_told { &[1, 2, 4][..] } else { &[1] };
        for &stop_at in stops {
            let (found, _) = told(stop_at);
            assert!(found.is_err_and(|error| error.kind() == ErrorKind::Stopped), "{name} at {stop_at}");
        }
        assert!(told(0).0.unwrap() == whole, "{name} after a stop");
    }
}
