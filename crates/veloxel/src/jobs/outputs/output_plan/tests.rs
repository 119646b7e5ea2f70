//! What a plan refuses, writes and takes back.

use super::*;
use std::fs;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use veloxel_core::{Observer, Stage, Step, Volume, Warnings};

/// The roles of a plan's outputs, in their order.
const ROLES: [OutputRole; 4] =
    [OutputRole::Flow, OutputRole::Confidence, OutputRole::Folder, OutputRole::Fields];

/// A plan over files in a folder.
fn plan(folder: &Path, inputs: &[&str], outputs: &[(&'static str, OutputContent)]) -> OutputPlan {
    let path = |name: &&str| if *name == "-" { PathBuf::from("-") } else { folder.join(name) };
    let plan = OutputPlan::default().reads("input", &inputs.iter().map(path).collect::<Vec<_>>());
    outputs
        .iter()
        .zip(ROLES)
        .fold(plan, |plan, ((name, holds), role)| plan.writes(role, [&path(name)], *holds))
}

#[test]
fn no_output_replaces_an_input_or_another_output() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("a"), "").unwrap();
    let check = |inputs: &[&str], outputs: &[&'static str]| {
        let outputs: Vec<_> = outputs.iter().map(|name| (*name, OutputContent::Text)).collect();
        plan(folder.path(), inputs, &outputs).check()
    };
    assert!(check(&["a", "b"], &["c", "d"]).is_ok());
    assert!(matches!(check(&["a"], &["c", "sub/../a"]), Err(VeloxelError::ReplacesInput { .. })));
    assert!(matches!(check(&["a"], &["c", "sub/../c"]), Err(VeloxelError::SameOutput { .. })));
    let same_samples = check(&["b.mhd"], &["b.nhdr"]);
    assert!(matches!(same_samples, Err(VeloxelError::ReplacesInput { .. })), "both have b.raw");
    let into = plan(folder.path(), &["sub"], &[("sub/.", OutputContent::Folder)]);
    assert!(matches!(into.check(), Err(VeloxelError::ReplacesInput { .. })));
    assert!(plan(folder.path(), &["-"], &[("-", OutputContent::Video)]).check().is_ok());
    #[cfg(unix)]
    {
        fs::hard_link(folder.path().join("a"), folder.path().join("second name")).unwrap();
        assert!(matches!(check(&["a"], &["second name"]), Err(VeloxelError::ReplacesInput { .. })));
    }
}

#[test]
fn files_behind_an_input_are_not_replaced_either() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let header = "NDims = 2\nDimSize = 1 1\nElementType = MET_UCHAR\nElementDataFile = ";
    write("a.mhd", &format!("{header}samples.raw\n"));
    write("frame_1.png", "");
    let refuse = |plan: OutputPlan| assert!(matches!(plan.check(), Err(VeloxelError::ReplacesInput { .. })));
    refuse(plan(folder.path(), &["a.mhd"], &[("samples.nhdr", OutputContent::Samples(ContentKind::Image))]));
    refuse(plan(
        folder.path(),
        &["frame*.png"],
        &[("frame_1.png", OutputContent::Samples(ContentKind::Image))],
    ));
    let settings = plan(folder.path(), &[], &[("a.mhd", OutputContent::Text)]);
    refuse(settings.reads_settings(&[folder.path().join("a.mhd")]));
    let into = || plan(folder.path(), &["frame*.png"], &[(".", OutputContent::Folder)]);
    refuse(into().members(ROLES[0], ["frame_"]));
    into().members(ROLES[0], ["flow_"]).check().unwrap();
    // Whoever does not say beforehand what a folder gets is refused in the end.
    let mut late = into();
    late.write(ROLES[0], |hidden| io::write_text(hidden.join("frame_1.png"), "later")).unwrap();
    assert!(matches!(late.finish(), Err(VeloxelError::ReplacesInput { .. })));
    assert_eq!(fs::read_to_string(folder.path().join("frame_1.png")).unwrap(), "");
    let both = plan(folder.path(), &[], &[(".", OutputContent::Folder), ("flow_1.flo", OutputContent::Text)]);
    assert!(matches!(both.members(ROLES[0], ["flow_"]).check(), Err(VeloxelError::SameOutput { .. })));
}

#[test]
fn a_file_that_a_reader_finds_is_an_input_even_if_its_refusal_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let found = folder.path().join("found");
    fs::write(&found, "input").unwrap();
    let mut plan = plan(folder.path(), &[], &[("found", OutputContent::Text)]).checked().unwrap();
    let read = io::read_text(&found, 9, plan.files.reading(io::ReadOptions::default()));
    assert!(matches!(read.map_err(VeloxelError::from), Err(VeloxelError::ReplacesInput { .. })));
    plan.write(ROLES[0], |target| io::write_text(target, "output")).unwrap();
    assert!(matches!(plan.finish(), Err(VeloxelError::ReplacesInput { .. })));
    assert_eq!(fs::read_to_string(&found).unwrap(), "input");
}

#[test]
fn a_text_in_the_jobs_own_folder_appears_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = [("out", OutputContent::Folder), ("out/page.html", OutputContent::Text)];
    let mut plan = plan(folder.path(), &[], &outputs);
    plan.check().unwrap();
    plan.write(ROLES[0], |hidden| io::write_text(hidden.join("a"), "")).unwrap();
    plan.write(ROLES[1], |path| io::write_text(path, "page")).unwrap();
    assert!(!folder.path().join("out").exists());
    let roles: Vec<_> = plan.finish().unwrap().into_iter().map(|(role, _)| role).collect();
    assert_eq!(roles, ROLES[..2]);
    assert_eq!(fs::read_to_string(folder.path().join("out/page.html")).unwrap(), "page");
}

