//! How much memory this program can still have.

use std::path::{Path, PathBuf};

/// Memory of the machine, shared by everything that runs on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemMemory {
    /// All memory of the machine, bytes.
    pub total_bytes: u64,
    /// What this program can still have without swapping, bytes: limits of its control group and of its process included.
    pub available_bytes: u64,
}

impl SystemMemory {
    /// The system's own figures (Linux: `/proc/meminfo`, control groups and resource limits); none where it has none.
    pub fn now() -> Option<Self> {
        let machine = Self::parse(&read("/proc/meminfo")?)?;
        let rooms = [group_room(), process_room()].into_iter().flatten();
        Some(Self { available_bytes: rooms.fold(machine.available_bytes, u64::min), ..machine })
    }

    fn parse(text: &str) -> Option<Self> {
        Some(Self {
            total_bytes: kilobytes(text, "MemTotal")?,
            available_bytes: kilobytes(text, "MemAvailable")?,
        })
    }
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The bytes of a line `Name:  123 kB`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The bytes that the control groups of this process leave: the least of all groups that hold it; none without a limit.
fn group_room() -> Option<u64> {
    let groups = read("/proc/self/cgroup")?;
    let (root, path, names) = groups.lines().find_map(group_of)?;
    let mut folder = PathBuf::from(root).join(path);
    let mut room: Option<u64> = None;
    loop {
        room = [room, room_in(&folder, names)].into_iter().flatten().min();
        // A container may not see the folders that its path names: those above count all the same.
        if folder == Path::new(root) || !folder.pop() {
            return room;
        }
    }
}

/// Names of the files that hold the limit, the use, and the part of the use that can be freed (a line of `memory.stat`).
type GroupFiles = [&'static str; 3];

/// Root and path of the memory group that a line of `/proc/self/cgroup` names, of version 2 or 1.
fn group_of(line: &str) -> Option<(&'static str, &str, GroupFiles)> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
    if controllers.is_empty() {
        return Some(("/sys/fs/cgroup", path, ["memory.max", "memory.current", "inactive_file "]));
    }
    let is_memory = controllers.split(',').any(|name| name == "memory");
    let names = ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "];
    is_memory.then_some(("/sys/fs/cgroup/memory", path, names))
}

fn room_in(folder: &Path, [limit, used, reclaimable]: GroupFiles) -> Option<u64> {
    let number = |name: &str| read(folder.join(name))?.trim().parse::<u64>().ok();
    let cached = read(folder.join("memory.stat")).unwrap_or_default();
    let cached = cached.lines().find_map(|line| line.strip_prefix(reclaimable)?.trim().parse::<u64>().ok());
    Some((number(limit)?.saturating_add(cached.unwrap_or(0))).saturating_sub(number(used)?))
}

/// The bytes that the resource limits of this process leave (`ulimit -v`, `ulimit -d`); none without a limit.
fn process_room() -> Option<u64> {
    let (limits, status) = (read("/proc/self/limits")?, read("/proc/self/status")?);
    let room = |limit: &str, used: &str| {
        let limit = limits.lines().find_map(|line| line.strip_prefix(limit))?;
        let limit = limit.split_whitespace().next()?.parse::<u64>().ok()?;
        Some(limit.saturating_sub(kilobytes(&status, used)?))
    };
    let rooms = [room("Max address space", "VmSize"), room("Max data size", "VmData")];
    rooms.into_iter().flatten().min()
}

/// A number of bytes, in units of 1024: `512 MiB`, `1.93 GiB`.
pub fn memory_size(bytes: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1000.0 && unit + 1 < units.len() {
        (value, unit) = (value / 1024.0, unit + 1);
    }
    let digits = if unit == 0 || value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {}", units[unit])
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

    #[test]
    fn a_group_is_found_and_leaves_what_is_not_used() {
        assert_eq!(group_of("0::/user.slice").map(|(_, path, _)| path), Some("user.slice"));
        assert_eq!(group_of("4:cpu,memory:/docker/1").map(|(_, path, _)| path), Some("docker/1"));
        assert_eq!(group_of("4:cpu:/docker/1"), None);
        let folder = std::env::temp_dir().join(format!("veloxel-group-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        let names = ["memory.max", "memory.current", "inactive_file "];
        assert_eq!(room_in(&folder, names), None);
        write("memory.current", "700\n");
        write("memory.max", "max\n");
        assert_eq!(room_in(&folder, names), None);
        write("memory.max", "1000\n");
        assert_eq!(room_in(&folder, names), Some(300));
        write("memory.stat", "anon 500\ninactive_file 100\n");
        assert_eq!(room_in(&folder, names), Some(400));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
