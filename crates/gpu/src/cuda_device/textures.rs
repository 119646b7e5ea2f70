//! Textures of CUDA: a buffer's own samples as a line, or a copy in an array of three dimensions.

use super::queues::Queues;
use crate::textures::{OwnedTexture, TextureLayout};
use cudarc::driver::{CudaContext, DriverError, sys};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use veloxel_core::Axes;

/// A texture object with the array that it reads, if it has one of its own; both are destroyed with this, after all work.
struct CudaTexture {
    object: sys::CUtexObject,
    array: Option<Array>,
    context: Arc<CudaContext>,
    queues: Arc<Queues>,
}

/// An array of a texture's own; destroyed with this.
struct Array(sys::CUarray);

// SAFETY: an array's handle may be used from any thread that has its context current.
unsafe impl Send for Array {}
// SAFETY: as above.
unsafe impl Sync for Array {}

impl Drop for Array {
    fn drop(&mut self) {
        // SAFETY: the array is destroyed once; an error of the driver comes again at the next call.
        let _ = unsafe { sys::cuArrayDestroy(self.0) };
    }
}

impl Drop for CudaTexture {
    fn drop(&mut self) {
        // Errors of the driver come again at the next call.
        let _ = self.queues.queue().synchronise();
        let _ = self.context.bind_to_thread();
        // SAFETY: the object is destroyed once, before the array that it reads, and no work that uses it is left.
        let _ = unsafe { sys::cuTexObjectDestroy(self.object) };
        drop(self.array.take());
    }
}

/// Makes a texture of the samples at an address, which all work has written.
pub(super) fn texture(
    context: Arc<CudaContext>,
    queues: Arc<Queues>,
    address: sys::CUdeviceptr,
    size: Axes<usize>,
    layout: TextureLayout,
) -> Result<OwnedTexture, DriverError> {
    context.bind_to_thread()?;
    let array = match layout {
        TextureLayout::Line => None,
        TextureLayout::Volume => Some(filled_array(address, size)?),
    };
    let object = object(array.as_ref(), address, size)?;
    let owned = CudaTexture { object, array, context, queues };
    Ok(OwnedTexture { handle: owned.object, owned: Box::new(owned) })
}

/// An array that holds a copy of a volume.
fn filled_array(address: sys::CUdeviceptr, size: Axes<usize>) -> Result<Array, DriverError> {
    let [width, height, depth] = size;
    let descriptor = sys::CUDA_ARRAY3D_DESCRIPTOR {
        Width: width,
        Height: height,
        Depth: depth,
        Format: sys::CUarray_format::CU_AD_FORMAT_FLOAT,
        NumChannels: 1,
        Flags: 0,
    };
    let mut array = null_mut();
    // SAFETY: both point to values that live until the call returns.
    unsafe { sys::cuArray3DCreate_v2(&mut array, &descriptor) }.result()?;
    let array = Array(array);
    let row_bytes = width * size_of::<f32>();
    let copy = sys::CUDA_MEMCPY3D {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
        srcHost: null(),
        srcDevice: address,
        srcArray: null_mut(),
        reserved0: null_mut(),
        srcPitch: row_bytes,
        srcHeight: height,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_ARRAY,
        dstHost: null_mut(),
        dstDevice: 0,
        dstArray: array.0,
        reserved1: null_mut(),
        dstPitch: 0,
        dstHeight: 0,
        WidthInBytes: row_bytes,
        Height: height,
        Depth: depth,
    };
    // SAFETY: the source holds the volume, the array has its size, and both live; copies on the device may still run when the
    // call returns, so the context is waited for.
    unsafe { sys::cuMemcpy3D_v2(&copy).result()? };
    // SAFETY: it only waits.
    unsafe { sys::cuCtxSynchronize().result()? };
    Ok(array)
}

/// A texture object over an array, or over the samples themselves; coordinates count samples, and nothing is interpolated.
fn object(
    array: Option<&Array>,
    address: sys::CUdeviceptr,
    size: Axes<usize>,
) -> Result<sys::CUtexObject, DriverError> {
    use sys::CUresourcetype::{CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_LINEAR};
    use sys::{
        CUDA_RESOURCE_DESC_st__bindgen_ty_1 as Resource,
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 as ArrayResource,
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 as LineResource,
    };
    let line = LineResource {
        devPtr: address,
        format: sys::CUarray_format::CU_AD_FORMAT_FLOAT,
        numChannels: 1,
        sizeInBytes: size.iter().product::<usize>() * size_of::<f32>(),
    };
    let (kind, resource) = match array {
        Some(array) => (CU_RESOURCE_TYPE_ARRAY, Resource { array: ArrayResource { hArray: array.0 } }),
        None => (CU_RESOURCE_TYPE_LINEAR, Resource { linear: line }),
    };
    let resource = sys::CUDA_RESOURCE_DESC { resType: kind, res: resource, flags: 0 };
    let reading = sys::CUDA_TEXTURE_DESC {
        addressMode: [sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP; 3],
        filterMode: sys::CUfilter_mode::CU_TR_FILTER_MODE_POINT,
        flags: 0,
        maxAnisotropy: 0,
        mipmapFilterMode: sys::CUfilter_mode::CU_TR_FILTER_MODE_POINT,
        mipmapLevelBias: 0.0,
        minMipmapLevelClamp: 0.0,
        maxMipmapLevelClamp: 0.0,
        borderColor: [0.0; 4],
        reserved: [0; 12],
    };
    let mut object = 0;
    // SAFETY: all pointers are to values that live until the call returns, or null where the driver takes none.
    unsafe { sys::cuTexObjectCreate(&mut object, &resource, &reading, null()) }.result()?;
    Ok(object)
}
