//! The fingerprint of the rules, by which an index tells whether what it holds was redacted by them.

use crate::redactor::Redactor;
use crate::rule::FILES;
use blake3::{Hash, Hasher};
use regex::Regex;
use std::sync::LazyLock;

/// Version of what is code: the rules by name, and which texts all rules look at. It is raised with each change after which
/// they find a secret that they did not find before. Then each index redacts what it holds again, once, which takes seconds.
const RULES_VERSION: u32 = 2;

/// Hash of the bundled rules: each change of `rules/` is one of the fingerprint.
static BUNDLED_RULES: LazyLock<Hash> = LazyLock::new(|| hash_rules(&FILES));

/// The fingerprint of a redactor that changes nothing.
const OFF: &str = "off";

impl Redactor {
    /// Returns a fingerprint of the bundled rules and the user's settings. It is a hash: a pattern may tell a secret.
    pub fn rules_fingerprint(&self) -> String {
        self.fingerprint_with(&BUNDLED_RULES)
    }

    fn fingerprint_with(&self, bundled: &Hash) -> String {
        if self.is_off {
            return OFF.to_owned();
        }
        let mut hash = Hasher::new();
        hash.update(&RULES_VERSION.to_le_bytes());
        hash.update(bundled.as_bytes());
        for list in [&self.patterns, &self.allow] {
            let patterns: Vec<&str> = list.iter().map(Regex::as_str).collect();
            hash.update(hash_rules(&patterns).as_bytes());
        }
        hash.finalize().to_hex().to_string()
    }

    /// Returns true if this redactor changes nothing.
    pub fn is_off(&self) -> bool {
        self.is_off
    }
}

fn hash_rules(rules: &[&str]) -> Hash {
    let mut hash = Hasher::new();
    for rule in rules {
        hash.update(&rule.len().to_le_bytes());
        hash.update(rule.as_bytes());
    }
    hash.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::RedactionSettings;

    fn fingerprint(patterns: &[&str], allow: &[&str]) -> String {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let settings = RedactionSettings {
            enabled: true,
            patterns: texts(patterns),
            allow: texts(allow),
        };
        Redactor::new(&settings).unwrap().rules_fingerprint()
    }

    #[test]
    fn each_setting_is_a_part_of_the_fingerprint() {
        let own = fingerprint(&[], &[]);
        assert_eq!(own, Redactor::default().rules_fingerprint());
        let others = [
            fingerprint(&["ab", "c"], &[]),
            fingerprint(&["a", "bc"], &[]),
            fingerprint(&["ab"], &["c"]),
            fingerprint(&[], &["ab", "c"]),
            Redactor::off().rules_fingerprint(),
        ];
        for (at, one) in others.iter().enumerate() {
            assert!(*one != own && !others[..at].contains(one), "{at}");
        }
    }

    #[test]
    fn the_bundled_rules_are_a_part_of_the_fingerprint() {
        let redactor = Redactor::default();
        let [first, second] = FILES;
        let fewer = hash_rules(&[first, &second[1..]]);
        assert_ne!(redactor.fingerprint_with(&fewer), fingerprint(&[], &[]));
    }

    #[test]
    fn a_fingerprint_tells_no_pattern() {
        assert!(!fingerprint(&["zq8lantern"], &[]).contains("zq8lantern"));
    }
}
