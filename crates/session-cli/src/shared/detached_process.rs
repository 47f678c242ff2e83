//! Processes that outlive this one.

#[cfg(windows)]
use std::process::Command;

/// Detaches this process from its terminal and lowers its scheduling priority; a refusal of the system
/// is ignored.
#[cfg(unix)]
pub fn lower_priority(nice: i8) {
    let _ = rustix::process::setsid();
    let _ = rustix::process::nice(i32::from(nice));
    // To Linux a session is a group, and `nice` counts within it alone (sched(7), "autogroup").
    #[cfg(target_os = "linux")]
    let _ = fs_err::write("/proc/self/autogroup", nice.to_string());
}

/// Does nothing: on Windows `prepare_detached` has done so.
#[cfg(not(unix))]
pub fn lower_priority(_: i8) {}

/// Marks all open descriptors of this process but the standard ones as closed in every process that it starts from now on.
/// Whoever waits for the end of a pipe, or for a lock of `flock`, which this process inherited, would wait for a process
/// that outlives this one, too.
#[cfg(unix)]
pub fn close_descriptors_on_exec() {
    let open = fs_err::read_dir("/dev/fd").into_iter().flatten().flatten();
    let numbers = open.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    for descriptor in numbers.filter(|number| *number > 2) {
        // By number, since `rustix` takes only a descriptor that stays open: another thread may close this one meanwhile.
        // SAFETY: `F_SETFD` takes one integer and no pointer. It sets a flag which Rust sets on all that it opens; for a
        // descriptor that is closed it is refused, and nothing else happens.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

/// Prepares a command for a process that outlives this one: it gets no console, which could end it, and a low
/// priority. It also does not inherit the standard streams of this process: whoever reads these to their end
/// would wait for it. This holds for all processes that are started from now on.
#[cfg(windows)]
pub fn prepare_detached(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation};
    use windows_sys::Win32::System::Console::{
        GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE,
    };
    use windows_sys::Win32::System::Threading::{
        BELOW_NORMAL_PRIORITY_CLASS, CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS,
    };

    for stream in [STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE] {
        // SAFETY: of a handle that is missing or closed this is refused, and nothing else happens.
        unsafe { SetHandleInformation(GetStdHandle(stream), HANDLE_FLAG_INHERIT, 0) };
    }
    command
        .creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP | BELOW_NORMAL_PRIORITY_CLASS);
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    #[test]
    #[ignore = "lowers its own priority: run by the test below"]
    fn a_process_behind_all_others() {
        lower_priority(7);
        if let Ok(group) = fs_err::read_to_string("/proc/self/autogroup") {
            assert!(group.trim_end().ends_with(" nice 7"), "{group}");
        }
    }

    #[test]
    fn a_process_goes_behind_those_of_other_sessions() {
        let program = std::env::current_exe().unwrap();
        let test = "shared::detached_process::tests::a_process_behind_all_others";
        let mut command = Command::new(program);
        command.args([test, "--exact", "--ignored"]);
        let ran = command.stdout(Stdio::null()).status().unwrap();
        assert!(ran.success());
    }

    #[test]
    fn a_process_that_outlives_this_one_holds_no_pipe_that_this_one_inherited() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        rustix::io::fcntl_setfd(&writer, rustix::io::FdFlags::empty()).unwrap();
        close_descriptors_on_exec();
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        drop(writer);
        reader.read_to_end(&mut Vec::new()).unwrap();
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(ended, None, "the pipe ended with the process alone");
    }
}
