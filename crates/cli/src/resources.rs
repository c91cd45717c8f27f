//! Time, memory and signals of our own process.

use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Processor seconds of this process, children excluded.
pub(crate) fn cpu_seconds() -> f64 {
    let t = clock_gettime(ClockId::ProcessCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// Processor seconds of children that have ended.
pub(crate) fn children_cpu_seconds() -> f64 {
    const TICKS: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(13) + ticks(14)) / TICKS // cutime and cstime
}

fn status_kib(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Resident memory now.
pub(crate) fn memory_bytes() -> u64 {
    1024 * status_kib("VmRSS:")
}

/// The most resident memory there ever was.
pub(crate) fn memory_peak_bytes() -> u64 {
    1024 * status_kib("VmHWM:")
}

/// Makes a file that grows too large (`ulimit -f`) an error to report instead of the end of the process.
pub(crate) fn survive_large_files() {
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// A flag that Ctrl-C sets; a second one ends the process at once.
pub(crate) fn interrupt_flag() -> Arc<AtomicBool> {
    const INTERRUPTED: i32 = 130;
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without the handler Ctrl-C still ends the process, and no test found is lost.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&flag));
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    flag
}
