//! Decides what is put before a prompt or given at a call of a tool.

use crate::error::MemoriesError;
use crate::history_line::shorten;
use crate::memories::Memories;
use crate::project_sessions::ProjectDirectories;
use crate::reading_commands::only_reads;
use crate::shown_memories::find_shown_memories;
use crate::tool_event::ToolContext;
use jiff::Timestamp;
use session_agents::{HookEvent, HookInput, ToolUse};
use session_core::{ConfidenceBand, TurnAddress};
use session_display::SessionIds;
use session_embed::Embedder;
use session_memory::{
    BlockItem, FrontmatterTime, InjectionOutcome, InjectionRequest, InjectionResources, PastTurn,
    TriggerDecision, TriggerEvent, TriggeredBlock,
};
use session_query::QueryModels;
use session_report::WorkSummary;
use session_search::{SearchHit, SearchRequest, search};
use session_store::{Level, Reader, SessionRow, SessionTree, TurnRecord};
use std::time::Instant;

/// The most past turns of a prompt.
const MAX_PAST_TURNS: usize = 3;
/// The most bytes of a past turn's prompt: its answer says more.
const PROMPT_BYTES: usize = 70;

impl Memories {
    /// Decides what is put before a prompt. Secrets are neither searched for nor put before it, nor in the explanation.
    ///
    /// # Errors
    /// When the model fails.
    pub fn inject(
        &self,
        request: &InjectionRequest<'_>,
    ) -> Result<InjectionOutcome, MemoriesError> {
        let redactor = self.home.config.redactor();
        let request = InjectionRequest {
            prompt: &redactor.redact(request.prompt),
            ..*request
        };
        let mut outcome = self.injector().inject(&request, &Resources(self))?;
        for candidate in &mut outcome.decision.candidates {
            redactor.redact_in_place(&mut candidate.topic);
            candidate.found.cue.iter_mut().for_each(|cue| {
                redactor.redact_in_place(cue);
            });
        }
        Ok(outcome)
    }

    /// Returns true where memories may refuse a call: it may change something, and `hook.hold` is on. A command that only
    /// reads is followed by its memories.
    fn should_hold(&self, tool_use: &ToolUse) -> bool {
        let is_reading = || tool_use.command.as_deref().is_some_and(only_reads);
        self.home.config.hook.hold && tool_use.is_pending_change && !is_reading()
    }

    /// Returns what triggers are compared with at a call of a tool; `None` where no directory is known.
    fn trigger_event(&self, input: &HookInput, tool_use: &ToolUse) -> Option<TriggerEvent> {
        let context = ToolContext {
            folder: input.cwd.as_deref()?,
            project: self.project.as_ref(),
            home: &self.home.env.home,
        };
        Some(TriggerEvent {
            is_held: self.should_hold(tool_use),
            ..context.trigger_event(tool_use)
        })
    }

    /// Decides which memories a call of a tool would get, without secrets, and records nothing. A prompt of the input
    /// counts as typed before the call.
    ///
    /// # Errors
    /// When the model fails.
    pub fn explain_call(
        &self,
        tool_use: &ToolUse,
        input: &HookInput,
    ) -> Result<TriggerDecision, MemoriesError> {
        let session = input.context_id();
        let request = InjectionRequest {
            prompt: &input.prompt,
            session: session.as_deref(),
            started: Instant::now(),
            deadline: None,
        };
        let prompt = if input.prompt.is_empty() {
            None
        } else {
            Some(self.inject(&request)?)
        };
        let event = self.trigger_event(input, tool_use).unwrap_or_default();
        let injector = self.injector();
        let mut decision = injector.explain_event(&event, session.as_deref(), prompt.as_ref());
        let redactor = self.home.config.redactor();
        for candidate in &mut decision.candidates {
            redactor.redact_in_place(&mut candidate.topic);
            candidate.triggers.iter_mut().for_each(|trigger| {
                redactor.redact_in_place(trigger);
            });
        }
        Ok(decision)
    }

    /// Returns the memories that a call of a tool triggers, without secrets, and records them.
    pub(crate) fn inject_for_tool(
        &self,
        input: &HookInput,
        tool_use: &ToolUse,
    ) -> Option<TriggeredBlock> {
        let event = self.trigger_event(input, tool_use)?;
        let context = input.context_id()?;
        self.injector().inject_for_event(&event, &context)
    }

