//! The adapters of each wgpu back end, and the reason where a back end has none.

use crate::listing::{DeviceInfo, ListedDevice};
use pollster::block_on;

/// Whether the system reports a graphics card. This check is cheap; to ask every driver takes longer than to process a
/// small image.
pub(crate) fn card_may_be_there() -> bool {
    !cfg!(target_os = "linux")
        || ["/dev/dri", "/dev/nvidiactl", "/dev/dxg", "/dev/kfd"]
            .iter()
            .any(|p| std::path::Path::new(p).exists())
}

/// The adapters of a kind, sorted: discrete GPUs, integrated GPUs, other devices, software on the processor.
pub(super) fn adapters(kind: &str) -> Vec<wgpu::Adapter> {
    let backends = match kind {
        "vulkan" => wgpu::Backends::VULKAN,
        "metal" => wgpu::Backends::METAL,
        "dx12" => wgpu::Backends::DX12,
        _ => wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
    };
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    let mut adapters = block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends));
    let rank = |adapter: &wgpu::Adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu | wgpu::DeviceType::Other => 2,
        wgpu::DeviceType::Cpu => 3,
    };
    adapters.sort_by_key(rank);
    adapters
}

pub(super) fn describe(adapter: &wgpu::Adapter, name: String) -> DeviceInfo {
    let info = adapter.get_info();
    let driver = format!("{} {}", info.driver, info.driver_info);
    let software = if info.device_type == wgpu::DeviceType::Cpu { ", in software" } else { "" };
    DeviceInfo {
        name,
        description: format!("{} ({:?}, {}{software})", info.name, info.backend, driver.trim()),
        memory_bytes: memory_bytes(adapter),
    }
}

/// Bytes of the largest memory heap that is local to the adapter. wgpu has no query for it, so Vulkan is asked
/// directly; `None` for other interfaces.
#[cfg(any(windows, all(unix, not(target_vendor = "apple"))))]
fn memory_bytes(adapter: &wgpu::Adapter) -> Option<u64> {
    /// `VK_MEMORY_HEAP_DEVICE_LOCAL_BIT`.
    const DEVICE_LOCAL: u32 = 1;
    // SAFETY: the adapter outlives everything borrowed from it here, and it is only queried.
    let memory = unsafe {
        let vulkan = adapter.as_hal::<wgpu::hal::api::Vulkan>()?;
        let instance = vulkan.shared_instance().raw_instance();
        instance.get_physical_device_memory_properties(vulkan.raw_physical_device())
    };
    let heaps = memory.memory_heaps_as_slice().iter();
    heaps.filter(|heap| heap.flags.as_raw() & DEVICE_LOCAL != 0).map(|heap| heap.size).max()
}

/// Always `None`: Metal shares the machine's memory and reports no part of it as its own.
#[cfg(not(any(windows, all(unix, not(target_vendor = "apple")))))]
fn memory_bytes(_: &wgpu::Adapter) -> Option<u64> {
    None
}

/// The kinds of adapter that can exist on this system.
const KINDS: &[&str] = if cfg!(target_os = "macos") {
    &["metal"]
} else if cfg!(windows) {
    &["vulkan", "dx12"]
} else {
    &["vulkan"]
};

pub(super) fn absent(kind: &str) -> String {
    if kind != "wgpu" && !KINDS.contains(&kind) {
        return "this system has no such interface".to_owned();
    }
    "no adapter was found; install the driver of the graphics card".to_owned()
}

/// All adapters; kinds without an adapter are listed with the reason.
pub(crate) fn list() -> Vec<ListedDevice> {
    let mut out = Vec::new();
    for kind in KINDS {
        let found = adapters(kind);
        if found.is_empty() {
            out.push(ListedDevice::Absent { name: (*kind).to_owned(), reason: absent(kind) });
        }
        out.extend(found.iter().enumerate().map(|(i, adapter)| {
            let name = if i == 0 { (*kind).to_owned() } else { format!("{kind}:{i}") };
            ListedDevice::Present(describe(adapter, name))
        }));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without an adapter the test checks nothing.
    #[test]
    fn vulkan_adapters_say_how_much_memory_they_have() {
        for listing in list() {
            if let ListedDevice::Present(info) = listing
                && info.name.starts_with("vulkan")
            {
                assert!(info.memory_bytes.is_some_and(|bytes| bytes >= 1 << 26), "{info:?}");
            }
        }
    }
}
