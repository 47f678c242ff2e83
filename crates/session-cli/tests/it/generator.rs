//! A history made from a number: the same number, the same history.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::opencode::OpenCodeHistory;
use serde_json::json;
use std::ops::Range;

/// Marsaglia's xorshift, 64 bits.
pub struct XorShift(u64);

impl XorShift {
    pub fn new(seed: u64) -> Self {
        Self(seed.max(1))
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let at = self.below(from.len() as u64);
        from[usize::try_from(at).unwrap()]
    }
}

const VERBS: [&str; 12] = [
    "paint",
    "repair",
    "measure",
    "rename",
    "calibrate",
    "polish",
    "replace",
    "sketch",
    "solder",
    "translate",
    "trim",
    "weave",
];

const NOUNS: [&str; 24] = [
    "lantern",
    "harbour",
    "compass",
    "orchard",
    "kettle",
    "violin",
    "glacier",
    "meadow",
    "turbine",
    "saddle",
    "ledger",
    "anchor",
    "beacon",
    "cellar",
    "drawbridge",
    "ferry",
    "gearbox",
    "hinge",
    "inkwell",
    "jigsaw",
    "kiln",
    "loom",
    "mortar",
    "needle",
];

const LINKS: [&str; 6] = [
    "beside",
    "under",
    "without",
    "because of",
    "instead of",
    "after",
];

fn sentence(random: &mut XorShift, clauses: u64) -> String {
    let mut words = Vec::new();
    for _ in 0..clauses {
        words.push(format!(
            "{} the {} {}",
            random.pick(&VERBS),
            random.pick(&NOUNS),
            random.pick(&LINKS)
        ));
    }
    format!("{} the {}.", words.join(" "), random.pick(&NOUNS))
}

/// Writes sessions of Claude Code, with copies and titles among them, and some
/// of OpenCode. The first prompt of each names a lantern. What a session says
/// depends on its number alone; of the lower numbers of a range that was
/// written before, there is more to say.
pub fn generate(env: &TestEnvironment, numbers: Range<u64>) {
    generate_edition(env, numbers, 0);
}

/// The same with other words for each edition.
pub fn generate_edition(env: &TestEnvironment, numbers: Range<u64>, edition: u64) {
    let db = OpenCodeHistory::open(env);
    db.0.execute_batch("BEGIN").unwrap();
    let mut last: Option<ClaudeTranscript> = None;
    for number in numbers {
        let mut random = XorShift::new((edition << 32) + 0x5eed + number);
        let mut transcript = match last.take() {
            Some(earlier) if number % 7 == 3 => talk(earlier.resumed_as(&id(number)), &mut random),
            _ => talk(begin(number), &mut random),
        };
        if env.home(&transcript.path_in_home()).exists() {
            transcript = talk(transcript, &mut random);
        } else if number % 4 == 0 {
            exchange(&db, number, &mut random);
        }
        env.write_transcript(&transcript);
        last = Some(transcript);
    }
    db.0.execute_batch("COMMIT").unwrap();
}

fn exchange(db: &OpenCodeHistory, number: u64, random: &mut XorShift) {
    let said = [(); 2].map(|()| (sentence(random, 3), sentence(random, 12)));
    let said: Vec<_> = said
        .iter()
        .map(|(prompt, answer)| (prompt.as_str(), answer.as_str()))
        .collect();
    db.session(
        &format!("ses_{number:04}"),
        "/home/ann/atelier",
        &sentence(random, 1),
        &said,
    );
}

fn id(number: u64) -> String {
    format!("{number:08x}-0000-4000-8000-{:012x}", number * 7)
}

fn begin(number: u64) -> ClaudeTranscript {
    let at_ms = 1_767_600_000_000 + i64::try_from(number).unwrap() * 7_200_000;
    ClaudeTranscript::new(&id(number), &format!("/home/ann/atelier-{}", number % 5))
        .at_ms(at_ms)
        .user("Hang the lantern at the harbour gate")
}

fn talk(mut transcript: ClaudeTranscript, random: &mut XorShift) -> ClaudeTranscript {
    for _ in 0..1 + random.below(4) {
        let clauses = 1 + random.below(4);
        transcript = transcript.user(&sentence(random, clauses));
        if random.below(2) == 0 {
            let file = format!("/home/ann/atelier/{}.rs", random.pick(&NOUNS));
            transcript = transcript.call("Edit", json!({"file_path": file}), "done", false);
        }
        if random.below(3) == 0 {
            let output = format!("error: {} not found", random.pick(&NOUNS));
            transcript = transcript.bash(&format!("cat {}", random.pick(&NOUNS)), &output);
        }
        let clauses = 8 + random.below(60);
        transcript = transcript.assistant(&sentence(random, clauses));
    }
    if random.below(2) == 0 {
        transcript.title(&sentence(random, 1))
    } else {
        transcript
    }
}
