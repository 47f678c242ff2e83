//! The one thread that works, with the models and the index that it keeps open.

use crate::answer::ToolAnswer;
use crate::arguments::HistoryKind;
use crate::call_error::CallError;
use crate::heap::release_freed_memory;
use crate::history_tool::HistoryCall;
use crate::index_view::IndexView;
use crate::memory_tools;
use crate::progress::ProgressSink;
use crate::search_tool::SearchCall;
use crate::show_tool::ShowCall;
use crate::tools::ToolCallRequest;
use crate::work_digest::DigestCall;
use session_config::Home;
use session_display::SessionIds;
use session_indexer::RefreshProgress;
use session_output::{NoteReader, format_unfinished_refresh, format_unreadable_paths};
use session_query::{OpenIndex, RefreshedAnswer, SearchEngine};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Receiver;
use tokio::sync::oneshot;

/// History files, as the first index has them, after which freed memory is returned: on a home of 300 sessions 20 MB.
const MANY_FILES: usize = 50;

/// A call, to be answered.
pub(crate) struct ToolJob {
    pub(crate) call: ToolCallRequest,
    /// The name that the client gave itself.
    pub(crate) client: Option<String>,
    pub(crate) progress: ProgressSink,
    /// Closed where the client cancelled the call.
    pub(crate) reply: oneshot::Sender<Result<ToolAnswer, CallError>>,
}

/// Answers one call after the other.
pub(crate) struct ToolWorker {
    /// Starts the process that embeds.
    start_embedding: fn(&Home),
    open: Option<OpenEngine>,
}

/// The engine and the index that stay open between two calls.
struct OpenEngine {
    engine: SearchEngine,
    index: OpenIndex,
}

impl ToolWorker {
    pub(crate) fn new(start_embedding: fn(&Home)) -> Self {
        Self {
            start_embedding,
            open: None,
        }
    }

    /// Answers calls until there are no more to come. A panic costs its own call.
    pub(crate) fn run(mut self, jobs: &Receiver<ToolJob>) {
        for job in jobs {
            if job.reply.is_closed() {
                continue;
            }
            let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&job)));
            let answer = answer.unwrap_or_else(|_| {
                self.open = None;
                Err(CallError::Failed(
                    "the call failed because of a bug in session-search".into(),
                ))
            });
            // Nobody listens where the call was cancelled meanwhile.
            let _ = job.reply.send(answer);
        }
    }

    fn answer(&mut self, job: &ToolJob) -> Result<ToolAnswer, CallError> {
        match &job.call {
            ToolCallRequest::Search(arguments) => {
                let call = SearchCall::new(arguments)?;
                self.answer_from_index(job, |view| call.answer(view))
            }
            ToolCallRequest::Show(arguments) => {
                let call = ShowCall::new(arguments)?;
                self.answer_from_index(job, |view| call.answer(view))
            }
            ToolCallRequest::History(arguments) if arguments.what == HistoryKind::Digest => {
                let call = DigestCall::new(arguments)?;
                self.answer_from_index(job, |view| call.answer(view))
            }
            ToolCallRequest::History(arguments) => {
                let call = HistoryCall::new(arguments)?;
                self.answer_from_index(job, |view| call.answer(view))
            }
            ToolCallRequest::Recall(arguments) => memory_tools::recall(arguments),
            ToolCallRequest::Remember(arguments) => memory_tools::remember(arguments),
        }
    }

    /// Runs a query on the index, which is refreshed meanwhile; what the refresh left is noted in the answer. Where the answer says that
    /// sessions are still to be embedded, a background process is started.
    fn answer_from_index(
        &mut self,
        job: &ToolJob,
        query: impl Fn(IndexView<'_>) -> Result<ToolAnswer, CallError>,
    ) -> Result<ToolAnswer, CallError> {
        let OpenEngine { engine, index } = self.open_engine()?;
        let policy = engine.read_policy()?;
        let progress = || -> Box<dyn RefreshProgress> { Box::new(job.progress.clone()) };
        let live = engine.live_index(&policy, &progress);
        let RefreshedAnswer {
            mut answer,
            refresh,
        } = index.answer(&live, |snapshot| {
            if job.reply.is_closed() {
                return Err(CallError::Cancelled);
            }
            query(IndexView {
                engine,
                snapshot,
                ids: &SessionIds::new(&snapshot.sessions),
                client: job.client.as_deref(),
            })
        })?;
        if refresh.files_read >= MANY_FILES {
            release_freed_memory();
        }
        let unfinished = format_unfinished_refresh(&refresh, NoteReader::Agent);
        answer.notes.extend(unfinished.map(|note| note.text));
        // A hint names commands, which not every client can run.
        let unreadable = format_unreadable_paths(&refresh);
        answer.notes.extend(unreadable.map(|note| note.text));
        if let (true, Some(open)) = (answer.has_pending_sessions, &self.open) {
            (self.start_embedding)(open.engine.home());
        }
        Ok(answer)
    }

    /// Returns what is open. Where the configuration was changed since, it is opened again.
    fn open_engine(&mut self) -> Result<&mut OpenEngine, CallError> {
        let home = Home::from_process()?;
        let current = self
            .open
            .take()
            .filter(|open| open.engine.home().config == home.config);
        let open = match current {
            Some(open) => open,
            None => OpenEngine {
                index: OpenIndex::new(&home.index_directory),
                engine: SearchEngine::new(home)?,
            },
        };
        Ok(self.open.insert(open))
    }
}
