//! Saved memories: what somebody decided to keep, found again when it helps.
//!
//! A [`Memory`] is a Markdown file with YAML before it ([`Front`]). Files are the truth: they lie in a
//! project or beside the user's settings ([`Place`]), in a folder for each [`State`], and
//! may be edited by hand at will. [`Store`] reads and writes them, whole or not at all, one process
//! at a time, and keeps the generated views beside them up to date. A file that is damaged costs itself and is
//! named with its line ([`Damage`]).
//!
//! [`rank`] says how well memories answer a text: a hybrid of words and
//! meaning ([`Meaning`]), times what age leaves, times the weight of the place ([`Retrieval`]). [`repeated`] finds
//! those that a new one repeats. [`tidy`] archives what nobody touched.
//!
//! A memory may have cues, what somebody would type when it helps; then it is as near as the nearest of them
//! brings it. [`commonplace`] says how much a prompt is like those that need no memory at all.
//!
//! Before a prompt, [`decide`] lets through the gate ([`Injection`]) what is worth it, and builds a [`Block`] within a
//! budget: fenced, escaped, the same bytes for the same input. [`SessionState`] keeps it from saying
//! anything twice, and [`log`] counts, without any text.
//!
//! ```
//! use jiff::Zoned;
//! use session_memory::{Draft, Injection, Known, Location, Prompt, Records, Retrieval, Store, decide, places, rank};
//!
//! let home = tempfile::tempdir()?;
//! let records = Records::new(home.path().join("records"));
//! let store = Store::new(places(None, home.path(), Location::ProjectFirst)?, records);
//! let draft = Draft {
//!     topic: "Connection pool too small".into(),
//!     key_info: vec!["Time-outs under load; raise DB_POOL_SIZE".into()],
//!     ..Draft::default()
//! };
//! let now = Zoned::now();
//! store.save(&draft, None, &now)?;
//!
//! let memories = store.list_trusted();
//! let prompt = "the connection pool gives time-outs under load";
//! let ranked = rank(prompt, &memories, &Retrieval::default(), None, now.timestamp())?.unwrap();
//! let prompt = Prompt::new(prompt, 0.0);
//! let decision = decide(&prompt, &memories, ranked.matches, vec![], &Known::default(), &Injection::default());
//! assert!(decision.block.unwrap().text.contains("[context] Connection pool too small; Time-outs"));
//! # Ok::<(), session_memory::MemoryError>(())
//! ```

mod block;
mod body;
mod change;
mod commonplace;
mod context;
mod draft;
mod error;
mod file;
mod frontmatter;
mod gate;
mod glossary;
mod import;
mod inject;
mod keywords;
mod life;
mod limits;
pub mod log;
mod meaning;
mod memory;
mod moment;
mod place;
mod rank;
mod record;
mod session;
mod signals;
mod similar;
mod store;
mod terms;
mod texts;
mod trust;
mod vectors;
mod views;
mod writing;

pub use block::{Block, Item, block};
pub use change::Change;
pub use commonplace::{commonplace, pack as pack_commonplace};
pub use context::{sheet, sync as sync_context};
pub use draft::clean_tag;
pub use error::{Damage, MemoryError, Result};
pub use gate::{Injection, Marks, Reason};
pub use import::{Exported, Format, ImportPath, Imports, export, import};
pub use inject::{Decision, Disabled, Known, Prompt, Verdict, decide};
pub use keywords::most_common as keywords;
pub use life::{Keeping, Moved, Storage, archive, recalled, tidy, untouched};
pub use meaning::{Meaning, prepare};
pub use memory::{Draft, Front, Importance, Kind, Memory, Scope, Source, State};
pub use moment::Moment;
pub use place::{Location, Place, places, settings_folder};
pub use rank::{Match, Ranked, Retrieval, rank};
pub use record::{FolderRecord, Records};
pub use session::SessionState;
pub use signals::{Signal, of as signals, subject};
pub use similar::{Repeated, repeated};
pub use store::{Imported, Listing, Store};
pub use texts::texts;
pub use trust::Trust;
pub use vectors::of_texts as vectors_of;
pub use views::index as index_table;
