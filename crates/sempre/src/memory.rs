//! Budgets and figures of memory.

use std::fs;

/// Reads `50M`, `2G`, `1.5GiB`, `123456`: bytes, with powers of 1024.
///
/// ```
/// use sempre::memory::parse_size;
/// assert_eq!(parse_size("50M"), Ok(50 << 20));
/// assert_eq!(parse_size("1.5 GiB"), Ok(3 << 29));
/// assert!(parse_size("many").is_err());
/// ```
///
/// # Errors
/// A sentence that says what was expected.
pub fn parse_size(text: &str) -> Result<usize, String> {
    let wrong = || format!("`{text}` is not a size; write a number of bytes, or 50M, 2G");
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let number: f64 = text[..end].parse().map_err(|_| wrong())?;
    let unit = text[end..].trim().to_ascii_lowercase();
    let shift = match unit.trim_end_matches("ib").trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(wrong()),
    };
    let bytes = number * (1u64 << shift) as f64;
    if bytes.is_finite() && (1.0..=usize::MAX as f64).contains(&bytes) {
        Ok(bytes as usize)
    } else {
        Err(wrong())
    }
}

/// What a run may take if nobody says otherwise: nine tenths of what is free now, within the limits of
/// the control group. `None` where the system does not tell.
pub fn default_budget() -> Option<usize> {
    let free = field("/proc/meminfo", "MemAvailable:").map(|kib| kib * 1024);
    let group = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ]
    .iter()
    .filter_map(|path| fs::read_to_string(path).ok()?.trim().parse::<usize>().ok())
    .min();
    let least = free.into_iter().chain(group).min()?;
    Some(least / 10 * 9)
}

/// The most memory this process has had resident, in bytes.
pub fn peak() -> Option<usize> {
    field("/proc/self/status", "VmHWM:").map(|kib| kib * 1024)
}

/// The number after `name` in a file of the kernel.
fn field(path: &str, name: &str) -> Option<usize> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|l| l.starts_with(name))?;
    line[name.len()..].split_whitespace().next()?.parse().ok()
}
