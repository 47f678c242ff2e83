//! Links and images of Markdown: which a page links, and what it shows of the others.

use super::safe_text::SafeText;
use maud::html;
use pulldown_cmark::{CowStr, Event, LinkType, Tag, TagEnd};
use session_core::text::{clip, sanitize_text};

/// Most bytes of an address that are shown: one can hold a whole image.
const SHOWN_ADDRESS_BYTES: usize = 300;

/// The links and images that are open, outermost first.
#[derive(Default)]
pub(super) struct OpenLinks {
    links: Vec<OpenLink>,
}

/// A link or an image whose end is still to come.
struct OpenLink {
    address: String,
    form: LinkForm,
    /// The text so far.
    text: String,
}

/// The form in which a link is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkForm {
    /// An element that a click opens.
    Link,
    /// Its text, then its address.
    Text,
    /// Its text in the angle brackets of an autolink: it may be code, as in `<std::string>`.
    AngleBrackets,
    /// Its text alone, within another link.
    Nested,
}

impl OpenLinks {
    /// Opens a link or an image, and returns what begins it, if something does.
    pub(super) fn open<'a>(
        &mut self,
        link_type: LinkType,
        address: CowStr<'a>,
    ) -> Option<Event<'a>> {
        let address = match link_type {
            LinkType::Email => format!("mailto:{address}").into(),
            _ => address,
        };
        let form = self.choose_form(link_type, &address);
        self.links.push(OpenLink {
            address: address.to_string(),
            form,
            text: String::new(),
        });
        let link = || Tag::Link {
            link_type: LinkType::Inline,
            dest_url: address,
            title: CowStr::Borrowed(""),
            id: CowStr::Borrowed(""),
        };
        match form {
            LinkForm::Link => Some(Event::Start(link())),
            LinkForm::AngleBrackets => Some(Event::Text("<".into())),
            LinkForm::Text | LinkForm::Nested => None,
        }
    }

    fn choose_form(&self, link_type: LinkType, address: &str) -> LinkForm {
        let is_nested = self.links.iter().any(|link| link.form == LinkForm::Link);
        match link_type {
            _ if is_nested => LinkForm::Nested,
            _ if is_harmless(address) => LinkForm::Link,
            LinkType::Autolink => LinkForm::AngleBrackets,
            _ => LinkForm::Text,
        }
    }

    /// Adds text to the link that is open, if one is.
    pub(super) fn push_text(&mut self, text: &str) {
        if let Some(link) = self.links.last_mut() {
            link.text.push_str(text);
        }
    }

    /// Closes the innermost link, and returns what ends it: its address where nothing else would show it, then its end.
    pub(super) fn close<'a>(&mut self) -> [Option<Event<'a>>; 2] {
        let Some(link) = self.links.pop() else {
            return [None, None];
        };
        self.push_text(&link.text);
        let end = match link.form {
            LinkForm::Link => Some(Event::End(TagEnd::Link)),
            LinkForm::AngleBrackets => Some(Event::Text(">".into())),
            LinkForm::Text | LinkForm::Nested => None,
        };
        [self.push_shown_address(&link), end]
    }

    fn push_shown_address<'a>(&mut self, link: &OpenLink) -> Option<Event<'a>> {
        let text = link.text.trim();
        let address = shorten_address(&link.address);
        if text.is_empty() {
            self.push_text(&address);
            return Some(Event::Text(address.into()));
        }
        let is_shown = link.form == LinkForm::Text && text != link.address && !address.is_empty();
        let markup = || html! { " " span class="address" { "(" (SafeText(&address)) ")" } };
        is_shown.then(|| Event::InlineHtml(markup().into_string().into()))
    }
}

/// Returns an address without hidden characters, cut where it is long.
fn shorten_address(address: &str) -> String {
    let safe = sanitize_text(address);
    let kept = clip(&safe, SHOWN_ADDRESS_BYTES);
    if kept.len() < safe.len() {
        format!("{kept}…")
    } else {
        kept.to_owned()
    }
}

/// Returns true for an address that a click may open.
fn is_harmless(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme);
    let is = |name: &str| scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(name));
    is("http") || is("https") || is("mailto")
}
