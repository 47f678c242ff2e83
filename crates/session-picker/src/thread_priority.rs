//! The priority of the threads that work while the user types.

/// Lets the other threads of this process go before the calling one and those that it starts.
pub(crate) fn lower_thread_priority() {
    // Linux alone has a priority for each thread.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(THREAD_NICE);
}

#[cfg(target_os = "linux")]
const THREAD_NICE: i32 = 10;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_goes_behind_the_others_of_its_process() {
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let before = nice();
        let lowered = std::thread::spawn(move || {
            lower_thread_priority();
            nice()
        });
        assert_eq!(lowered.join().unwrap(), (before + THREAD_NICE).min(19));
        assert_eq!(nice(), before);
    }
}
