//! The answer to a hook: what is put before a prompt, or injected when a session begins.

use crate::error::MemoriesError;
use crate::memories::Memories;
use crate::shown_memories::runs_this_program;
use session_agents::{HookAnswer, HookEvent, HookInput, ToolUse, has_user_skill};
use session_display::pluralize;
use session_memory::{
    AgentContext, InjectionOutcome, InjectionRequest, MemoryBlock, SessionStateFile, TriggeredBlock,
};
use std::time::Instant;

/// The reason for which a call is refused, before the memories.
const HELD: &str = "session-search held this call once, because saved memories concern it. Read them, and repeat the call if it agrees with them.";

/// The place where the hook that runs is registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookOrigin {
    /// The settings of an agent.
    Settings,
    /// The plugin of this program.
    Plugin,
}

/// The outcome of a prompt, and the memories that it was decided by.
pub struct PromptOutcome {
    /// The decision, and the facts that are recorded.
    pub injection: InjectionOutcome,
    /// The memories of the prompt's directory.
    pub memories: Memories,
}

impl PromptOutcome {
    /// Decides what is put before the prompt of a hook, by the deadline if there is one.
    ///
    /// # Errors
    /// When the model fails.
    pub fn decide(
        input: &HookInput,
        memories: Memories,
        started: Instant,
        deadline: Option<Instant>,
    ) -> Result<Self, MemoriesError> {
        // The context of a subagent that is about to begin has no name yet.
        let is_wanted = memories.home.config.hook.agent_prompts && !is_off(input, &memories);
        let task = input.task_prompt().filter(|_| is_wanted);
        let context = input.context_id().filter(|_| task.is_none());
        let request = InjectionRequest {
            prompt: task.unwrap_or(&input.prompt),
            session: context.as_deref(),
            started,
            deadline,
        };
        Ok(Self {
            injection: memories.inject(&request)?,
            memories,
        })
    }

    /// Records the outcome, and returns the block that is to be printed.
    pub fn record(&self) -> Option<MemoryBlock> {
        self.memories.injector().record(&self.injection)
    }

    /// Returns the answer to the hook, recorded where it is one; `None` where it would be empty. The hook
    /// of a plugin notes a second copy of the skill.
    pub fn hook_answer(&self, input: &HookInput, origin: HookOrigin) -> Option<HookAnswer> {
        let event = input.event()?;
        let mut answer = HookAnswer::default();
        let block = match event {
            HookEvent::PreToolUse if input.task_prompt().is_some() => {
                return self.answer_task(input);
            }
            HookEvent::PreToolUse | HookEvent::PostToolUseFailure | HookEvent::PostToolUse => {
                return self.answer_tool(event, input);
            }
            HookEvent::SessionStart => {
                answer.system_message = self.start_message(input, origin);
                return Some(self.answer_start(input, answer)).filter(|answer| !answer.is_empty());
            }
            // Its output becomes a part of the instructions for the summary.
            HookEvent::PreCompact => None,
            HookEvent::UserPromptSubmit => self.record(),
        };
        if let Some(block) = block {
            answer = answer.with_context(event, &block.text);
        }
        Some(answer).filter(|answer| !answer.is_empty())
    }

    /// Returns the message that the user sees when a session begins.
    fn start_message(&self, input: &HookInput, origin: HookOrigin) -> Option<String> {
        suggest_save(input, &self.memories)
            .or_else(|| note_untrusted(input, &self.memories))
            .or_else(|| note_second_skill(input, &self.memories, origin))
    }

    /// Adds the list of memories to an answer and, where the user wants it, the last session.
    fn answer_start(&self, input: &HookInput, answer: HookAnswer) -> HookAnswer {
        // The state of a new session is of another hook of ours, which has injected the list.
        let context = if input.has_empty_context() && !input.is_startup() {
            AgentContext::Empty
        } else {
            AgentContext::Kept
        };
        let session = input.session_id.as_deref();
        let injector = self.memories.injector();
        let overview = injector.begin_session(session, context);
        let is_on = injector.settings.enabled && !is_off(input, &self.memories);
        let is_wanted = is_on && injector.settings.injection.last_session;
        let is_new = input.has_empty_context() && !input.is_after_compaction();
        let last = if is_wanted && is_new {
            self.memories.describe_last_session(session)
        } else {
            None
        };
        let blocks = overview.into_iter().chain(last).map(|block| block.text);
        match blocks.collect::<String>() {
            text if text.is_empty() => answer,
            text => answer.with_context(HookEvent::SessionStart, &text),
        }
    }

