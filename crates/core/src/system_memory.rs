//! How much memory the machine has.

/// Memory of the machine, shared by everything that runs on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemMemory {
    /// All of it, bytes.
    pub total_bytes: u64,
    /// What programs can still have without swapping, bytes.
    pub available_bytes: u64,
}

impl SystemMemory {
    /// What the system says (Linux: `/proc/meminfo`); none where it is not known.
    pub fn now() -> Option<Self> {
        Self::parse(&std::fs::read_to_string("/proc/meminfo").ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let bytes = |name: &str| {
            let rest = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
        };
        Some(Self { total_bytes: bytes("MemTotal")?, available_bytes: bytes("MemAvailable")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_bytes() {
        let text = "MemTotal:       16384 kB\nMemFree:         1024 kB\nMemAvailable:    8192 kB\n";
        let expected = SystemMemory { total_bytes: 16 << 20, available_bytes: 8 << 20 };
        assert_eq!(SystemMemory::parse(text), Some(expected));
        assert_eq!(SystemMemory::parse("MemTotal: 16384 kB\n"), None);
        assert_eq!(SystemMemory::parse("MemTotal: much kB\nMemAvailable: 1 kB\n"), None);
    }
}
