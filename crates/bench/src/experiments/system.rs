//! What a machine is, as the papers' tables of systems say it.

use serde::{Deserialize, Serialize};
use std::fs;
use veloxel_core::SystemMemory;
use veloxel_gpu::{Device, ErrorCorrection};

/// A property of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemFact {
    /// Name of the property: `host memory`.
    pub what: String,
    /// The value, for people; `–` where the machine does not tell it.
    pub value: String,
}

/// Names of the properties, in the order of [`system_facts`].
pub(crate) const FACTS: [&str; 7] = [
    "host processor",
    "host threads",
    "host memory",
    "operating system",
    "GPU",
    "GPU memory",
    "ECC of the GPU",
];

/// The properties of this machine and of a device; those of a GPU are `–` where the device is the processor.
pub fn system_facts(device: &Device) -> Vec<SystemFact> {
    let dash = || "–".to_owned();
    let gpu = device.is_gpu().then(|| device.info());
    let threads = std::thread::available_parallelism().map_or_else(|_| dash(), |count| count.to_string());
    let values = [
        processor().unwrap_or_else(dash),
        threads,
        SystemMemory::now().map_or_else(dash, |memory| gib(memory.total_bytes)),
        operating_system(),
        gpu.as_ref().map_or_else(dash, |info| info.description.clone()),
        gpu.and_then(|info| info.memory_bytes).map_or_else(dash, gib),
        error_correction(device).to_owned(),
    ];
    let fact = |(what, value): (&str, String)| SystemFact { what: what.to_owned(), value };
    FACTS.into_iter().zip(values).map(fact).collect()
}

/// The state of a GPU's error correction in one word.
pub(crate) fn error_correction(device: &Device) -> &'static str {
    match device.error_correction() {
        Some(ErrorCorrection::On) => "on",
        Some(ErrorCorrection::Off) => "off",
        None => "–",
    }
}

fn gib(bytes: u64) -> String {
    format!("{:.0} GiB", bytes as f64 / f64::from(1 << 30))
}

/// The processor's name, where the system has a file that tells it.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn operating_system() -> String {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {}, {}", std::env::consts::OS, kernel.trim(), std::env::consts::ARCH).replace(" ,", ",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_has_every_property_and_those_of_no_gpu() {
        let facts = system_facts(&Device::cpu(1).unwrap());
        let value = |what: &str| facts.iter().find(|fact| fact.what == what).unwrap().value.as_str();
        assert_eq!(facts.len(), FACTS.len());
        assert!(facts.iter().all(|fact| !fact.value.is_empty()), "{facts:?}");
        assert!(value("host memory").ends_with(" GiB"), "{facts:?}");
        assert_eq!([value("GPU"), value("GPU memory"), value("ECC of the GPU")], ["–"; 3]);
    }
}
