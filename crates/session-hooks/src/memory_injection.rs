//! Decides what is put before a prompt or given at a call of a tool.

use crate::hook_call::HookCall;
use crate::past_turns::find_past_turns;
use crate::reading_commands::only_reads;
use crate::shown_memories::find_shown_memories;
use session_agents::{HookEvent, ToolUse};
use session_embed::Embedder;
use session_memory::{
    BlockItem, InjectionOutcome, InjectionRequest, InjectionResources, TriggerDecision,
    TriggerEvent, TriggeredBlock,
};
use session_project_memories::{ProjectMemories, ProjectMemoriesError, ToolContext};
use std::time::Instant;

impl HookCall {
    /// Decides what is put before a prompt. Secrets are neither searched for nor put before it, nor in the explanation.
    ///
    /// # Errors
    /// When the model fails.
    pub(crate) fn inject(
        &self,
        request: &InjectionRequest<'_>,
    ) -> Result<InjectionOutcome, ProjectMemoriesError> {
        let redactor = self.memories.home.config.redactor();
        let request = InjectionRequest {
            prompt: &redactor.redact(request.prompt),
            ..*request
        };
        let mut outcome = self
            .memories
            .injector()
            .inject(&request, &Resources(&self.memories))?;
        for candidate in &mut outcome.decision.candidates {
            redactor.redact_in_place(&mut candidate.topic);
            candidate.found.cue.iter_mut().for_each(|cue| {
                redactor.redact_in_place(cue);
            });
        }
        Ok(outcome)
    }

    /// Returns true if memories may deny a call: it may change something, and `hook.hold` is on. A command that only
    /// reads is followed by its memories.
    fn should_hold(&self, tool_use: &ToolUse) -> bool {
        let is_reading = || tool_use.command.as_deref().is_some_and(only_reads);
        self.memories.home.config.hook.hold && tool_use.is_pending_change && !is_reading()
    }

    /// Returns what triggers are compared with at a call of a tool; `None` if no directory is known.
    fn trigger_event(&self, tool_use: &ToolUse) -> Option<TriggerEvent> {
        let context = ToolContext {
            working_directory: self.input.cwd.as_deref()?,
            project: self.memories.project.as_ref(),
            home: &self.memories.home.env.home,
        };
        Some(TriggerEvent {
            may_be_denied: self.should_hold(tool_use),
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
    ) -> Result<TriggerDecision, ProjectMemoriesError> {
        let input = &self.input;
        let context = self.context_id();
        let request = InjectionRequest {
            prompt: &input.prompt,
            context: context.as_ref(),
            started: Instant::now(),
            deadline: None,
            records_words: false,
        };
        let prompt = if input.prompt.is_empty() {
            None
        } else {
            Some(self.inject(&request)?)
        };
        let event = self.trigger_event(tool_use).unwrap_or_default();
        let injector = self.memories.injector();
        let mut decision = injector.explain_event(&event, context.as_ref(), prompt.as_ref());
        let redactor = self.memories.home.config.redactor();
        for candidate in &mut decision.candidates {
            redactor.redact_in_place(&mut candidate.topic);
            candidate.triggers.iter_mut().for_each(|trigger| {
                redactor.redact_in_place(trigger);
            });
        }
        Ok(decision)
    }

    /// Returns the memories that a call of a tool triggers, without secrets, within what `taken_chars` of the same answer
    /// leave of `total_chars`, and records them.
    pub(crate) fn inject_for_tool(
        &self,
        tool_use: &ToolUse,
        taken_chars: usize,
    ) -> Option<TriggeredBlock> {
        let event = self.trigger_event(tool_use)?;
        let context = self.context_id()?;
        let mut injector = self.memories.injector();
        let total_chars = &mut injector.settings.limits.total_chars;
        *total_chars = total_chars.saturating_sub(taken_chars);
        injector.inject_for_event(&event, &context)
    }

    /// Records the memories that a call shows to the agent, until it fails.
    pub(crate) fn record_shown_memories(&self, event: HookEvent) {
        let (Some(command), Some(context)) = (self.input.command(), self.context_id()) else {
            return;
        };
        let shown = find_shown_memories(command);
        match event {
            HookEvent::PreToolUse => self.memories.injector().record_shown(&shown, &context),
            HookEvent::PostToolUseFailure => {
                self.memories.injector().forget_shown(&shown, &context)
            }
            _ => {}
        }
    }
}

/// The resources of an injector: the model of memories, and the index as it is.
struct Resources<'a>(&'a ProjectMemories);

impl InjectionResources for Resources<'_> {
    fn open_model(&self) -> session_memory::Result<Box<dyn Embedder>> {
        Ok(self.0.model()?)
    }

    fn find_past_turns(&self, prompt: &str, session: Option<&str>) -> Vec<BlockItem> {
        find_past_turns(prompt, self.0, session).unwrap_or_default()
    }
}
