//! Constants of the ranking, with the values that an evaluation gives them.

use session_search::{RankingConstant, RankingTuning};
use std::str::FromStr;

/// A constant of the ranking with another value than its default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TuningConstant {
    constant: RankingConstant,
    value: f32,
}

impl TuningConstant {
    /// Returns the constants of the ranking, these with their own values.
    pub fn apply_all(constants: &[Self]) -> RankingTuning {
        let mut tuning = RankingTuning::default();
        for given in constants {
            tuning.set(given.constant, given.value);
        }
        tuning
    }
}

/// Parses `base=0.7`.
impl FromStr for TuningConstant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || {
            let (name, value) = text.split_once('=')?;
            let constant = RankingConstant::ALL
                .into_iter()
                .find(|known| known.name() == name)?;
            let value = value
                .parse::<f32>()
                .ok()
                .filter(|value| (0.0..=1.0).contains(value))?;
            Some(Self { constant, value })
        };
        known().ok_or_else(|| {
            let names = RankingConstant::ALL.map(RankingConstant::name).join(", ");
            format!("not one of {names} with a number from 0 to 1, as in base=0.7")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_has_the_value_that_is_given_last() {
        let parse = |text: &str| text.parse::<TuningConstant>();
        let given = ["base=0.5", "base=0.25"].map(|text| parse(text).unwrap());
        assert_eq!(TuningConstant::apply_all(&given).dense_base_weight, 0.25);
        for wrong in ["base", "base=2", "bose=0.5", "base=x"] {
            assert!(parse(wrong).unwrap_err().contains("base, power"), "{wrong}");
        }
    }
}
