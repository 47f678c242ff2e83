//! Deserializers of settings that refuse values out of range.

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};

/// Deserializes a number from 0 to 1.
pub(crate) fn deserialize_fraction<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    deserialize_number(from, 1.0, "a number from 0 to 1")
}

/// Deserializes a number from 0 to 10.
pub(crate) fn deserialize_weight<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
    deserialize_number(from, 10.0, "a number from 0 to 10")
}

#[expect(clippy::cast_possible_truncation, reason = "at most 10")]
fn deserialize_number<'de, D: Deserializer<'de>>(
    from: D,
    most: f64,
    expected: &str,
) -> Result<f32, D::Error> {
    let number = f64::deserialize(from)?;
    if (0.0..=most).contains(&number) {
        Ok(number as f32)
    } else {
        Err(D::Error::invalid_value(
            Unexpected::Float(number),
            &expected,
        ))
    }
}

/// Deserializes a whole number from 1 to 100000.
pub(crate) fn deserialize_count<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    deserialize_integer(from, 1).map(|n| n as usize)
}

/// Deserializes a whole number from 0, which stands for none, to 100000.
pub(crate) fn deserialize_count_or_none<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<usize, D::Error> {
    deserialize_integer(from, 0).map(|n| n as usize)
}

/// Deserializes milliseconds, from 1 to 100000.
pub(crate) fn deserialize_millis<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    deserialize_integer(from, 1).map(i64::unsigned_abs)
}

/// Deserializes days, from 0 to 100000.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "0 to 100000"
)]
pub(crate) fn deserialize_days<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    deserialize_integer(from, 0).map(|n| n as u32)
}

/// Deserializes days from 0 to 100000, or -1 for no limit.
pub(crate) fn deserialize_days_or_unlimited<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<i64, D::Error> {
    deserialize_integer(from, -1)
}

fn deserialize_integer<'de, D: Deserializer<'de>>(from: D, least: i64) -> Result<i64, D::Error> {
    const MOST: i64 = 100_000;
    let number = i64::deserialize(from)?;
    let expected = format!("a whole number from {least} to {MOST}");
    if (least..=MOST).contains(&number) {
        Ok(number)
    } else {
        Err(D::Error::invalid_value(
            Unexpected::Signed(number),
            &expected.as_str(),
        ))
    }
}