    /// Returns the task of a subagent with the memories that match its prompt.
    fn answer_task(&self, input: &HookInput) -> Option<HookAnswer> {
        let block = self.injection.decision.block()?;
        let task = input.task_with_context(&block.text)?;
        self.record()?;
        Some(HookAnswer::default().with_updated_input(task))
    }

    /// Returns the memories that a call of a tool triggers, and for a command that is known to have failed what
    /// cured its error before; nothing for the output of this program. With `hook.hold` memories refuse a call that would
    /// change something, each once.
    fn answer_tool(&self, event: HookEvent, input: &HookInput) -> Option<HookAnswer> {
        let tool_use = ToolUse::from_hook(input)?;
        self.memories.record_shown_memories(event, input);
        if tool_use.error.is_some() && input.command().is_some_and(runs_this_program) {
            return None;
        }
        let triggered = self.memories.inject_for_tool(input, &tool_use);
        let is_refusal = triggered.as_ref().is_some_and(|given| given.is_refusal);
        let triggered = triggered.map(|TriggeredBlock { block, .. }| block);
        let cure = match event {
            HookEvent::PostToolUseFailure => {
                let taken_chars = triggered.as_ref().map_or(0, MemoryBlock::char_count);
                self.memories
                    .find_earlier_cure(input, &tool_use, taken_chars)
            }
            _ => None,
        };
        let blocks = triggered.into_iter().chain(cure);
        let text: String = blocks.map(|block| block.text).collect();
        if text.is_empty() {
            return None;
        }
        let answer = HookAnswer::default();
        Some(if is_refusal {
            answer.with_refusal(&format!("{HELD}\n{text}"))
        } else {
            answer.with_context(event, &text)
        })
    }
}

/// Returns true where injection is switched off for the context that asks.
pub(crate) fn is_off(input: &HookInput, memories: &Memories) -> bool {
    let root = &memories.home.root;
    let context = input.context_id();
    context.is_some_and(|id| SessionStateFile::new(root, &id).read().off)
}

/// Returns the message that memories of the project wait for the user's trust, which names each content once.
fn note_untrusted(input: &HookInput, memories: &Memories) -> Option<String> {
    let is_wanted = input.is_startup() && input.shows_messages() && !is_off(input, memories);
    let count = is_wanted.then(|| memories.injector().count_new_untrusted())?;
    (count > 0).then(|| {
        let memories = pluralize(count, "memory");
        format!(
            "session-search: not trusted, and so not given to the agent: {memories} of this project (see `session-search trust`)"
        )
    })
}

/// Returns the message that the plugin's skill is installed a second time, which costs its description
/// again in each session.
fn note_second_skill(input: &HookInput, memories: &Memories, origin: HookOrigin) -> Option<String> {
    let is_wanted = input.is_startup() && origin == HookOrigin::Plugin;
    (is_wanted && has_user_skill(&memories.home.env)).then(|| {
        "session-search: the plugin brings the skill; `session-search skill uninstall` removes the other copy"
            .to_owned()
    })
}

/// Returns the message that suggests to save a memory after a compaction, if `auto_save` is on.
fn suggest_save(input: &HookInput, memories: &Memories) -> Option<String> {
    let config = &memories.home.config;
    if !input.is_after_compaction() || !config.enabled || !config.auto_save {
        return None;
    }
    let from = match &input.session_id {
        Some(id) => format!(" --from {id}"),
        None => String::new(),
    };
    Some(format!(
        "session-search: if something was decided here that is to be kept, save it: session-search memory save --topic … --info …{from}"
    ))
}