#[test]
fn an_output_may_lie_in_another_ones_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("out/below")).unwrap();
    let names = ["out/a.seg", "out/below/b.json"];
    let outputs = [
        (names[0], OutputContent::FaceLabels),
        (names[1], OutputContent::Text),
        ("out", OutputContent::Folder),
    ];
    let mut plan = plan(folder.path(), &[], &outputs).members(ROLES[2], ["part_"]).checked().unwrap();
    for role in &ROLES[..2] {
        plan.write(*role, |target| io::write_text(target, "own")).unwrap();
    }
    plan.write(ROLES[2], |hidden| io::write_text(hidden.join("part_0"), "member")).unwrap();
    plan.finish().unwrap();
    let read = |name| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!([names[0], names[1], "out/part_0"].map(read), ["own", "own", "member"]);
}

#[test]
fn what_cannot_be_written_is_known_before() {
    let folder = tempfile::tempdir().unwrap();
    let flow = OutputContent::Samples(ContentKind::Flow);
    let of = |name, holds| plan(folder.path(), &[], &[(name, holds)]);
    assert!(of("a.flo", flow).check().is_ok());
    let (picture, volume) = (Grid::image(4, 4).unwrap(), Grid::volume(4, 4, 4).unwrap());
    let long = Grid::image(33_000, 1).unwrap();
    assert!(of("a.flo", flow).check_grid(&picture).is_ok());
    assert!(of("a.nrrd", flow).check_grid(&long).is_ok());
    fs::write(folder.path().join("file"), "").unwrap();
    let refused = [
        of("a.flo", flow).check_grid(&volume),
        of("a.nii", flow).check_grid(&long),
        of("a.nii", OutputContent::Confidence).check_grid(&long),
        of("a.xyz", flow).check(),
        of("none/a.json", OutputContent::Text).check(),
        of("", OutputContent::Text).check(),
        of("c.jpg", OutputContent::Confidence).check(),
        of("v.png", OutputContent::Video).check(),
        of("file", OutputContent::Folder).check(),
        of("none/out", OutputContent::Folder).check(),
    ];
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Writes to every output of a plan, and to a file of its folder that was there before.
fn write_all(folder: &Path) -> OutputPlan {
    let outputs = [
        ("a", OutputContent::Text),
        ("b", OutputContent::Text),
        ("out", OutputContent::Folder),
        ("new", OutputContent::Folder),
    ];
    let mut plan = plan(folder, &[], &outputs);
    for role in [OutputRole::Flow, OutputRole::Confidence] {
        plan.write(role, |path| io::write_text(path, "later")).unwrap();
    }
    for role in [OutputRole::Folder, OutputRole::Fields] {
        plan.write(role, |hidden| io::write_text(hidden.join("c"), "later")).unwrap();
    }
    plan
}

#[test]
fn nothing_stays_of_a_failure_and_everything_of_a_success() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("out")).unwrap();
    for name in ["a", "out/c"] {
        fs::write(path(name), "earlier").unwrap();
    }
    let read = |name: &str| fs::read_to_string(path(name)).unwrap_or_default();
    let all = || ["a", "b", "out/c", "new/c"].map(read);
    let count = || fs::read_dir(folder.path()).unwrap().count();

    drop(write_all(folder.path()));
    assert_eq!((all().join(" "), count()), ("earlier  earlier ".to_owned(), 2));
    // The last folder cannot be made: everything before it is taken back.
    let plan = write_all(folder.path());
    fs::write(path("new"), "").unwrap();
    assert!(plan.finish().is_err());
    fs::remove_file(path("new")).unwrap();
    assert_eq!((all().join(" "), count()), ("earlier  earlier ".to_owned(), 2));

    let written = write_all(folder.path()).finish().unwrap();
    assert_eq!(written.iter().map(|(role, _)| *role).collect::<Vec<_>>(), ROLES);
    assert_eq!((all(), count()), (["later"; 4].map(str::to_owned), 4));
}

/// Keeps the shares of work done that a run tells.
#[derive(Default)]
struct Shares(Mutex<Vec<f64>>);

impl Observer for Shares {
    fn step(&self, step: Step) -> ControlFlow<()> {
        self.0.lock().unwrap().push(step.done);
        ControlFlow::Continue(())
    }
}

#[test]
fn progress_of_reading_is_the_share_of_the_inputs_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let image = Volume::from_fn(Grid::image(64, 50).unwrap(), |[x, _, _]| x as f32);
    let frames = ["a.pfm", "b.pfm"].map(|name| folder.path().join(name));
    for frame in &frames {
        io::write_image(frame, &image, &mut Warnings::new()).unwrap();
    }
    let observer = Arc::new(Shares::default());
    let files = Files::under(Control::followed_by(observer.clone()));
    let plan = OutputPlan { files: files.clone(), ..OutputPlan::default() };
    plan.reads("sequence", [&folder.path().to_owned()]).checked().unwrap();
    let read = || -> Result<()> {
        files.control().enter(Stage::Read)?;
        for frame in &frames {
            io::read_image(frame, files.reading(io::ReadOptions::default()), &mut Warnings::new())?;
            // Until the next question reaches the observer.
            std::thread::sleep(Duration::from_millis(30));
            files.control().check()?;
        }
        Ok(())
    };
    read().unwrap();
    files.control().enter(Stage::Solve).unwrap();
    let shares = observer.0.lock().unwrap();
    let (solving, reading) = shares.split_last().unwrap();
    assert!(reading.is_sorted() && reading.contains(&0.5), "{reading:?}");
    assert_eq!((reading.last(), *solving), (Some(&1.0), 0.0));
}
