//! The constants of the ranking.

/// The constants of the ranking, in one place so that other values can be measured on a set
/// (`eval --tune`). One value of each serves all histories; `docs/ranking.md` says what they do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuning {
    /// Weight of the dense list where both lists found equally much, 0 to 1.
    pub base: f32,
    /// The power by which the strength of the lexical list follows what it is worth: less than
    /// in step, since words that are missing from the best turn are often only said otherwise.
    pub power: f32,
    /// The part of a turn's score that its session decides, 0 to 1.
    pub context: f32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            base: 0.35,
            power: 0.7,
            context: 0.4,
        }
    }
}

impl Tuning {
    /// The names that [`set`](Self::set) knows.
    pub const NAMES: [&'static str; 3] = ["base", "power", "context"];

    /// Sets the constant of a name; `None` where there is none, or the value is not in 0..=1.
    #[must_use]
    pub fn set(mut self, name: &str, value: f32) -> Option<Self> {
        let place = match name {
            "base" => &mut self.base,
            "power" => &mut self.power,
            "context" => &mut self.context,
            _ => return None,
        };
        *place = value;
        (0.0..=1.0).contains(&value).then_some(self)
    }
}
