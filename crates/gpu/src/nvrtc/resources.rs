//! Registers, spills and shared memory of a compiled kernel, read from the assembler's log.

/// Registers and memory that a kernel uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KernelResources {
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of spill stores and spill loads of a thread: values that did not fit its registers.
    pub spill_bytes: u32,
    /// Bytes of shared memory per block.
    pub shared_bytes: u32,
    /// Bytes of the stack frame of a thread.
    pub stack_bytes: u32,
}

impl KernelResources {
    /// Parses the log of `--ptxas-options=-v` for a source with one kernel; values that the log does not mention are 0.
    pub(super) fn of_log(log: &str) -> Self {
        let number = |unit| number_before(log, unit).unwrap_or(0);
        Self {
            registers: number(" registers"),
            spill_bytes: number(" bytes spill stores") + number(" bytes spill loads"),
            shared_bytes: number(" bytes smem"),
            stack_bytes: number(" bytes stack frame"),
        }
    }
}

fn number_before(log: &str, unit: &str) -> Option<u32> {
    let before = &log[..log.find(unit)?];
    let digits = before.rfind(|letter: char| !letter.is_ascii_digit()).map_or(0, |last| last + 1);
    before[digits..].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_before_their_units() {
        let log = "ptxas info    : Function properties for main\n\
                   ptxas         .     16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
                   ptxas info    : Used 19 registers, used 1 barriers, 1024 bytes smem, 400 bytes cmem[0]";
        let expected =
            KernelResources { registers: 19, spill_bytes: 20, shared_bytes: 1024, stack_bytes: 16 };
        assert_eq!(KernelResources::of_log(log), expected);
        assert_eq!(KernelResources::of_log(""), KernelResources::default());
    }
}
