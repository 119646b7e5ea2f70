//! The promise of the plan of a job's files for any names, links and failures: a file that is read is never changed, and a job
//! that fails leaves everything as it was.
//!
//! Two letters of an input describe a file: its name, and its role in the job.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use veloxel::jobs::{OutputContent, OutputPlan, OutputRole};
use veloxel_io::{ContentKind, Target, files_read, write_text};

const NAMES: [&str; 24] = [
    "a.mhd",
    "samples.raw",
    "samples.nhdr",
    "b.nhdr",
    "b.raw",
    "b.mha",
    "c.png",
    "second.png",
    "link.mhd",
    "link.png",
    "d",
    "d/",
    "d/.",
    "e",
    "d/frame_1.png",
    "e/frame_1.png",
    "d/../c.png",
    "./c.png",
    "d/frame_*.png",
    "new.png",
    "d/new.png",
    "d/new",
    "new",
    "dangling.png",
];
const ROLES: [OutputRole; 6] = [
    OutputRole::Flow,
    OutputRole::Confidence,
    OutputRole::Folder,
    OutputRole::Fields,
    OutputRole::Report,
    OutputRole::Page,
];

/// The content of a role's output, as far as a name can show it.
const HOLDS: [OutputContent; 5] = [
    OutputContent::Text,
    OutputContent::Folder,
    OutputContent::Samples(ContentKind::Image),
    OutputContent::Confidence,
    OutputContent::Video,
];

/// A folder with files that refer to each other: a header with its samples, a second name, links, frames.
fn build(folder: &Path) {
    let header = "NDims = 2\nDimSize = 1 1\nElementType = MET_UCHAR\nElementDataFile = samples.raw\n";
    let write =
        |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file should be possible");
    fs::create_dir_all(folder.join("d")).expect("a folder should be possible");
    write("a.mhd", header);
    write("samples.raw", "s");
    write("b.nhdr", "NRRD0004\ndata file: b.raw\n");
    write("b.raw", "b");
    write("c.png", "c");
    write("d/frame_1.png", "1");
    write("d/frame_2.png", "2");
    fs::hard_link(folder.join("c.png"), folder.join("second.png")).expect("a second name should be possible");
    for (to, from) in
        [("a.mhd", "link.mhd"), ("c.png", "link.png"), ("d", "e"), ("nothing.png", "dangling.png")]
    {
        symlink(to, folder.join(from)).expect("a link should be possible");
    }
}

/// Every path of a folder with its content; for links, their targets.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("the folder should be readable").flatten() {
            let path = entry.path();
            if path.is_symlink() {
                all.insert(
                    path.clone(),
                    fs::read_link(&path).map_or(Vec::new(), |to| to.to_string_lossy().into_owned().into()),
                );
            } else if path.is_dir() {
                all.insert(path.clone(), b"folder".to_vec());
                folders.push(path);
            } else {
                all.insert(path.clone(), fs::read(&path).unwrap_or_default());
            }
        }
    }
    all
}

/// Does what a job does with its plan, to the end or only until its files are written; whether it was done.
fn carry_out(mut plan: OutputPlan, outputs: &[OutputRole], to_the_end: bool) -> bool {
    let write = |target: Target| {
        if target.path().is_dir() {
            ["frame_1.png", "new", "c.png"].iter().try_for_each(|name| write_text(target.join(name), "new"))
        } else {
            write_text(target, "new")
        }
    };
    plan.check().is_ok()
        && outputs.iter().all(|role| plan.write(*role, write).is_ok())
        && to_the_end
        && plan.finish().is_ok()
}

fuzz_target!(|bytes: &[u8]| {
    let place = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .expect("a folder should be possible");
    let folder = place.path();
    build(folder);
    let before = contents(folder);
    let [ending, bytes @ ..] = bytes else { return };
    let (mut plan, mut inputs, mut outputs) = (OutputPlan::default(), Vec::new(), Vec::new());
    for pair in bytes.as_chunks::<2>().0.iter().take(6) {
        let path = folder.join(NAMES[usize::from(pair[0]) % NAMES.len()]);
        let role = ROLES[inputs.len() + outputs.len()];
        if pair[1] % 2 == 0 {
            plan = plan.reads("input", [&path]);
            inputs.push(path);
        } else {
            plan = plan.writes(role, [&path], HOLDS[usize::from(pair[1] / 2) % HOLDS.len()]);
            if pair[1] >= 128 {
                plan = plan.members(role, ["frame_", "new"]);
            }
            outputs.push(role);
        }
    }
    let read = || -> Vec<(PathBuf, Vec<u8>)> {
        let files = inputs.iter().flat_map(|input| files_read(input));
        files
            .filter(|file| file.is_file())
            .map(|file| (file.clone(), fs::read(file).unwrap_or_default()))
            .collect()
    };
    let inputs_before = read();
    let done = carry_out(plan, &outputs, ending % 2 == 0);
    for (file, content) in inputs_before {
        assert_eq!(fs::read(&file).ok(), Some(content), "{} is read and was changed", file.display());
    }
    let after = contents(folder);
    if !done {
        assert_eq!(after, before, "a job that failed left something");
    }
    assert!(!after.keys().any(|path| path.to_string_lossy().ends_with(".part")), "{after:?}");
});