    /// Records the memories that a call shows to the agent, until it fails.
    pub(crate) fn record_shown_memories(&self, event: HookEvent, input: &HookInput) {
        let (Some(command), Some(context)) = (input.command(), input.context_id()) else {
            return;
        };
        let shown = find_shown_memories(command);
        match event {
            HookEvent::PreToolUse => self.injector().record_shown(&shown, &context),
            HookEvent::PostToolUseFailure => self.injector().forget_shown(&shown, &context),
            _ => {}
        }
    }
}

/// The resources of an injector: the model of memories, and the index as it is.
struct Resources<'a>(&'a Memories);

impl InjectionResources for Resources<'_> {
    fn open_model(&self) -> session_memory::Result<Box<dyn Embedder>> {
        Ok(self.0.model()?)
    }

    fn find_past_turns(&self, prompt: &str, session: Option<&str>) -> Vec<BlockItem> {
        find_past_turns(prompt, self.0, session).unwrap_or_default()
    }
}

/// Finds the project's turns in the strong band for a prompt, except those of its own session. The index is
/// searched as it is: a prompt does not wait for a refresh.
fn find_past_turns(
    prompt: &str,
    memories: &Memories,
    session: Option<&str>,
) -> Result<Vec<BlockItem>, MemoriesError> {
    let Some(project) = &memories.project else {
        return Ok(Vec::new());
    };
    let home = &memories.home;
    let project = ProjectDirectories::new(project, &home.env.home);
    let index = home.index()?;
    let sessions = index.sessions()?;
    let own = sessions.iter().filter(|row| project.has(row));
    let only: Vec<_> = own.map(|row| row.id).collect();
    if only.is_empty() {
        return Ok(Vec::new());
    }
    let models = QueryModels::for_home(home)?;
    let embeddings = models.without_endpoint().embed(&index, prompt)?;
    let mut request = SearchRequest {
        level: Level::Turn,
        limit: MAX_PAST_TURNS,
        ..SearchRequest::new(prompt)
    };
    request.filter.only = only;
    let tree = SessionTree::new(&sessions);
    let is_own = |row: &&SessionRow| session.is_some_and(|session| tree.is_within(row, session));
    request.filter.exclude = sessions.iter().filter(is_own).map(|row| row.id).collect();
    let found = search(&index, &sessions, &request, &embeddings)?;
    let certain = found
        .hits
        .iter()
        .filter(|hit| hit.band == ConfidenceBand::Strong);
    let ids = SessionIds::new(&sessions);
    Ok(certain
        .filter_map(|hit| block_item(&index, hit, &ids))
        .collect())
}

fn block_item(index: &Reader, hit: &SearchHit, ids: &SessionIds<'_>) -> Option<BlockItem> {
    let row = hit.turn.clone()?;
    let at = hit.session.time_of(&row)?;
    let id = TurnAddress::new(ids.short_id(&hit.session), row.index);
    let content = index.packed_turn(row.id).ok()?.unpack_first();
    let work = WorkSummary::from_turns(&[TurnRecord { row, content }]);
    Some(BlockItem::from_past_turn(PastTurn {
        text: describe_turn(work, &hit.preview),
        id: id.to_string(),
        started: FrontmatterTime(Timestamp::from_millisecond(at).ok()?),
        score: hit.score,
    }))
}

/// Describes a turn by the beginnings of its prompt and of its final answer; by the passage that was found where it has
/// no answer.
fn describe_turn(work: WorkSummary, passage: &str) -> String {
    let Some(answer) = work.solution else {
        return passage.to_owned();
    };
    match work.problem {
        Some(prompt) => format!("{} — Answer: {answer}", shorten(&prompt, PROMPT_BYTES)),
        None => format!("Answer: {answer}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_past_turn_is_told_by_its_answer() {
        let work = |problem: Option<&str>, solution: Option<&str>| WorkSummary {
            problem: problem.map(str::to_owned),
            solution: solution.map(str::to_owned),
            ..WorkSummary::default()
        };
        let answer = Some("Create a network.");
        let text = |problem, solution| describe_turn(work(problem, solution), "a passage");
        assert_eq!(
            text(Some("No names?"), answer),
            "No names? — Answer: Create a network."
        );
        assert_eq!(text(None, answer), "Answer: Create a network.");
        assert_eq!(text(Some("No names?"), None), "a passage");
        let long = "the containers cannot find each other ".repeat(4);
        let line = text(Some(&long), answer);
        assert!(line.len() < 110 && line.ends_with("… — Answer: Create a network."));
    }
}
