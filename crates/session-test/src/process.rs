//! Programs that are waited for, but not without end.

use std::io::Read;
use std::process::{Child, Output};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time that a test waits for what must come, on however slow a machine.
const DEADLINE: Duration = Duration::from_secs(120);

/// Waits for a condition, and panics with what `observed` says when it does not come.
#[track_caller]
pub fn wait_until(is_met: impl Fn() -> bool, observed: impl Fn() -> String) {
    let began = Instant::now();
    while !is_met() {
        assert!(
            began.elapsed() < DEADLINE,
            "still not after {DEADLINE:?}: {}",
            observed()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the output of a child whose streams are piped. A child that does not end is killed, and
/// the test fails.
#[track_caller]
pub fn output_in_time(mut child: Child) -> Output {
    let streams = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (stdout, stderr) = (read_to_end(streams.0), read_to_end(streams.1));
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > DEADLINE {
            child.kill().unwrap();
            panic!("the program did not end within {DEADLINE:?}");
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    Output {
        status,
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
    }
}

fn read_to_end(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        bytes
    })
}
