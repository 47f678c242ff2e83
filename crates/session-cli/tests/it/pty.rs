//! The program on a terminal, answered by whoever sits there.
#![cfg(unix)]

use crate::environment::{Ran, TestEnvironment};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// Runs a command whose stdin and stderr are a terminal on which `answer` is typed. What it shows
/// there is its stderr.
pub fn answered(env: &TestEnvironment, mut command: Command, answer: &str) -> Ran {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let open = || {
        let mut options = fs_err::OpenOptions::new();
        options.read(true).write(true);
        options.open(name.to_str().unwrap()).unwrap().into_parts().0
    };
    let mut controller = File::from(controller);
    controller.write_all(answer.as_bytes()).unwrap();
    let child = command
        .stdin(open())
        .stderr(open())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(command); // and with it the terminal's last handles of our own
    let reader = std::thread::spawn(move || {
        let (mut shown, mut part) = (Vec::new(), [0; 4096]);
        // A terminal whose last user is gone answers with an error.
        while let Ok(count @ 1..) = controller.read(&mut part) {
            shown.extend_from_slice(&part[..count]);
        }
        shown
    });
    let mut output = child.wait_with_output().unwrap();
    output.stderr = reader.join().unwrap();
    env.ran(output)
}
