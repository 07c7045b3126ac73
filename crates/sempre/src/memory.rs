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
/// the control group and of the address space (`ulimit -v`). `None` where the system does not tell.
pub fn default_budget() -> Option<usize> {
    let free = field("/proc/meminfo", "MemAvailable:").map(|kib| kib * 1024);
    let group = [
        "/sys/fs/cgroup/memory.max",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ]
    .iter()
    .filter_map(|path| fs::read_to_string(path).ok()?.trim().parse::<usize>().ok())
    .min();
    let space = address_space().map(|most| most.saturating_sub(mapped().unwrap_or(0)));
    let least = free.into_iter().chain(group).chain(space).min()?;
    Some(least / 10 * 9)
}

/// The most address space that this process may have, if there is a limit.
pub fn address_space() -> Option<usize> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
        let (soft, _) = getrlimit(Resource::RLIMIT_AS).ok()?;
        (soft != RLIM_INFINITY)
            .then(|| usize::try_from(soft).ok())
            .flatten()
    }
    #[cfg(not(unix))]
    None
}

/// The address space that this process has mapped, in bytes.
fn mapped() -> Option<usize> {
    field("/proc/self/status", "VmSize:").map(|kib| kib * 1024)
}

/// Asks again and again how much memory the process has resident.
#[derive(Debug)]
pub struct Resident {
    #[cfg(target_os = "linux")]
    statm: fs::File,
    #[cfg(target_os = "linux")]
    page: usize,
}

impl Resident {
    /// `None` where the system does not tell.
    pub fn new() -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            use nix::unistd::{SysconfVar, sysconf};
            let page = sysconf(SysconfVar::PAGE_SIZE).ok()??;
            Some(Self {
                statm: fs::File::open("/proc/self/statm").ok()?,
                page: usize::try_from(page).ok()?,
            })
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Bytes that are resident now.
    pub fn bytes(&self) -> Option<usize> {
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::fs::FileExt;
            let mut text = [0; 64];
            let length = self.statm.read_at(&mut text, 0).ok()?;
            let text = std::str::from_utf8(&text[..length]).ok()?;
            let pages: usize = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
            Some(pages * self.page)
        }
        #[cfg(not(target_os = "linux"))]
        None
    }
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
