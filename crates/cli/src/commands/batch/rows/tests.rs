//! Tests of the way from a record to a job.

use super::*;
use veloxel::Session;
use veloxel::jobs::DeviceOptions;

fn record(fields: &[(&str, &str)]) -> Record {
    let text = |value: &str| FieldValue::Text(value.to_owned());
    Record { line: 2, fields: fields.iter().map(|(name, value)| ((*name).to_owned(), text(value))).collect() }
}

fn read(fields: &[(&str, &str)]) -> Result<JobRow, String> {
    let rows = read_rows(&[record(fields)], &[], Path::new("out"), None);
    rows.map(|mut rows| rows.remove(0)).map_err(|error| error.to_string())
}

const PAIR: [(&str, &str); 3] = [("fixed", "a.nii"), ("moving", "b.nii"), ("output", "c.nii")];

fn with<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    PAIR.iter().chain(more).copied().collect()
}

#[test]
fn a_record_is_the_line_of_its_command() {
    let row =
        read(&with(&[("set", "alpha=0.1; max_levels=3"), ("inverse_consistency", "yes"), ("refine", "no")]))
            .unwrap();
    let RowJob::Flow(job) = &row.job else { panic!("{:?}", row.job) };
    assert_eq!(job.inputs, ["a.nii", "b.nii"].map(PathBuf::from));
    assert_eq!(job.outputs.flow, Path::new("out").join("c.nii"));
    let line = &job.options.command_line;
    assert!(line.starts_with("veloxel flow --fixed=a.nii --moving=b.nii --output=out/c.nii"), "{line}");
    assert!(line.contains("--set=max_levels=3") && !line.contains("refine"), "{line}");
    // What the ledger knows it by is independent of the columns' order and of the folder.
    let expected = "flow --fixed=a.nii --inverse-consistency --moving=b.nii --output=c.nii --set=alpha=0.1 --set=max_levels=3";
    assert_eq!(row.text, expected);
    assert_eq!((row.row, row.line), (1, Some(2)));
}

#[test]
fn options_for_all_rows_give_way_to_a_rows_own() {
    let options = [("preset", "fast"), ("command", "register")]
        .map(|(name, value)| (name.to_owned(), FieldValue::Text(value.to_owned())));
    let records = [record(&PAIR), record(&with(&[("preset", "accurate"), ("command", "flow")]))];
    let rows = read_rows(&records, &options, Path::new("out"), Some(1 << 20)).unwrap();
    assert!(
        rows[0].text.starts_with("register ") && rows[0].text.contains("--preset=fast"),
        "{}",
        rows[0].text
    );
    assert!(
        rows[1].text.starts_with("flow ") && rows[1].text.contains("--preset=accurate"),
        "{}",
        rows[1].text
    );
    assert!(rows.iter().all(|row| row.text.ends_with("--max-memory=1048576")));
}

#[test]
fn what_a_command_refuses_is_refused_in_one_line() {
    for (more, part) in [
        (
            &[("presett", "fast")][..],
            "unexpected argument '--presett' found tip: a similar argument exists: '--preset'",
        ),
        (&[("preset", "fastest")], "invalid value 'fastest' for '--preset"),
        (&[("command", "info")], "no row can be `info`: it is one of flow, register"),
        (&[("command", "warp")], "`warp` is `warp image` or `warp labels` or `warp points`"),
        (&[("set", "alpha=-1")], "alpha"),
        (&[("set", "nonsense=1")], "nonsense"),
        (&[("symmetric", "perhaps")], "`symmetric` is true or false"),
        (&[("device", "cpu")], "`device` is for all rows together"),
        (&[("occlusion", "o.nii")], "--occlusion needs --init matches"),
        (&[("sequence", "both")], "cannot be used with"),
    ] {
        let error = read(&with(more)).unwrap_err();
        assert!(error.contains(part) && !error.contains('\n'), "{more:?}: {error}");
        assert!(error.starts_with("row 1 (line 2): ") && !error.contains("Usage"), "{error}");
    }
    let error = read(&PAIR[..2]).unwrap_err();
    assert!(error.contains("required arguments were not provided: --output"), "{error}");
}

/// Every option of a row's command that takes a path: what the plan writes is what was taken for an output.
#[test]
fn outputs_are_told_from_inputs_in_every_command() {
    let session = Session::open(&DeviceOptions { name: Some("cpu".to_owned()), threads: 1 }).unwrap();
    let lines: [&[(&str, &str)]; 8] = [
        &[
            ("fixed", "i1.nii"),
            ("moving", "i2.nii"),
            ("output", "o1.nii"),
            ("confidence", "o2.nii"),
            ("warped", "o3.nii"),
            ("expected_error", "o4.nii"),
            ("covariance", "o10.npy"),
            ("probability", "o11.nii"),
            ("inverse", "o5.nii"),
            ("occlusion", "o6.nii"),
            ("picture", "o7.png"),
            ("report", "o8.json"),
            ("html", "o9.html"),
            ("truth", "i3.nii"),
            ("mask", "i4.nii"),
            ("init", "matches"),
            ("moving_mask", "i5.nii"),
        ],
        &[
            ("command", "register"),
            ("fixed", "i1.nii"),
            ("moving", "i2.nii"),
            ("init", "i3.tfm"),
            ("output", "o1.nii"),
            ("transform", "o2.tfm"),
        ],
        &[
            ("inputs", "i1.nii"),
            ("sequence", "both"),
            ("output", "o1"),
            ("report", "o2.json"),
            ("html", "o3.html"),
        ],
        &[
            ("command", "stereo"),
            ("left", "i1.png"),
            ("right", "i2.png"),
            ("output", "o1.pfm"),
            ("calibration", "i3.yaml"),
            ("depth", "o2.tif"),
            ("cloud", "o3.ply"),
            ("rectified_left", "o4.png"),
            ("rectified_right", "o5.png"),
            ("picture", "o6.png"),
            ("confidence", "o7.png"),
            ("report", "o8.json"),
            ("html", "o9.html"),
        ],
        &[
            ("command", "features"),
            ("image", "i1.png"),
            ("output", "o1"),
            ("report", "o2.json"),
            ("html", "o3.html"),
        ],
        &[
            ("command", "segment"),
            ("mesh", "i1.off"),
            ("output", "o1.ply"),
            ("labels", "o2.seg"),
            ("membership", "o3.npy"),
            ("html", "o4.html"),
            ("part_meshes", "o5"),
            ("report", "o6.json"),
            ("parts", "5"),
        ],
        &[("command", "track"), ("cine", "i1.nii"), ("contours", "i2.json"), ("output", "o1")],
        &[("command", "warp points"), ("flow", "i1.nii"), ("input", "i2.csv"), ("output", "o1.csv")],
    ];
    for fields in lines {
        let row = read(fields).unwrap();
        let plan = row.job.plan(&session).unwrap();
        let written: Vec<String> = plan.outputs().map(|(_, path)| path.display().to_string()).collect();
        let expected = fields.iter().filter(|(_, value)| value.starts_with('o')).count();
        assert_eq!(written.len(), expected, "{fields:?}: {written:?}");
        assert!(written.iter().all(|path| path.starts_with("out/o")), "{written:?}");
    }
}
