//! `track-points f0.png f1.png … --points p.csv -o tracks.csv`, and from corners.

use crate::no_files::{alone, without_files};
use crate::{assert_same_file, pictures, session};
use veloxel::jobs::{self, FramesTaken, TrackPointsJob, TrackStart};

use veloxel::pipelines::{
    EndedTracks, PointTracks, TrackingParameters, TracksBegin, TracksRequest, track_points,
};
use veloxel::report::{MapPicture, PictureKey, TrackColours, TrackDrawing, tracks_csv};
use veloxel::{Session, Volume};

/// Trails in the colours of their motion, with the wheel below.
fn drawing() -> TrackDrawing {
    let colours = TrackColours::Motion { scale_px: Some(3.0) };
    TrackDrawing { trail_frames: 3, colours, key: PictureKey::Wheel }
}

/// Every frame with its points.
fn drawn(images: &[Volume<f32>], request: &TracksRequest<'_>, session: &Session) -> Vec<MapPicture> {
    let mut tracks = PointTracks::begin(&images[0], request, session).unwrap().with_trails(3);
    let mut pictures = vec![tracks.picture(&images[0], &drawing())];
    for frame in &images[1..] {
        tracks.push(frame).unwrap();
        pictures.push(tracks.picture(frame, &drawing()));
    }
    pictures
}

/// The last frame with the whole way of every track.
fn whole(images: &[Volume<f32>], request: &TracksRequest<'_>, session: &Session) -> MapPicture {
    let mut tracks = PointTracks::begin(&images[0], request, session).unwrap();
    images[1..].iter().for_each(|frame| tracks.push(frame).unwrap());
    tracks.whole_picture(&images[images.len() - 1], &drawing())
}

#[test]
fn tracks_are_those_of_the_command() {
    alone(|| {
        let place = tempfile::tempdir().unwrap();
        let file = |name: &str| place.path().join(name);
        let frames: Vec<_> =
            (0..4).map(|t| pictures::write(place.path(), &format!("f{t}.png"), 2.0 * t as f32)).collect();
        std::fs::write(file("p.csv"), "x,y\n30,30\n50.5,41\n-9,3\n").unwrap();
        let points = [Some([30.0, 30.0, 0.0]), Some([50.5, 41.0, 0.0]), Some([-9.0, 3.0, 0.0])];
        let images: Vec<_> = frames.iter().map(|path| pictures::read(path)).collect();
        let starts = [
            (TrackStart::Points(file("p.csv")), TracksBegin::Points(&points), EndedTracks::Stay),
            (TrackStart::Corners(20), TracksBegin::Corners(20), EndedTracks::AreReplaced),
        ];
        for (start, begin, ended) in starts {
            let (corner_distance_px, parameters) = (8.0, TrackingParameters::default());
            let job = TrackPointsJob {
                frames: frames.clone(),
                taken: FramesTaken::All,
                start,
                corner_distance_px,
                ended,
                parameters,
                output: file("tracks.csv"),
                overlay: Some(file("overlay.y4m")),
                picture: Some(file("ways.png")),
                drawing: drawing(),
                reading: Default::default(),
            };
            let run = jobs::track_points(&job, &session()).unwrap();
            let request = TracksRequest { begin, corner_distance_px, ended, parameters };
            let session = session();
            let result = without_files(|| track_points(&images, &request, &session)).unwrap();
            let drawn = without_files(|| drawn(&images, &request, &session));
            pictures::write_video(&file("own.y4m"), &drawn);
            assert_same_file(&file("own.y4m"), &file("overlay.y4m"));
            assert_eq!(
                (result.frames, result.tracks, result.alive),
                (run.report.frames, run.report.tracks, run.report.alive)
            );
            assert_eq!(tracks_csv(result.table), std::fs::read_to_string(file("tracks.csv")).unwrap());
            assert!(result.alive >= 2);
            let whole = without_files(|| whole(&images, &request, &session));
            let own = file("own.png");
            veloxel::io::write_rgb(own.as_path(), [whole.width, whole.height], &whole.rgb).unwrap();
            assert_same_file(&own, &file("ways.png"));
        }
        let job = TrackPointsJob {
            frames,
            taken: FramesTaken::All,
            start: TrackStart::Corners(5),
            corner_distance_px: 8.0,
            ended: EndedTracks::Stay,
            parameters: TrackingParameters::default(),
            output: file("tracks.png"),
            overlay: None,
            picture: None,
            drawing: drawing(),
            reading: Default::default(),
        };
        let refused = jobs::track_points(&job, &session()).unwrap_err().to_string();
        assert!(refused.contains("tracks.png") && refused.contains(".csv"), "{refused}");
    });
}
