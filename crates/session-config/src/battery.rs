//! Battery power.

#[cfg(target_os = "linux")]
use std::path::Path;
#[cfg(target_os = "macos")]
use std::process::Command;

/// Returns true while the machine is on battery power.
#[cfg(target_os = "linux")]
pub(crate) fn is_on_battery() -> bool {
    has_discharging_supply(Path::new("/sys/class/power_supply"))
}

/// Returns true if a supply of the machine itself discharges: a folder as `/sys/class/power_supply` has those of
/// wireless mice, too, whose `scope` is `Device`.
#[cfg(target_os = "linux")]
fn has_discharging_supply(supplies: &Path) -> bool {
    let supplies = fs_err::read_dir(supplies).into_iter().flatten().flatten();
    let has = |supply: &Path, file: &str, value: &str| {
        let text = fs_err::read_to_string(supply.join(file));
        text.is_ok_and(|text| text.trim() == value)
    };
    supplies
        .map(|supply| supply.path())
        .any(|supply| has(&supply, "status", "Discharging") && !has(&supply, "scope", "Device"))
}

/// Returns true while the machine is on battery power.
#[cfg(target_os = "macos")]
pub(crate) fn is_on_battery() -> bool {
    let output = Command::new("/usr/bin/pmset").args(["-g", "batt"]).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Battery Power"))
}

/// Returns false: on other systems the power supply is not read.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) fn is_on_battery() -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_a_battery_of_the_machine_itself_counts() {
        let folder = tempfile::tempdir().unwrap();
        let supply = |name: &str, files: &[(&str, &str)]| {
            let supply = folder.path().join(name);
            fs_err::create_dir_all(&supply).unwrap();
            for (file, text) in files {
                fs_err::write(supply.join(file), format!("{text}\n")).unwrap();
            }
        };
        supply("AC", &[("online", "1")]);
        supply("mouse", &[("status", "Discharging"), ("scope", "Device")]);
        supply("BAT0", &[("status", "Charging")]);
        assert!(!has_discharging_supply(folder.path()));
        for files in [
            &[("status", "Discharging")][..],
            &[("status", "Discharging"), ("scope", "System")],
        ] {
            supply("BAT0", files);
            assert!(has_discharging_supply(folder.path()));
        }
        assert!(!has_discharging_supply(&folder.path().join("none")));
    }
}
