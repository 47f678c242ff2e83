//! Constants of the ranking, with the values that an evaluation gives them.

use session_search::RankingTuning;
use std::str::FromStr;

/// A constant of the ranking with another value than its default.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningConstant {
    name: String,
    value: f32,
}

impl TuningConstant {
    /// Returns the constants of the ranking, these with their own values.
    pub fn apply_all(constants: &[Self]) -> RankingTuning {
        let set = |tuning: RankingTuning, constant: &Self| {
            tuning.set(&constant.name, constant.value).unwrap_or(tuning)
        };
        constants.iter().fold(RankingTuning::default(), set)
    }
}

/// Parses `base=0.7`.
impl FromStr for TuningConstant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || {
            let (name, value) = text.split_once('=')?;
            let value = value.parse().ok()?;
            RankingTuning::default().set(name, value)?;
            let name = name.to_owned();
            Some(Self { name, value })
        };
        known().ok_or_else(|| {
            let names = RankingTuning::NAMES.join(", ");
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
