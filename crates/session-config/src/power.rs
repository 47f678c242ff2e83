//! Battery power and scheduling priority.

/// True while the machine is on battery power.
#[cfg(target_os = "linux")]
pub fn is_on_battery() -> bool {
    let supplies = fs_err::read_dir("/sys/class/power_supply");
    let supplies = supplies.into_iter().flatten().flatten();
    let mut states = supplies.filter_map(|s| fs_err::read_to_string(s.path().join("status")).ok());
    states.any(|state| state.trim() == "Discharging")
}

/// True while the machine is on battery power.
#[cfg(target_os = "macos")]
pub fn is_on_battery() -> bool {
    let output = std::process::Command::new("pmset")
        .args(["-g", "batt"])
        .output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Battery Power"))
}

/// Returns false: no other system is asked.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn is_on_battery() -> bool {
    false
}

/// Detaches this process from its terminal and lowers its scheduling priority; a refusal of the system
/// is ignored.
#[cfg(unix)]
pub fn lower_priority(nice: i8) {
    let _ = rustix::process::setsid();
    let _ = rustix::process::nice(i32::from(nice));
}

/// Does nothing: no other system is supported.
#[cfg(not(unix))]
pub fn lower_priority(_: i8) {}
