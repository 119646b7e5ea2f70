//! The scoreboard: every ground truth of the data as sets, each item *tuned on* or *kept*, with error and time of one run.
//!
//! A set is a row of [`SETS`]; its items are those of the table in `split.tsv`. Its function scores one item, so that benches
//! with bars and this board measure by the same code.

pub(crate) mod measured;
mod page;
mod peers;
mod score;
mod score_file;
mod set_scores;
mod sets;
mod split;
pub(crate) mod ways;

pub use page::{ScorePage, score_table};
pub use score::Score;
pub use score_file::ScoreFile;
pub use set_scores::{ScoredWay, SetScores, Summary};
pub(crate) use sets::phantoms::phantom_grid;
pub use split::{Half, SplitItem, split};

use crate::{BenchError, Session};
use measured::Measured;
use sets::{brains, breathing, hearts, meshes, phantoms, pictures, rigid, stereo, tissue};

/// A set of items with a known truth.
#[derive(Debug)]
pub struct ScoreSet {
    /// Its name on the command line and in the table of halves.
    pub name: &'static str,
    /// What it holds.
    pub title: &'static str,
    /// What its errors are.
    pub error: &'static str,
    /// Their unit.
    pub unit: &'static str,
    /// Our ways of estimating.
    pub ways: &'static [&'static str],
    /// What others reach and is measured beside ours, as people's segmentations are.
    pub peers: &'static [&'static str],
    /// What else is measured of each item, in the order of its values; less is better here as well.
    pub further: &'static [FurtherMeasure],
    /// Whether the quick form has it.
    pub is_quick: bool,
    measure: MeasureItem,
}

/// A further measure of a set's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FurtherMeasure {
    /// What it is, with its unit.
    pub what: &'static str,
}

/// Scores an item by some of its set's ways; nothing without its data.
type MeasureItem = fn(&Session<'_>, &str, &[&'static str]) -> Result<Vec<Measured>, BenchError>;

const EPE_PX: &str = "mean end-point error, px";
const EPE_VOX: &str = "mean end-point error, voxels";
const PRESETS: &[&str] = &["accurate", "fast", "realtime", "ultrafast"];
const WITH_MATCHES: &[&str] =
    &["accurate", "accurate, matches", "fast", "fast, matches", "realtime", "ultrafast"];

/// A set that the quick form has.
const fn quick(
    name: &'static str,
    title: &'static str,
    ways: &'static [&'static str],
    measure: MeasureItem,
) -> ScoreSet {
    ScoreSet {
        name,
        title,
        error: EPE_PX,
        unit: "px",
        ways,
        peers: &[],
        further: &[],
        is_quick: true,
        measure,
    }
}

