//! Flows of images on a device against those of the same images in memory.

use super::{ResidentImage, ResidentRequest, resident_pair};
use crate::Session;
use crate::pipelines::{Account, MethodChoice, PairRequest, PairStart, PairWanted, Wanted, pair};
use veloxel_core::{Dimension, Flow, Grid, LinearTransform, Volume};
use veloxel_gpu::Device;
use veloxel_motion::DenseDraft;
use veloxel_testkit::on_every_device;

/// A volume of waves, further along x by so many voxels.
fn waves(shift: f32) -> Volume<f32> {
    let grid = Grid::volume(28, 24, 20).and_then(|grid| grid.with_spacing_mm([1.0, 1.2, 1.5])).unwrap();
    Volume::from_fn(grid, move |[x, y, z]| {
        let (x, y, z) = (x as f32 - shift, y as f32, z as f32);
        100.0 + 40.0 * ((0.5 * x + 0.2 * z).sin() + (0.4 * y).cos() + (0.3 * z - 0.2 * y).sin())
    })
}

fn sent(device: &Device, volume: &Volume<f32>) -> ResidentImage {
    ResidentImage { grid: volume.grid().clone(), samples: device.upload_copy(volume.data()).unwrap() }
}

fn choice(method: &str, preset: &str) -> MethodChoice {
    let mut draft = DenseDraft::named(method).unwrap();
    draft.set_preset(preset).unwrap();
    MethodChoice::new(draft)
}

/// Checks flow, confidence, inverse and warnings of a request against those of the images in memory; returns what the device's run
/// was told alone.
fn same(session: &Session, request: ResidentRequest<'_>, in_memory: PairRequest<'_>) -> Vec<String> {
    let device = session.device().unwrap();
    let wanted = PairWanted {
        inverse: Wanted::when(in_memory.method.draft.method().uses.finds_inverse),
        ..PairWanted::default()
    };
    let expected = pair(&PairRequest { wanted, ..in_memory }, session).unwrap();
    let found = resident_pair(request, session).unwrap();
    let bits = |flow: &Flow| flow.planar_vox().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let flow = found.found.flow.download(device).unwrap();
    assert!(bits(&flow) == bits(&expected.found.flow) && flow.grid() == expected.found.flow.grid());
    assert_eq!(device.download(found.found.confidence).unwrap(), expected.found.confidence.data());
    let inverse = found.found.inverse.map(|inverse| inverse.download(device).unwrap());
    // After a linear start the field back is made of the field on the host.
    let brought = expected.found.inverse.as_ref().filter(|_| expected.transform.is_none());
    assert_eq!(inverse.as_ref().map(bits), brought.map(bits));
    assert_eq!(found.transform, expected.transform);
    let texts = |account: &Account| account.warnings.iter().map(|w| w.message.clone()).collect::<Vec<_>>();
    let known = texts(&expected.account);
    texts(&found.account).into_iter().filter(|text| !known.contains(text)).collect()
}

on_every_device! {
    fn flows_of_images_on_a_device_have_the_bits_of_those_in_memory(device: &Device) {
        let session = Session::on(device.clone());
        let (fixed, moving) = (waves(0.0), waves(0.7));
        let mask = fixed.map(|v| *v > 60.0);
        let weights = mask.map(|inside| f32::from(u8::from(*inside)));
        let straight = LinearTransform::identity(Dimension::Three).matrix();
        let shift = LinearTransform::new(Dimension::Three, straight, [0.5, 0.0, 0.0]).unwrap();
        for (method, start) in [
            (choice("symmetric", "fast"), PairStart::Affine),
            (choice("symmetric", "fast"), PairStart::None),
            (choice("lucas-kanade", "fast"), PairStart::None),
            (choice("clg", "fast"), PairStart::Transform(shift)),
        ] {
            let both = [sent(device, &fixed), sent(device, &moving)];
            let [own_fixed, own_moving] = both;
            let request = ResidentRequest {
                mask: Some(sent(device, &weights)),
                start,
                ..ResidentRequest::new(own_fixed, own_moving, &method)
            };
            let in_memory = PairRequest { mask: Some(&mask), start, ..PairRequest::new(&fixed, &moving, &method) };
            assert_eq!(same(&session, request, in_memory), Vec::<String>::new());
        }
    }

    fn images_that_preparation_changes_go_by_the_host(device: &Device) {
        let session = Session::on(device.clone());
        let (fixed, moving, method) = (waves(0.0), waves(0.7), choice("clg", "fast"));
        let mut holes = moving.clone();
        holes.data_mut()[3000] = f32::NAN;
        let padded = Volume::from_fn(fixed.grid().clone(), |p| if p[0] < 4 { -3000.0 } else { *moving.at(p) });
        for (changed, why) in [
            (holes, "no numbers"),
            (padded, "is padded with -3000"),
            (moving.map(|v| 3.0 * v + 40.0), "differ in their tones"),
        ] {
            let request = ResidentRequest::new(sent(device, &fixed), sent(device, &changed), &method);
            let told = same(&session, request, PairRequest::new(&fixed, &changed, &method));
            assert!(told.len() == 1 && told[0].contains(why) && told[0].contains("memory of the host"), "{told:?}");
        }
        // An empty mask is refused as in memory.
        let nothing = fixed.map(|_| 0.0);
        let request = ResidentRequest {
            mask: Some(sent(device, &nothing)),
            ..ResidentRequest::new(sent(device, &fixed), sent(device, &moving), &method)
        };
        let refused = resident_pair(request, &session).unwrap_err().to_string();
        assert!(refused.contains("no voxel of the image lies inside"), "{refused}");
    }

    fn little_goes_over_the_bus(device: &Device) {
        let session = Session::on(device.clone());
        let grid = Grid::volume(96, 80, 64).unwrap();
        let volume = |shift: f32| Volume::from_fn(grid.clone(), move |[x, y, z]| {
            (0.3 * (x as f32 - shift)).sin() + (0.2 * y as f32).cos() + (0.25 * z as f32).sin()
        });
        let method = choice("lucas-kanade", "fast");
        let request = ResidentRequest::new(sent(device, &volume(0.0)), sent(device, &volume(0.5)), &method);
        let traffic = resident_pair(request, &session).unwrap().traffic;
        let image = 4 * grid.len() as u64;
        assert!(traffic.to_device_bytes < image / 2 && traffic.to_host_bytes < image / 2, "{traffic:?}, {image}");
    }
}
