//! What the machine has to spare.

/// True on a machine that runs on its battery.
#[cfg(target_os = "linux")]
pub fn is_on_battery() -> bool {
    let supplies = fs_err::read_dir("/sys/class/power_supply");
    let supplies = supplies.into_iter().flatten().flatten();
    let mut states = supplies.filter_map(|s| fs_err::read_to_string(s.path().join("status")).ok());
    states.any(|state| state.trim() == "Discharging")
}

/// True on a machine that runs on its battery.
#[cfg(target_os = "macos")]
pub fn is_on_battery() -> bool {
    let told = std::process::Command::new("pmset")
        .args(["-g", "batt"])
        .output();
    told.is_ok_and(|told| String::from_utf8_lossy(&told.stdout).contains("Battery Power"))
}

/// Not known here.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub fn is_on_battery() -> bool {
    false
}

/// Leaves the terminal that this process was started from, and lets others go
/// first. Where the system refuses, it goes on as it is.
#[cfg(unix)]
pub fn stand_back(nice: i8) {
    let _ = rustix::process::setsid();
    let _ = rustix::process::nice(i32::from(nice));
}

/// Nothing to do here.
#[cfg(not(unix))]
pub fn stand_back(_: i8) {}
