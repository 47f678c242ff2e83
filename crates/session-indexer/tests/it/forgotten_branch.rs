//! The branch of a forgotten turn.

use crate::exclusions::{cursors, exclusions, forget_turn, refresh_excluding};
use crate::home::{Home, turns};
use session_forget::ExcludeSettings;
use session_indexer::{ReadPolicy, RefreshMode, RefreshOptions, refresh};

/// Branches name customers.
#[test]
fn the_branch_of_a_forgotten_last_turn_leaves_the_cursor() {
    let home = Home::new();
    let on_branch = turns(0, 1, 1).replace("\"main\"", "\"fix/moggle\"");
    home.write(0, (turns(0, 0, 1) + &on_branch).as_bytes());
    home.refresh();
    assert!(cursors(&home).contains("moggle"));
    forget_turn(&home, 0, 1);
    assert!(!cursors(&home).contains("moggle"));
    // Nor does it come back where the history is read again, or goes on in the turn.
    let none = ExcludeSettings::default();
    let full = RefreshOptions {
        mode: RefreshMode::Full,
        policy: ReadPolicy {
            exclusions: exclusions(&home, &none),
            ..ReadPolicy::default()
        },
        ..home.options()
    };
    refresh(&full).unwrap();
    assert!(!cursors(&home).contains("moggle"));
    let next = turns(0, 2, 1);
    home.write(0, (turns(0, 0, 1) + &on_branch + &next).as_bytes());
    assert_eq!(refresh_excluding(&home, &none).unwrap().turns, 1);
    assert!(cursors(&home).contains("main") && !cursors(&home).contains("moggle"));
}
