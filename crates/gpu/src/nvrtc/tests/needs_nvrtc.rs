//! Tests that compile sources with the NVRTC found on this machine.

use super::super::*;
use veloxel_testkit::every_device::here;

/// NVRTC without a cache.
fn nvrtc() -> Nvrtc {
    here("nvrtc", Nvrtc::find()).with_cache(Cache::none())
}

const KERNEL: &str = "extern \"C\" __global__ void twice(float* x) {
    __shared__ float held[32];
    held[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = held[31 - threadIdx.x] + held[threadIdx.x];
}";

#[test]
fn a_kernel_becomes_machine_code() {
    let nvrtc = nvrtc();
    assert!(nvrtc.version().0 >= 11, "{:?}", nvrtc.version());
    let compiled = nvrtc.compile(KERNEL, "twice", ComputeCapability::new(9, 0)).unwrap();
    let CompiledImage::Cubin(image) = compiled.image else { panic!("{:?}", compiled.image) };
    assert_eq!(&image[..4], b"\x7fELF");
    assert_eq!(compiled.log, "");
}

#[test]
fn resources_are_told() {
    let nvrtc = nvrtc();
    let folder = tempfile::tempdir().unwrap();
    let nvrtc = nvrtc.with_cache(Cache::at(folder.path()));
    let resources = nvrtc.resources(KERNEL, "twice", ComputeCapability::new(9, 0)).unwrap();
    assert_eq!((resources.shared_bytes, resources.spill_bytes, resources.stack_bytes), (128, 0, 0));
    assert!((4..=64).contains(&resources.registers), "{resources:?}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    assert_eq!(
        nvrtc.resources(KERNEL, "twice", ComputeCapability::new(9, 0)).unwrap(),
        resources,
        "from disk"
    );
}

#[test]
fn younger_gpus_get_assembly_and_older_ones_a_reason() {
    let nvrtc = nvrtc();
    let young = nvrtc.compile(KERNEL, "twice", ComputeCapability::new(99, 0)).unwrap();
    let CompiledImage::Ptx(text) = young.image else { panic!("{:?}", young.image) };
    assert!(String::from_utf8_lossy(&text).contains(".visible .entry twice"));
    assert_eq!(text.last(), Some(&0));
    let old = nvrtc.compile(KERNEL, "twice", ComputeCapability::new(1, 0)).unwrap_err();
    assert!(old.to_string().contains("not 1.0: install an older one"), "{old}");
}

#[test]
fn compilers_younger_than_the_driver_are_passed_over() {
    let nvrtc = nvrtc();
    let major = nvrtc.version().0;
    assert_eq!(Nvrtc::find_for(major).unwrap().version(), nvrtc.version());
    let error = Nvrtc::find_for(1).unwrap_err().to_string();
    assert!(error.contains("is too young for the driver, which knows CUDA 1"), "{error}");
}

#[test]
fn errors_name_the_kernel_and_the_line() {
    let nvrtc = nvrtc();
    let error = nvrtc
        .compile("\n__global__ void k() { nothing(); }", "broken", ComputeCapability::new(9, 0))
        .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("`broken`") && text.contains("broken(2)"), "{text}");
}

#[test]
fn the_second_time_comes_from_disk() {
    let nvrtc = nvrtc();
    let folder = tempfile::tempdir().unwrap();
    let nvrtc = nvrtc.with_cache(Cache::at(folder.path()));
    let first = nvrtc.cached(KERNEL, "twice", ComputeCapability::new(9, 0)).unwrap();
    let files =
        || -> Vec<_> { std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect() };
    let [file] = &files()[..] else { panic!("{:?}", files()) };
    let written = std::fs::metadata(file).unwrap().modified().unwrap();
    assert_eq!(nvrtc.cached(KERNEL, "twice", ComputeCapability::new(9, 0)).unwrap(), first);
    assert_eq!(std::fs::metadata(file).unwrap().modified().unwrap(), written);
    std::fs::write(file, "damaged").unwrap();
    assert_eq!(nvrtc.cached(KERNEL, "twice", ComputeCapability::new(9, 0)).unwrap(), first);
    nvrtc.cached(KERNEL, "twice", ComputeCapability::new(8, 0)).unwrap();
    assert_eq!(files().len(), 2);
}
