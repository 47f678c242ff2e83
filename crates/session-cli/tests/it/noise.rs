//! What nobody looks for is not found, but shown.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::history::{docker, watcher};

const ID: &str = "e5000000-0000-4000-8000-000000000005";

#[test]
fn output_of_this_program_that_a_user_pasted_is_shown_and_not_found() {
    let own = TestEnvironment::indexed(&[docker(), watcher()]);
    for (option, heading) in [
        (&[][..], "SESSIONS"),
        (&["--depth", "2"], "TURNS"),
        (&["--json"], "\"hits\""),
    ] {
        let search = [&["search", "docker bridge"], option].concat();
        let pasted = own.run(&search).succeeded().stdout();
        let transcript = ClaudeTranscript::new(ID, "/home/ann/attic")
            .user("Where did we put the telescope tripod?")
            .assistant("In the attic.")
            .user(&pasted);
        let env = TestEnvironment::indexed(&[transcript, docker(), watcher()]);
        let deep = ["search", "docker bridge", "--depth", "2", "--session", ID];
        for ranking in [&[][..], &["--keyword-only"], &["--vector-only"]] {
            let answer = env.json(&[&deep, ranking].concat());
            let mut hits = answer["hits"].as_array().unwrap().iter();
            assert!(hits.all(|hit| hit["turn"] != 1), "{ranking:?}: {answer}");
        }
        let shown = env.run(&["show", &format!("{ID}:1")]).succeeded().stdout();
        assert!(shown.contains(heading), "{shown}");
    }
}