/// Every set.
pub const SETS: &[ScoreSet] = &[
    quick("middlebury", "Middlebury, two frames", PRESETS, pictures::of_files),
    ScoreSet {
        is_quick: false,
        ..quick("sintel", "MPI-Sintel, frames 2 and 3", WITH_MATCHES, pictures::of_files)
    },
    ScoreSet { is_quick: false, ..quick("kitti", "KITTI's sample pair", WITH_MATCHES, pictures::of_files) },
    quick("yosemite", "Yosemite with clouds, frames 9 and 10, without the sky", PRESETS, pictures::yosemite),
    ScoreSet {
        error: "pixels with truth that are wrong by more than 1 px or unknown, %",
        unit: "%",
        ..quick("stereo", "Middlebury stereo", &["accurate", "fast", "paper"], stereo::pair)
    },
    ScoreSet {
        error: EPE_VOX,
        unit: "voxels",
        ..quick("phantoms-2d", "Phantoms of 96², in the interior", PRESETS, phantoms::pictures)
    },
    ScoreSet {
        error: EPE_VOX,
        unit: "voxels",
        is_quick: false,
        ..quick("phantoms-3d", "Phantoms of 64³, in the interior", &["accurate", "fast"], phantoms::volumes)
    },
    ScoreSet {
        error: EPE_VOX,
        unit: "voxels",
        is_quick: false,
        ..quick("tissue", "Finite-element models, in the tissue", &["accurate", "fast"], tissue::models)
    },
    ScoreSet {
        error: EPE_VOX,
        unit: "voxels",
        is_quick: false,
        ..quick(
            "breathing",
            "CT that breathes, in the lung",
            &["accurate", "accurate, matches", "fast"],
            breathing::breaths,
        )
    },
    ScoreSet {
        error: "mean distance from the true map over the image, mm; the time has a field of `ultrafast` in it",
        unit: "mm",
        is_quick: false,
        ..quick("rigid", "Greedy's phantoms of 128³, linear starts", &["rigid", "affine"], rigid::starts)
    },
    ScoreSet {
        error: "1 − mean Dice of ventricles and muscle, labels carried from end-diastole to end-systole, file to file",
        unit: "",
        is_quick: false,
        further: &[FurtherMeasure {
            what: "ejection fraction of the carried left ventricle less the true one, points of per cent, without its sign",
        }],
        ..quick("acdc", "ACDC", &["cine", "accurate", "fast"], hearts::patient)
    },
    ScoreSet {
        error: "1 − mean Dice of 32 labels, file to file",
        unit: "",
        is_quick: false,
        further: &[
            FurtherMeasure { what: "1 − Dice of the union of the 32 labels" },
            FurtherMeasure { what: "folded voxels, %" },
        ],
        ..quick(
            "nirep",
            "NIREP, ordered pairs",
            &["register", "register, fast", "accurate, affine", "fast, affine"],
            brains::pair,
        )
    },
    ScoreSet {
        error: "Rand index, number of parts the people's median",
        unit: "",
        is_quick: false,
        peers: &["people"],
        further: &[FurtherMeasure { what: "number of parts less the people's median, without its sign" }],
        ..quick("meshes", "Princeton's meshes", &["cuts", "fuzzy", "cuts, number chosen"], meshes::mesh)
    },
];

impl ScoreSet {
    /// The set of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SETS.iter().find(|set| set.name == name)
    }

    /// Our ways, and then the peers that are measured beside them.
    pub fn all_ways(&self) -> impl Iterator<Item = &'static str> {
        self.ways.iter().chain(self.peers).copied()
    }

    /// The names of its items.
    pub fn items(&self) -> impl Iterator<Item = &'static str> {
        split().filter(|row| row.set == self.name).map(|row| row.item)
    }

    /// The scores of an item by some ways; none without its data.
    fn of_item(
        &self,
        session: &Session<'_>,
        row: &SplitItem,
        ways: &[&'static str],
    ) -> Result<Vec<Score>, BenchError> {
        let score = |Measured { way, error, time_s, further }| {
            let (set, item, way) = (self.name.to_owned(), row.item.to_owned(), way.to_owned());
            Score { set, item, half: row.half, way, error, time_s, further, measured: String::new() }
        };
        Ok((self.measure)(session, row.item, ways)?.into_iter().map(score).collect())
    }
}

/// Which scores are measured; empty lists leave nothing out.
#[derive(Debug, Clone, Default)]
pub struct ScoreRequest {
    /// Names of sets; none: all, or those of the quick form.
    pub sets: Vec<String>,
    /// Names of items.
    pub items: Vec<String>,
    /// Names of ways.
    pub ways: Vec<String>,
    /// Scores that are there already and are not measured again.
    pub known: ScoreFile,
}

