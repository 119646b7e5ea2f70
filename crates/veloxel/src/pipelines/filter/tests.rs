//! Tests of the filters.

use super::*;
use crate::VeloxelError;
use veloxel_core::CoreError;

fn filtered(image: &Volume<f32>, filter: &Filter) -> Result<Volume<f32>> {
    let session = Session::on(Device::cpu(2).unwrap());
    let request = FilterRequest { image: image.into(), filter, name: "the image" };
    Ok(super::filter(&request, &session)?.image)
}

/// A volume of waves on an anisotropic grid that is somewhere.
fn waves() -> Volume<f32> {
    let grid = Grid::volume(12, 10, 8).unwrap().with_spacing_mm([1.0, 1.5, 2.0]).unwrap();
    let samples = (0..grid.len()).map(|i| (i as f32 * 0.37).sin() + 2.0).collect();
    Volume::new(grid.with_origin_mm([5.0, -3.0, 40.0]), samples).unwrap()
}

#[test]
fn a_gaussian_keeps_a_plane_and_the_mean_of_a_point() {
    let grid = Grid::image(41, 31).unwrap();
    let slope = |i: usize| (i % 41) as f32;
    let plane = Volume::new(grid.clone(), (0..grid.len()).map(slope).collect()).unwrap();
    let smooth = filtered(&plane, &Filter::Gaussian { sigma_vox: vec![2.0, 1.0] }).unwrap();
    for (i, (a, b)) in plane.data().iter().zip(smooth.data()).enumerate() {
        assert!((6..35).contains(&(i % 41)) <= ((a - b).abs() < 1e-4), "{i}: {a} {b}");
    }
    let mut point = vec![0.0; grid.len()];
    point[15 * 41 + 20] = 1.0;
    let spread =
        filtered(&Volume::new(grid, point).unwrap(), &Filter::Gaussian { sigma_vox: vec![1.5] }).unwrap();
    assert!((spread.data().iter().sum::<f32>() - 1.0).abs() < 1e-5);
    let variance: f32 =
        spread.data().iter().enumerate().map(|(i, v)| v * ((i % 41) as f32 - 20.0).powi(2)).sum();
    assert!((variance - 2.25).abs() < 0.1, "{variance}");
}

#[test]
fn resampling_keeps_the_extent_and_a_size_of_its_own_changes_nothing() {
    let image = waves();
    let same = filtered(&image, &Filter::Resample { size: vec![12, 10, 8] }).unwrap();
    assert_eq!(same, image);
    let corner = |grid: &Grid, end: f64| {
        let size = grid.size();
        grid.world_from_voxel([0, 1, 2].map(|axis| -0.5 + end * size[axis] as f64))
    };
    for size in [[24, 10, 8], [6, 20, 3], [5, 5, 5]] {
        let other = filtered(&image, &Filter::Resample { size: size.to_vec() }).unwrap();
        assert_eq!(other.grid().size(), size);
        for end in [0.0, 1.0] {
            let [own, other] = [corner(image.grid(), end), corner(other.grid(), end)];
            assert!((0..3).all(|axis| (own[axis] - other[axis]).abs() < 1e-9), "{own:?} {other:?}");
        }
    }
}

#[test]
fn weights_are_taken_as_they_are() {
    let image = Volume::new(Grid::image(4, 1).unwrap(), vec![1.0, 2.0, 4.0, 8.0]).unwrap();
    let settings = FilterSettings { taps: Some(vec![-1.0, 3.0, -1.0]), ..FilterSettings::default() };
    let sharp = filtered(&image, &Filter::of("convolution", &settings).unwrap()).unwrap();
    // One row: along y the neighbours of a sample are itself.
    assert_eq!(sharp.data(), [0.0, 1.0, 2.0, 12.0]);
    let double = FilterSettings { taps: Some(vec![2.0]), ..FilterSettings::default() };
    let doubled = filtered(&image, &Filter::of("convolution", &double).unwrap()).unwrap();
    assert_eq!(doubled.data(), [4.0, 8.0, 16.0, 32.0], "along both axes");
}

#[test]
fn mistakes_are_told() {
    let none = FilterSettings::default();
    let sigma = |got: f64| FilterSettings { sigma_vox: Some(vec![got]), ..none.clone() };
    let taps = |taps: &[f64]| FilterSettings { taps: Some(taps.to_vec()), ..none.clone() };
    for (name, settings, says) in [
        ("gauss", none.clone(), "gaussian, resample, convolution"),
        ("gaussian", none.clone(), "needs a standard deviation"),
        ("gaussian", sigma(0.0), "(0, 333]"),
        ("gaussian", sigma(f64::NAN), "(0, 333]"),
        ("resample", sigma(1.0), "does not use a standard deviation"),
        ("convolution", taps(&[1.0, 2.0]), "there are 2"),
        ("convolution", taps(&[1.0, 2.0, 3.0]), "1 is not 3"),
        ("convolution", taps(&[f64::INFINITY]), "one is inf"),
    ] {
        let text = Filter::of(name, &settings).unwrap_err().to_string();
        assert!(text.contains(says) && !text.contains('\n'), "{text}");
    }
    let image = waves();
    let error = filtered(&image, &Filter::Resample { size: vec![4, 4] }).unwrap_err();
    assert!(error.to_string().contains("3 axes"), "{error}");
    let error = filtered(&image, &Filter::Resample { size: vec![4, 0, 4] }).unwrap_err();
    assert!(matches!(error, VeloxelError::Core(CoreError::Size { .. })), "{error}");
    let hole = Volume::new(Grid::image(2, 1).unwrap(), vec![1.0, f32::NAN]).unwrap();
    let error = filtered(&hole, &Filter::Gaussian { sigma_vox: vec![1.0] }).unwrap_err();
    assert!(matches!(error, VeloxelError::Core(CoreError::NotFinite { .. })), "{error}");
}
