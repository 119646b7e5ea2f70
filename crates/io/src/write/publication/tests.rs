//! Publications that succeed, fail and are interrupted.

use super::*;
use crate::write::pending::Ending;
use crate::write::whole_file::write_text;
use std::fs;
use tempfile::TempDir;

/// Two folders with earlier files, and a publication of newer ones: into `a` two files and a folder, into `b` one file.
struct Scene {
    folder: TempDir,
    files: Files,
}

const NAMES: [&str; 5] = ["a/1", "a/2", "a/new/3", "b/4", "b/5"];

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        for name in ["a/1", "b/4"] {
            fs::write(folder.path().join(name), "earlier").unwrap();
        }
        Self { folder, files: Files::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn written(&self) -> Publication {
        let mut publication = Publication::of(&self.files);
        for name in ["a/1", "a/2", "b/4", "b/5"] {
            write_text(publication.target(&self.path(name)).unwrap(), "newer").unwrap();
        }
        write_text(publication.folder(&self.path("a/new")).unwrap().join("3"), "newer").unwrap();
        publication
    }

    /// The content of every output, and whether hidden folders are there.
    fn state(&self) -> (Vec<String>, bool) {
        let content = NAMES.map(|name| fs::read_to_string(self.path(name)).unwrap_or_default());
        let is_hidden = |name: &str| staging::in_folder(&self.path(name)).unwrap().is_empty();
        (content.to_vec(), !(is_hidden("a") && is_hidden("b")))
    }

    fn resolve(&self) -> Vec<Outcome> {
        resolve_earlier(&self.path("b/4"), &self.files).unwrap();
        resolve_earlier(&self.path("a/1"), &self.files).unwrap();
        self.files.pending().take_resolved().iter().map(|resolved| resolved.outcome).collect()
    }
}

fn earlier() -> Vec<String> {
    ["earlier", "", "", "earlier", ""].map(str::to_owned).to_vec()
}

fn newer() -> Vec<String> {
    vec!["newer".to_owned(); NAMES.len()]
}

/// Ends the process that owns them, as far as others can tell.
fn end(publication: Publication) {
    for Owned { staging, .. } in publication.stagings {
        staging.end();
    }
}

fn journal(publication: &Publication) -> Journal {
    Journal::of(&publication.stagings.iter().map(|owned| &owned.staging).collect::<Vec<_>>()).unwrap()
}

#[test]
fn all_outputs_appear_or_none() {
    let scene = Scene::new();
    drop(scene.written());
    assert_eq!(scene.state(), (earlier(), false));
    let publication = scene.written();
    assert_eq!(scene.state(), (earlier(), true));
    publication.publish().unwrap();
    assert_eq!(scene.state(), (newer(), false));
    assert_eq!(scene.files.pending().remove_all(), Ending::Published);
}

#[test]
fn a_folder_with_the_name_of_an_output_stays() {
    let scene = Scene::new();
    let publication = scene.written();
    fs::create_dir_all(scene.path("b/5/deep")).unwrap();
    let failed = publication.publish().unwrap_err();
    assert!(failed.error.to_string().contains("a folder has that name"), "{}", failed.error);
    assert!(failed.left_behind.is_empty());
    assert_eq!(scene.state(), (earlier(), false));
    assert!(scene.path("b/5/deep").is_dir());
}

#[test]
fn a_folder_that_appears_during_the_moves_stays_and_all_is_taken_back() {
    let scene = Scene::new();
    let publication = scene.written();
    let journal = journal(&publication);
    journal.write().unwrap();
    for part in &journal.parts {
        part.files.iter().for_each(|moved| moves::keep_earlier(part, moved).unwrap());
    }
    fs::create_dir_all(scene.path("b/5/deep")).unwrap();
    assert!(moves::finish(&journal).is_err());
    drop(publication);
    fs::remove_dir_all(scene.path("b/5")).unwrap();
    assert_eq!(scene.state(), (earlier(), false));
}

#[test]
fn an_interruption_after_any_move_is_made_good_by_the_next_run() {
    for moves in 0..=NAMES.len() {
        let scene = Scene::new();
        let publication = scene.written();
        let journal = journal(&publication);
        for part in &journal.parts {
            part.files.iter().for_each(|moved| moves::keep_earlier(part, moved).unwrap());
        }
        journal.write().unwrap();
        let all = journal.parts.iter().flat_map(|part| part.files.iter().map(move |moved| (part, moved)));
        for (part, moved) in all.take(moves) {
            fs::create_dir_all(part.root.join(&moved.name).parent().unwrap()).unwrap();
            fs::rename(part.staged(&moved.name), part.root.join(&moved.name)).unwrap();
        }
        end(publication);
        assert_eq!(scene.resolve(), [Outcome::Published], "{moves}");
        assert_eq!(scene.state(), (newer(), false), "{moves}");
    }
}

#[test]
fn an_interruption_while_moves_are_taken_back_leaves_the_earlier_files() {
    let scene = Scene::new();
    let publication = scene.written();
    let journal = journal(&publication);
    for part in &journal.parts {
        part.files.iter().for_each(|moved| moves::keep_earlier(part, moved).unwrap());
    }
    journal.write().unwrap();
    moves::finish(&journal).unwrap();
    journal.revoke().unwrap();
    let part = &journal.parts[0];
    fs::rename(part.earlier(Path::new("1")), scene.path("a/1")).unwrap();
    end(publication);
    assert_eq!(scene.resolve(), [Outcome::TakenBack]);
    assert_eq!(scene.state(), (earlier(), false));
}

