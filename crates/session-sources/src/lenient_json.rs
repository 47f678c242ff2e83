//! JSON values of which nobody promised the shape: what has another shape
//! than the expected one reads as absent, and costs nothing else.
//!
//! Visitors read a line in one pass, and JSON is most of the time of a first index. They may decode every
//! string, since a line's long ones are cut while it streams by. The columns of OpenCode's database come
//! whole, up to 64 MB, so `opencode/lenient_field.rs` decodes a string only where it is asked for, at the price
//! of reading what it keeps twice.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A value that says which JSON shapes it takes; all others are skipped.
pub(crate) trait LenientJson<'de>: Default {
    fn text(_: Cow<'de, str>) -> Self {
        Self::default()
    }
    fn flag(_: bool) -> Self {
        Self::default()
    }
    fn count(_: u64) -> Self {
        Self::default()
    }
    fn items<A: SeqAccess<'de>>(mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
    fn members<A: MapAccess<'de>>(mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

/// Reads any value into a [`LenientJson`] one.
pub(crate) fn deserialize_lenient<'de, T: LenientJson<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<T, D::Error> {
    from.deserialize_any(LenientVisitor(PhantomData))
}

/// Reads each of these [`LenientJson`] types by [`deserialize_lenient`].
macro_rules! lenient_types {
    ($($name:ident $(<$($borrowed:lifetime)? $(,)? $($item:ident)?>)?),+ $(,)?) => {$(
        impl<'de $($(: $borrowed)?)?, $($($borrowed,)? $($item: serde::Deserialize<'de>,)?)?>
            serde::Deserialize<'de> for $name $(<$($borrowed,)? $($item)?>)?
        {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $crate::lenient_json::deserialize_lenient(from)
            }
        }
    )+};
}

pub(crate) use lenient_types;

lenient_types!(
    LenientText<'a>,
    LenientFlag,
    LenientCount,
    LenientObject<T>,
    LenientMembers<'a, T>,
    LenientItems<T>,
    LenientObjects<T>,
);

struct LenientVisitor<T>(PhantomData<T>);

impl<'de, T: LenientJson<'de>> Visitor<'de> for LenientVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<T, E> {
        Ok(T::text(Cow::Borrowed(text)))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        Ok(T::text(Cow::Owned(text.to_owned())))
    }
    fn visit_bool<E: Error>(self, flag: bool) -> Result<T, E> {
        Ok(T::flag(flag))
    }
    fn visit_i64<E: Error>(self, _: i64) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_u64<E: Error>(self, count: u64) -> Result<T, E> {
        Ok(T::count(count))
    }
    fn visit_f64<E: Error>(self, _: f64) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_unit<E: Error>(self) -> Result<T, E> {
        Ok(T::default())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<T, A::Error> {
        T::items(items)
    }
    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
        T::members(members)
    }
}

/// A string.
#[derive(Debug, Default)]
pub(crate) struct LenientText<'a>(Option<Cow<'a, str>>);

impl<'a> LenientText<'a> {
    /// Returns the string, if it is one and not empty.
    pub(crate) fn get(&self) -> Option<&str> {
        self.present().filter(|text| !text.is_empty())
    }

    /// Returns the string, if it is one.
    pub(crate) fn present(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Returns the string, or an empty one.
    pub(crate) fn or_empty(&self) -> &str {
        self.present().unwrap_or_default()
    }
}

impl<'a> From<Cow<'a, str>> for LenientText<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self(Some(text))
    }
}

impl<'de: 'a, 'a> LenientJson<'de> for LenientText<'a> {
    fn text(text: Cow<'de, str>) -> Self {
        Self(Some(text))
    }
}

/// True only for `true`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LenientFlag(pub bool);

impl<'de> LenientJson<'de> for LenientFlag {
    fn flag(flag: bool) -> Self {
        Self(flag)
    }
}

/// A whole number, not negative.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LenientCount(pub u64);

impl<'de> LenientJson<'de> for LenientCount {
    fn count(count: u64) -> Self {
        Self(count)
    }
}

/// An object.
#[derive(Debug)]
pub(crate) struct LenientObject<T>(pub Option<T>);

impl<T> Default for LenientObject<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> LenientJson<'de> for LenientObject<T> {
    fn members<A: MapAccess<'de>>(members: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members)).map(|object| Self(Some(object)))
    }
}

/// The members of an object, in order.
#[derive(Debug)]
pub(crate) struct LenientMembers<'a, T>(pub Vec<(Cow<'a, str>, T)>);

impl<T> Default for LenientMembers<'_, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> LenientJson<'de> for LenientMembers<'a, T> {
    fn members<A: MapAccess<'de>>(mut members: A) -> Result<Self, A::Error> {
        let mut found = Vec::new();
        while let Some(member) = members.next_entry()? {
            found.push(member);
        }
        Ok(Self(found))
    }
}

/// The items of an array.
#[derive(Debug)]
pub(crate) struct LenientItems<T>(pub Vec<T>);

impl<T> Default for LenientItems<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> LenientJson<'de> for LenientItems<T> {
    fn items<A: SeqAccess<'de>>(mut items: A) -> Result<Self, A::Error> {
        let mut found = Vec::new();
        while let Some(item) = items.next_element()? {
            found.push(item);
        }
        Ok(Self(found))
    }
}

/// The objects among the items of an array.
#[derive(Debug)]
pub(crate) struct LenientObjects<T>(pub Vec<T>);

impl<T> Default for LenientObjects<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> LenientJson<'de> for LenientObjects<T> {
    fn items<A: SeqAccess<'de>>(mut items: A) -> Result<Self, A::Error> {
        let mut found = Vec::new();
        while let Some(item) = items.next_element::<LenientObject<T>>()? {
            found.extend(item.0);
        }
        Ok(Self(found))
    }
}
