//! One variable: its name, its kind, and its reader.
//!
//! Before: [`crate::table`]. After: the room that reads it; [`Declared`] is what the check, the
//! document and `pamir info` see of every variable alike.

use std::ffi::{CStr, OsStr, OsString};
use std::str::FromStr;

use crate::kind::Kind;

/// For whom a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Users set it.
    Users,
    /// The launcher sets it for its ranks.
    Launcher,
    /// The project's own tests set it.
    Tests,
}

/// A variable of the environment.
#[derive(Debug)]
pub struct Setting<K> {
    pub(crate) c_name: &'static CStr,
    pub(crate) name: &'static str,
    pub(crate) kind: K,
    pub(crate) audience: Audience,
    pub(crate) room: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) is_agreed: bool,
}

impl<K> Setting<K> {
    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Its name for `getenv`, for who cannot allocate.
    pub const fn c_name(&self) -> &'static CStr {
        self.c_name
    }
}

impl<K: Kind> Setting<K> {
    /// What the environment says, or the default. A bad value is the default: [`crate::check()`] has
    /// ended the job by then.
    pub fn value(&self) -> K::Value {
        self.value_of(self.raw().as_deref())
    }

    /// What a text says, or the default.
    pub fn value_of(&self, text: Option<&OsStr>) -> K::Value {
        let parsed = set(text).and_then(|text| self.kind.parse(text));
        parsed.unwrap_or_else(|| self.kind.default_value())
    }

    /// The text in the environment, if it is set, be it empty.
    pub fn raw(&self) -> Option<OsString> {
        std::env::var_os(self.name)
    }

    /// The text in the environment; empty where it is not set.
    pub fn text(&self) -> String {
        self.raw()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    /// What the text in the environment means to its room, if it is set.
    ///
    /// # Errors
    ///
    /// What the room's parser says of a bad value.
    pub fn parsed<T: FromStr>(&self) -> Result<Option<T>, T::Err> {
        let text = self.text();
        (!text.is_empty()).then(|| text.parse()).transpose()
    }
}

/// A text that is not empty.
fn set(text: Option<&OsStr>) -> Option<&OsStr> {
    text.filter(|text| !text.is_empty())
}

/// A variable, whatever its kind.
pub trait Declared: Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// For whom it is.
    fn audience(&self) -> Audience;
    /// Who reads it.
    fn room(&self) -> &'static str;
    /// One sentence that says what it does.
    fn meaning(&self) -> &'static str;
    /// Whether all ranks of a job need it alike.
    fn is_agreed(&self) -> bool;
    /// What it may hold, in words that follow "it is".
    fn allowed(&self) -> String;
    /// What it is where it is not set, in words.
    fn default_words(&self) -> String;
    /// What a text means, for comparison with another one.
    fn effect(&self, text: Option<&OsStr>) -> String;
    /// Whether it may hold a text.
    fn takes(&self, text: &OsStr) -> bool;
}

impl<K: Kind<Value: std::fmt::Debug>> Declared for Setting<K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn audience(&self) -> Audience {
        self.audience
    }

    fn room(&self) -> &'static str {
        self.room
    }

    fn meaning(&self) -> &'static str {
        self.meaning
    }

    fn is_agreed(&self) -> bool {
        self.is_agreed
    }

    fn allowed(&self) -> String {
        self.kind.allowed()
    }

    fn default_words(&self) -> String {
        self.kind.default_words()
    }

    fn effect(&self, text: Option<&OsStr>) -> String {
        format!("{:?}", self.value_of(text))
    }

    fn takes(&self, text: &OsStr) -> bool {
        set(Some(text)).is_none_or(|text| self.kind.parse(text).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_or_bad_value_is_the_default() {
        let slots = &crate::INJECTION_SLOTS;
        let of = |text| slots.value_of(Some(OsStr::new(text)));
        assert_eq!((of("8"), of(""), of("few")), (8, 64, 64));
        assert_eq!(slots.value_of(None), 64);
        assert!(slots.takes(OsStr::new("")) && !slots.takes(OsStr::new("few")));
    }

    #[test]
    fn the_name_for_c_is_the_name() {
        assert_eq!(crate::ENGINE.name(), "PAMIR_ENGINE");
        assert_eq!(crate::ENGINE.c_name().to_str(), Ok("PAMIR_ENGINE"));
    }
}
