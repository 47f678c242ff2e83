//! When models may embed in a process of their own.

use crate::battery::is_on_battery;
use crate::config::OnBattery;
use crate::home::{ChosenModel, Home};

impl Home {
    /// Returns true if the user lets a process go on by itself, now.
    pub fn allows_background(&self) -> bool {
        self.config.background && !self.is_background_paused()
    }

    /// Returns true while such a process has to wait for the mains.
    pub fn is_background_paused(&self) -> bool {
        self.config.on_battery == OnBattery::Pause && is_on_battery()
    }

    /// Returns true while the configuration, which may have changed since the process began, lets it embed by a model:
    /// texts must not go on to an endpoint that the user has left.
    pub fn continues_background(&self, chosen: &ChosenModel) -> bool {
        Self::from_process().is_ok_and(|now| self.agrees_with(&now, chosen))
    }

    fn agrees_with(&self, now: &Self, chosen: &ChosenModel) -> bool {
        let is_chosen = now.chosen_model().is_ok_and(|now| now == *chosen);
        now.config.background == self.config.background && is_chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_sources::Env;
    use std::path::Path;

    #[test]
    fn a_process_goes_on_while_its_model_is_chosen() {
        let env = Env::with_home(Path::new("/home/ann"));
        let home = Home::new(env, "/home/ann/index".into());
        let chosen = home.chosen_model().unwrap();
        let mut now = home.clone();
        assert!(home.agrees_with(&now, &chosen));
        now.config.model = "another".to_owned();
        assert!(!home.agrees_with(&now, &chosen));
        now = home.clone();
        now.config.background = !home.config.background;
        assert!(!home.agrees_with(&now, &chosen));
        now.config.background = false;
        assert!(!now.allows_background());
    }
}
