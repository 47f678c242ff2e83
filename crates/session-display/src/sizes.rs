//! Sizes of files and disks.

/// Formats a size in kB, MB or GB, of 1000 each.
#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
pub fn format_size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        1_000_000..10_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        10_000_000..1_000_000_000 => format!("{:.0} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::format_size;

    #[test]
    fn a_size_has_the_largest_unit_of_which_it_has_one() {
        for (bytes, expected) in [
            (1, "1 kB"),
            (999_000, "999 kB"),
            (2_500_000, "2.5 MB"),
            (10_800_000, "11 MB"),
            (2_000_000_000, "2.0 GB"),
        ] {
            assert_eq!(format_size(bytes), expected);
        }
    }
}