#[test]
fn an_interruption_before_the_journal_leaves_the_earlier_files() {
    let scene = Scene::new();
    end(scene.written());
    assert_eq!(scene.resolve(), [Outcome::Removed; 2]);
    assert_eq!(scene.state(), (earlier(), false));
}

#[test]
fn an_interruption_before_the_owners_mark_leaves_nothing() {
    let scene = Scene::new();
    fs::create_dir(scene.path("a/.veloxel-abc.part")).unwrap();
    assert_eq!(scene.resolve(), []);
    assert_eq!(scene.state(), (earlier(), false));
}

#[test]
fn what_a_running_process_writes_is_nobody_elses() {
    let scene = Scene::new();
    let publication = scene.written();
    assert_eq!(scene.resolve(), []);
    publication.publish().unwrap();
    assert_eq!(scene.state(), (newer(), false));
}

#[test]
fn outputs_of_a_folder_that_an_ended_run_had_made_are_found_beside_it() {
    let scene = Scene::new();
    let made = scene.path("a/made");
    let mut publication = Publication::of(&scene.files);
    write_text(publication.folder(&made).unwrap().join("x"), "newer").unwrap();
    journal(&publication).write().unwrap();
    fs::create_dir(&made).unwrap();
    end(publication);
    resolve_earlier(&made, &scene.files).unwrap();
    let resolved = scene.files.pending().take_resolved();
    assert_eq!(resolved.iter().map(|r| r.outcome).collect::<Vec<_>>(), [Outcome::Published]);
    assert_eq!(fs::read_to_string(made.join("x")).unwrap(), "newer");
}

#[test]
fn a_folder_that_another_thread_removes_leaves_the_list_with_its_content() {
    let scene = Scene::new();
    let publication = scene.written();
    for Owned { staging, .. } in &publication.stagings {
        fs::rename(staging.path(), staging.path().with_extension("gone")).unwrap();
    }
    scene.files.pending().remove_all();
    assert_eq!(scene.state(), (earlier(), false));
    // Whoever ends a file of a list whose program ends waits for ever.
    std::mem::forget(publication);
}

#[test]
fn names_of_any_bytes_survive_the_journal() {
    let scene = Scene::new();
    let name = "a/line\nbreak 100% ä";
    let mut publication = Publication::of(&scene.files);
    write_text(publication.target(&scene.path(name)).unwrap(), "newer").unwrap();
    journal(&publication).write().unwrap();
    end(publication);
    assert_eq!(scene.resolve(), [Outcome::Published]);
    assert_eq!(fs::read_to_string(scene.path(name)).unwrap(), "newer");
}

/// A store of two chunks where one of a single chunk is.
fn store(scene: &Scene) -> (Publication, std::path::PathBuf) {
    let path = scene.path("a/s.ome.zarr");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("old"), "earlier").unwrap();
    let mut publication = Publication::of(&scene.files);
    let target = publication.target(&path).unwrap();
    fs::create_dir_all(target.place().join("c")).unwrap();
    fs::write(target.place().join("c/0"), "newer").unwrap();
    (publication, path)
}

#[test]
fn a_store_takes_the_place_of_another_as_a_whole_whatever_ends_the_run() {
    let is_new = |path: &Path| path.join("c/0").exists() && !path.join("old").exists();
    let is_old = |path: &Path| path.join("old").exists() && !path.join("c").exists();
    let scene = Scene::new();
    let (publication, path) = store(&scene);
    assert_eq!(publication.names().unwrap(), [fs::canonicalize(scene.path("a")).unwrap().join("s.ome.zarr")]);
    publication.publish().unwrap();
    assert!(is_new(&path) && !scene.state().1);
    for moves in 0..=2 {
        let scene = Scene::new();
        let (publication, path) = store(&scene);
        let journal = journal(&publication);
        let (part, moved) = (&journal.parts[0], &journal.parts[0].files[0]);
        moves::keep_earlier(part, moved).unwrap();
        journal.write().unwrap();
        if moves > 0 {
            fs::rename(&path, part.earlier(&moved.name)).unwrap();
        }
        if moves > 1 {
            fs::rename(part.staged(&moved.name), &path).unwrap();
        }
        end(publication);
        assert_eq!(scene.resolve(), [Outcome::Published], "{moves}");
        assert!(is_new(&path) && !scene.state().1, "{moves}");
    }
    for moves in 0..=2 {
        let scene = Scene::new();
        let (publication, path) = store(&scene);
        let journal = journal(&publication);
        let (part, moved) = (&journal.parts[0], &journal.parts[0].files[0]);
        moves::keep_earlier(part, moved).unwrap();
        journal.write().unwrap();
        journal.revoke().unwrap();
        if moves > 0 {
            fs::rename(&path, part.earlier(&moved.name)).unwrap();
        }
        if moves > 1 {
            fs::rename(part.staged(&moved.name), &path).unwrap();
        }
        end(publication);
        assert_eq!(scene.resolve(), [Outcome::TakenBack], "{moves}");
        assert!(is_old(&path) && !scene.state().1, "{moves}");
    }
}

#[test]
fn a_journal_names_nothing_outside_of_its_folders() {
    let journal = |at: &str, name: &str| format!("veloxel moves 1\nat {at}\nfile {name}\nend\n");
    let staging = "/data/.veloxel-abc.part";
    assert!(Journal::parse(&journal(staging, "a/b")).is_some());
    for name in ["../b", "a/../../b", "/etc/passwd", "."] {
        assert!(Journal::parse(&journal(staging, name)).is_none(), "{name}");
    }
    assert!(Journal::parse(&journal("/data/other", "b")).is_none());
    assert!(Journal::parse(&journal(".veloxel-abc.part", "b")).is_none());
}
