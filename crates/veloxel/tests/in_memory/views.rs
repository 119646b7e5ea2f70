//! Views of somebody's memory, 8-bit samples in rows that are wider than the picture, give what volumes give, bit for bit.

use crate::{pictures, session};
use veloxel::pipelines::distances::{ArcRows, DistancesRequest, distances};
use veloxel::pipelines::engine::{Engine, EngineFound, EngineImage, EngineRequest};
use veloxel::pipelines::{
    DenseDraft, EndedTracks, FeaturesRequest, Image, StereoRequest, TrackingParameters, TracksBegin,
    TracksRequest, features, stereo, track_points, undo_disparity,
};
use veloxel::{
    ArcList, GraphKind, Mask, Samples, Session, VeloxelError, Volume, VolumeView, Warnings, WeightedArc,
};

/// Columns of memory beside a picture.
const MARGIN: usize = 5;

/// A picture's samples as a camera's driver has them.
fn padded(picture: &Volume<f32>) -> Vec<u8> {
    let [nx, ..] = picture.grid().size();
    let rows = picture.data().chunks(nx);
    rows.flat_map(|row| row.iter().map(|&v| v as u8).chain([77; MARGIN])).collect()
}

fn view<'a>(bytes: &'a [u8], like: &Volume<f32>) -> VolumeView<'a> {
    let [nx, ny, _] = like.grid().size();
    let row = nx + MARGIN;
    VolumeView::strided(like.grid().clone(), Samples::U8(bytes), [1, row, row * ny]).unwrap()
}

fn phase() -> DenseDraft {
    DenseDraft::named("phase").unwrap()
}

/// The bits of samples, NaN included.
fn bits(image: &Volume<f32>) -> Vec<u32> {
    image.data().iter().map(|sample| sample.to_bits()).collect()
}

#[test]
fn of_a_stereo_pair() {
    let (left, right, method) = (pictures::texture(0.0), pictures::texture(-3.0), phase());
    let [left_bytes, right_bytes] = [&left, &right].map(padded);
    let mask = Mask::from_fn(left.grid().clone(), |[x, ..]| x > 8);
    let of = |left: Image<'_>, right: Image<'_>| {
        let request = StereoRequest { mask: Some(&mask), ..StereoRequest::new(left, right.clone(), &method) };
        let found = stereo(&request, &session()).unwrap().found;
        let undone = undo_disparity(&found.disparity_px, right, &session()).unwrap();
        [&found.disparity_px, &found.confidence, &undone].map(bits)
    };
    let volumes = of((&left).into(), (&right).into());
    assert_eq!(of(view(&left_bytes, &left).into(), view(&right_bytes, &right).into()), volumes);
}

#[test]
fn of_a_picture_with_features() {
    let (picture, method) = (pictures::texture(0.0), phase());
    let bytes = padded(&picture);
    let of = |image: Image<'_>| {
        let levels = features(&FeaturesRequest::new(image, &method), &session()).unwrap().levels;
        let maps = levels.iter().flat_map(|maps| [&maps.energy, &maps.orientation_rad, &maps.phase_rad]);
        maps.map(bits).collect::<Vec<_>>()
    };
    assert_eq!(of(view(&bytes, &picture).into()), of((&picture).into()));
}

#[test]
fn of_a_stream() {
    let frames: Vec<_> = (0..6).map(|t| pictures::texture(0.5 * t as f32)).collect();
    let bytes: Vec<_> = frames.iter().map(padded).collect();
    let views: Vec<Image<'_>> = bytes.iter().map(|bytes| view(bytes, &frames[0]).into()).collect();
    let volumes: Vec<Image<'_>> = frames.iter().map(Image::from).collect();
    let flows = |images: Vec<Image<'_>>| -> Result<Vec<Vec<u32>>, VeloxelError> {
        let session = session();
        let mut engine = Engine::new(EngineRequest::of_flow(&phase()), &session)?;
        let mut found = Vec::new();
        for image in images {
            if let Some(frame) = engine.push(EngineImage::new(image, "frame", &mut Warnings::new())?, None)? {
                let EngineFound { fields, .. } = frame.fetch()?;
                let flow = fields.and_then(|fields| fields.flow).unwrap();
                let vectors = (0..flow.grid().len()).map(|index| flow.vector_vox(index));
                found.push(vectors.flatten().map(f32::to_bits).collect());
            }
        }
        Ok(found)
    };
    let of_views = flows(views).unwrap();
    assert!(!of_views.is_empty());
    assert_eq!(of_views, flows(volumes).unwrap());
}

#[test]
fn of_frames_with_points() {
    let frames: Vec<_> = (0..4).map(|t| pictures::texture(2.0 * t as f32)).collect();
    let bytes: Vec<_> = frames.iter().map(padded).collect();
    let (begin, parameters) = (TracksBegin::Corners(20), TrackingParameters::default());
    let request = TracksRequest { begin, corner_distance_px: 8.0, ended: EndedTracks::Stay, parameters };
    let of_volumes = track_points(&frames, &request, &session()).unwrap();
    let views = bytes.iter().map(|bytes| view(bytes, &frames[0]));
    let of_views = track_points(views, &request, &session()).unwrap();
    assert!(of_views.tracks == 20 && of_views.table.len() > 40);
    // An error that is not known is NaN, which equals nothing.
    assert_eq!(format!("{:?}", of_views.table), format!("{:?}", of_volumes.table));
}

#[test]
fn of_a_graph() {
    let arcs = [[0, 1], [1, 2], [2, 3], [0, 3]].map(|[from, to]| WeightedArc { from, to, weight: 1.5 });
    let list = ArcList { nodes: 4, kind: GraphKind::Directed, arcs: arcs.to_vec() };
    let (offsets, targets, weights) = ([0, 2, 3, 4, 4], [1, 3, 2, 3], [1.5; 4]);
    let rows = ArcRows { kind: GraphKind::Directed, offsets: &offsets, targets: &targets, weights: &weights };
    let session: Session = session();
    let of_list = distances(&DistancesRequest::new(&list), &session).unwrap();
    let of_rows = distances(&DistancesRequest::new(rows), &session).unwrap();
    assert_eq!((of_rows.values, of_rows.rows), (of_list.values, 4));
}