impl ScoreRequest {
    /// The sets that are measured.
    pub fn sets(&self, session: &Session<'_>) -> Vec<&'static ScoreSet> {
        let is_taken = |set: &&ScoreSet| match &self.sets[..] {
            [] => !session.is_quick || set.is_quick,
            names => names.iter().any(|name| name == set.name),
        };
        SETS.iter().filter(is_taken).collect()
    }

    /// The first of its items and ways that no set of it has.
    pub fn unknown(&self, session: &Session<'_>) -> Option<&str> {
        let sets = self.sets(session);
        let has_item = |name: &&String| sets.iter().any(|set| set.items().any(|own| own == **name));
        let has_way = |name: &&String| sets.iter().any(|set| set.all_ways().any(|own| own == **name));
        let item = self.items.iter().find(|name| !has_item(name));
        item.or_else(|| self.ways.iter().find(|name| !has_way(name))).map(String::as_str)
    }

    /// The ways of an item that are measured.
    fn ways(&self, set: &'static ScoreSet, item: &str) -> Vec<&'static str> {
        let is_taken = |names: &[String], name: &str| names.is_empty() || names.iter().any(|own| own == name);
        let ways = set.all_ways().filter(|way| {
            is_taken(&self.items, item) && is_taken(&self.ways, way) && !self.known.holds(set.name, item, way)
        });
        ways.collect()
    }
}

/// Scores a set's items one after the other; `told` hears of each score as soon as it is there.
///
/// # Errors
/// Anything that keeps an item from being measured, and what `told` fails with; missing data are noted in the session instead.
pub fn scores(
    session: &Session<'_>,
    set: &'static ScoreSet,
    request: &ScoreRequest,
    told: &mut dyn FnMut(Score) -> Result<(), BenchError>,
) -> Result<(), BenchError> {
    for row in split().filter(|row| row.set == set.name) {
        let ways = request.ways(set, row.item);
        if !ways.is_empty() {
            set.of_item(session, &row, &ways)?.into_iter().try_for_each(&mut *told)?;
        }
    }
    Ok(())
}

/// Scores as benches with bars take them: of a set's tuned items, or of all, by some ways.
pub(crate) fn scored(
    session: &Session<'_>,
    set: &str,
    takes: impl Fn(&SplitItem) -> bool,
    ways: &[&'static str],
) -> Result<Vec<Score>, BenchError> {
    let set = ScoreSet::named(set).expect("a bench should name a set that there is");
    let mut scores = Vec::new();
    for row in split().filter(|row| row.set == set.name && takes(row)) {
        scores.extend(set.of_item(session, &row, ways)?);
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::ways::Way;
    use super::*;
    use veloxel_gpu::Device;

    #[test]
    fn every_item_is_known_to_its_set() {
        let device = Device::cpu(1).unwrap();
        let fresh_process = |_: usize| unreachable!("nothing is measured");
        let session = Session::new(&device, &fresh_process).without_data();
        // Volumes of phantoms have the names of the pictures.
        for row in split().filter(|row| row.set != "phantoms-3d") {
            let set = ScoreSet::named(row.set).unwrap();
            let found = (set.measure)(&session, row.item, &[]);
            assert_eq!(found.unwrap(), [], "{row:?}");
        }
        assert!(!session.missing().is_empty());
    }

    #[test]
    fn sets_have_names_and_ways_of_their_own() {
        for (nth, set) in SETS.iter().enumerate() {
            assert!(SETS[..nth].iter().all(|own| own.name != set.name), "{}", set.name);
            if !["stereo", "meshes"].contains(&set.name) {
                set.ways.iter().for_each(|way| assert_eq!(Way::named(way).name, *way));
            }
        }
        assert!(SETS.iter().filter(|set| set.is_quick).count() > 2);
    }

    mod needs_data {
        use super::*;
        use std::path::PathBuf;

        #[test]
        fn every_mesh_and_every_patient_is_in_a_half() {
            let data =
                PathBuf::from(std::env::var_os("VELOXEL_DATA").expect("VELOXEL_DATA should name the data"));
            for (set, folder, ending) in
                [("meshes", "mesh/psb/off", ".off"), ("acdc", "cardiac/acdc/training", "")]
            {
                let entries = std::fs::read_dir(data.join(folder)).unwrap();
                let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
                let mut found: Vec<String> =
                    names.filter_map(|name| name.strip_suffix(ending).map(str::to_owned)).collect();
                let mut rows: Vec<&str> = split().filter(|row| row.set == set).map(|row| row.item).collect();
                found.sort();
                rows.sort_unstable();
                assert_eq!(found, rows);
            }
        }
    }
}
