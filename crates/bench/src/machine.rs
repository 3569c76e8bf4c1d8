//! The machine of the measuring: no figure means anything without it.

use std::fs::read_to_string;

/// Processor, memory and kernel, in one line.
#[must_use]
pub fn describe() -> String {
    let after = |file: &str, name: &str| {
        let text = read_to_string(file).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
    };
    let processor = after("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let memory = after("/proc/meminfo", "MemTotal").and_then(|text| text.trim_end_matches(" kB").parse::<u64>().ok());
    let memory = memory.map_or_else(|| "unknown memory".to_owned(), |kib| format!("{} GiB", (kib + (1 << 19)) >> 20));
    let kernel = read_to_string("/proc/sys/kernel/osrelease").unwrap_or_else(|_| std::env::consts::OS.to_owned());
    format!("{} cores of {processor}, {memory}, Linux {}", cores(), kernel.trim())
}

/// How many threads can run at once.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
