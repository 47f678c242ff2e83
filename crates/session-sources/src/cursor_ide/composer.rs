//! A conversation as Cursor stores it: a "composer" with its messages or their ids.

use super::bubble::LenientTime;
use super::workspace::NamedWorkspace;
use crate::lenient_json::{
    LenientItems, LenientMembers, LenientObject, LenientObjects, LenientText,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use session_core::SessionMeta;
use std::collections::{HashMap, HashSet};

/// A value of `composerData:<id>`, an item of `allComposers`, or a tab of a chat.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ComposerRecord<'a> {
    #[serde(borrow, alias = "tabId")]
    pub composer_id: LenientText<'a>,
    #[serde(borrow, alias = "chatTitle")]
    pub name: LenientText<'a>,
    #[serde(alias = "lastSendTime")]
    pub created_at: LenientTime,
    /// Messages, of which only ids are here.
    #[serde(borrow, rename = "fullConversationHeadersOnly")]
    headers: LenientObjects<BubbleHeader<'a>>,
    /// Messages as they were stored in 2024.
    #[serde(alias = "bubbles")]
    conversation: LenientItems<Box<RawValue>>,
    #[serde(borrow)]
    conversation_map: LenientMembers<'a, Box<RawValue>>,
    #[serde(borrow)]
    workspace_identifier: LenientObject<WorkspaceIdentifier<'a>>,
    #[serde(borrow)]
    subagent_info: LenientObject<SubagentInfo<'a>>,
    #[serde(borrow)]
    created_on_branch: LenientText<'a>,
    #[serde(borrow)]
    model_config: LenientObject<ModelConfig<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct BubbleHeader<'a> {
    #[serde(borrow)]
    bubble_id: LenientText<'a>,
}

/// The workspace of a conversation.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct WorkspaceIdentifier<'a> {
    #[serde(borrow)]
    pub id: LenientText<'a>,
    #[serde(borrow)]
    pub uri: LenientObject<FolderUri<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct FolderUri<'a> {
    #[serde(borrow)]
    pub fs_path: LenientText<'a>,
    #[serde(borrow)]
    pub path: LenientText<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SubagentInfo<'a> {
    #[serde(borrow)]
    parent_composer_id: LenientText<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ModelConfig<'a> {
    #[serde(borrow)]
    model_name: LenientText<'a>,
}

/// A conversation without its messages.
#[derive(Debug, Default, Clone)]
pub(super) struct Composer {
    pub meta: SessionMeta,
    /// Milliseconds since 1970.
    pub created: Option<i64>,
    /// The model that answers where a message names none.
    pub model: Option<String>,
    pub messages: ComposerMessages,
    pub workspace: Option<NamedWorkspace>,
}

/// The messages of a conversation, in order.
#[derive(Debug, Clone)]
pub(super) enum ComposerMessages {
    /// Their ids: each has a key of its own.
    Ids(Vec<String>),
    /// The messages themselves.
    Inline(Vec<String>),
}

impl Default for ComposerMessages {
    fn default() -> Self {
        Self::Ids(Vec::new())
    }
}

impl ComposerMessages {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Ids(messages) | Self::Inline(messages) => messages.len(),
        }
    }
}

impl ComposerRecord<'_> {
    /// Returns the conversation, but for its folder.
    pub(super) fn composer(&self, id: &str) -> Composer {
        Composer {
            meta: SessionMeta {
                id: id.to_owned(),
                parent: self.parent(),
                title: self.name.get().and_then(crate::turn_writer::session_title),
                branch: self.created_on_branch.get().map(str::to_owned),
                ..SessionMeta::default()
            },
            created: self.created_at.0,
            model: self.model(),
            messages: self.messages(),
            workspace: self
                .workspace_identifier
                .0
                .as_ref()
                .map(NamedWorkspace::new),
        }
    }

    fn parent(&self) -> Option<String> {
        let info = self.subagent_info.0.as_ref()?;
        info.parent_composer_id.get().map(str::to_owned)
    }

    fn model(&self) -> Option<String> {
        let config = self.model_config.0.as_ref()?;
        config.model_name.get().map(str::to_owned)
    }

    fn messages(&self) -> ComposerMessages {
        let inline = &self.conversation.0;
        if !inline.is_empty() {
            let texts = inline.iter().map(|message| message.get().to_owned());
            return ComposerMessages::Inline(texts.collect());
        }
        let ids = self.message_ids();
        match self.mapped_messages(&ids) {
            Some(texts) => ComposerMessages::Inline(texts),
            None => ComposerMessages::Ids(ids.into_iter().map(str::to_owned).collect()),
        }
    }

    /// Returns the ids of the messages, in order. One that is listed again counts once: each is read anew.
    fn message_ids(&self) -> Vec<&str> {
        let headers = self.headers.0.iter();
        let mut seen = HashSet::new();
        let ids = headers.filter_map(|header| header.bubble_id.get());
        ids.filter(|id| seen.insert(*id)).collect()
    }

    /// Returns the messages with these ids; `None` if one of them is not here.
    fn mapped_messages(&self, ids: &[&str]) -> Option<Vec<String>> {
        let members = &self.conversation_map.0;
        // Of two with one id the first counts.
        let by_id: HashMap<&str, &str> = members
            .iter()
            .rev()
            .map(|(id, message)| (id.as_ref(), message.get()))
            .collect();
        let texts = ids.iter().map(|id| Some((*by_id.get(id)?).to_owned()));
        texts.collect()
    }
}
