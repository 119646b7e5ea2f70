//! Memory that lies on several GPUs under one range of addresses.

use super::links::Transport;
use cudarc::driver::{CudaContext, DriverError, result, sys};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of bytes from which memory is spread, those of a volume of 128³: what uses less is done sooner by the first GPU alone
/// than with a wait for each other, of some 13 µs.
pub(super) const LEAST_BYTES: usize = 8 << 20;

/// The memory of all GPUs.
pub(in super::super) struct SpreadMemory {
    contexts: Vec<Arc<CudaContext>>,
    transport: Transport,
    /// Memory is divided into pieces of a multiple of so many bytes.
    grain: usize,
    /// The pieces of each range of addresses.
    ranges: Mutex<HashMap<sys::CUdeviceptr, Range>>,
}

/// A range of addresses, and the pieces of memory behind it, which GPUs have in order.
#[derive(Default)]
struct Range {
    bytes: usize,
    pieces: Vec<sys::CUmemGenericAllocationHandle>,
}

impl SpreadMemory {
    pub fn new(contexts: &[Arc<CudaContext>], transport: Transport) -> Result<Self, DriverError> {
        let mut grain = 1;
        let recommended = sys::CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED;
        for context in contexts {
            context.bind_to_thread()?;
            let mut own = 0;
            // SAFETY: it writes one number.
            unsafe { sys::cuMemGetAllocationGranularity(&mut own, &on(context), recommended) }.result()?;
            grain = grain.max(own);
        }
        contexts[0].bind_to_thread()?;
        Ok(Self { contexts: contexts.to_vec(), transport, grain, ranges: Mutex::default() })
    }

    /// Allocates memory that all GPUs reach, spread over them if it is large; `None` if there is not enough.
    pub fn allocate(&self, bytes: usize) -> Option<sys::CUdeviceptr> {
        self.contexts[0].bind_to_thread().ok()?;
        match self.transport {
            Transport::Host => {
                let all = sys::CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL;
                // SAFETY: every user writes the memory before it reads it.
                unsafe { result::malloc_managed(bytes, all) }.ok()
            }
            // SAFETY: as above.
            Transport::Peer if bytes < LEAST_BYTES => unsafe { result::malloc_sync(bytes) }.ok(),
            Transport::Peer => self.spread(bytes).ok(),
        }
    }

    /// Frees memory that was allocated here, which no work uses any more.
    pub fn free(&self, address: sys::CUdeviceptr) {
        let range = self.ranges.lock().unwrap_or_else(PoisonError::into_inner).remove(&address);
        // The driver waits for all work of a GPU before it frees memory.
        let _in_one_order = super::in_one_order();
        // A failed device's memory is lost with it.
        let _ = match range {
            // SAFETY: mapped by `spread`, and in use no more.
            Some(range) => unsafe { release(address, &range) },
            // SAFETY: allocated above, and in use no more.
            None => unsafe { result::free_sync(address) },
        };
    }

    /// Whether memory of so many bytes lies on all GPUs.
    pub fn is_spread(&self, bytes: usize) -> bool {
        bytes >= LEAST_BYTES
    }

    /// The bytes of a range that lie on a GPU.
    fn share(&self, bytes: usize, nth: usize) -> std::ops::Range<usize> {
        let (grains, count) = (bytes / self.grain, self.contexts.len());
        grains * nth / count * self.grain..grains * (nth + 1) / count * self.grain
    }

    fn spread(&self, bytes: usize) -> Result<sys::CUdeviceptr, DriverError> {
        let bytes = bytes.next_multiple_of(self.grain);
        let mut address = 0;
        // SAFETY: it writes one address.
        unsafe { sys::cuMemAddressReserve(&mut address, bytes, 0, 0, 0) }.result()?;
        let mut range = Range { bytes, pieces: Vec::new() };
        match self.fill(address, &mut range) {
            Ok(()) => {
                self.ranges.lock().unwrap_or_else(PoisonError::into_inner).insert(address, range);
                Ok(address)
            }
            Err(error) => {
                // SAFETY: reserved above, and nobody knows of it.
                let _ = unsafe { release(address, &range) };
                Err(error)
            }
        }
    }

    /// Puts memory of each GPU behind its share of the addresses, and lets all GPUs access it.
    fn fill(&self, address: sys::CUdeviceptr, range: &mut Range) -> Result<(), DriverError> {
        for (nth, context) in self.contexts.iter().enumerate() {
            let share = self.share(range.bytes, nth);
            // There are more GPUs than pieces.
            if share.is_empty() {
                continue;
            }
            let mut piece = 0;
            // SAFETY: the handle is written, and released with the range; the addresses are reserved.
            unsafe {
                sys::cuMemCreate(&mut piece, share.len(), &on(context), 0).result()?;
                range.pieces.push(piece);
                sys::cuMemMap(address + share.start as u64, share.len(), 0, piece, 0).result()?;
            }
        }
        let both = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let access =
            |context: &Arc<CudaContext>| sys::CUmemAccessDesc { location: on(context).location, flags: both };
        let all: Vec<_> = self.contexts.iter().map(access).collect();
        // SAFETY: the whole range is mapped, and the descriptions are read at once.
        unsafe { sys::cuMemSetAccess(address, range.bytes, all.as_ptr(), all.len()) }.result()
    }
}

/// Memory of a GPU that can be mapped to addresses.
fn on(context: &CudaContext) -> sys::CUmemAllocationProp {
    sys::CUmemAllocationProp {
        type_: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        location: sys::CUmemLocation {
            type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            id: context.cu_device(),
        },
        win32HandleMetaData: std::ptr::null_mut(),
        allocFlags: sys::CUmemAllocationProp_st__bindgen_ty_1 {
            compressionType: 0,
            gpuDirectRDMACapable: 0,
            usage: 0,
            reserved: [0; 4],
        },
    }
}

/// Gives the addresses of a range and the memory behind them back.
///
/// # Safety
/// The range begins at the address, and no work uses it any more.
unsafe fn release(address: sys::CUdeviceptr, range: &Range) -> Result<(), DriverError> {
    // SAFETY: promised by the caller; addresses behind which nothing was mapped yet are refused, which is no harm.
    unsafe {
        let unmapped = sys::cuMemUnmap(address, range.bytes).result();
        range.pieces.iter().try_for_each(|&piece| sys::cuMemRelease(piece).result())?;
        sys::cuMemAddressFree(address, range.bytes).result()?;
        unmapped
    }
}
