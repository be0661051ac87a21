//! The kinds of values that variables have.
//!
//! Before: [`crate::table`] gives each variable a kind. After: [`crate::setting`] parses by it.
//! Invariant: no parser allocates but that of [`Text`], since the heap's library asks inside of
//! `malloc`.

use std::ffi::{OsStr, OsString};

/// What a variable may hold, and what it means where it is not set.
pub trait Kind: Sync {
    /// What readers get.
    type Value;

    /// The value that a text names, if it names one. The text is not empty.
    fn parse(&self, text: &OsStr) -> Option<Self::Value>;

    /// The value where the variable is not set.
    fn default_value(&self) -> Self::Value;

    /// The default in words.
    fn default_words(&self) -> String;

    /// What is allowed, in words that follow "it is".
    fn allowed(&self) -> String;
}

/// On or off; what it holds is the default.
#[derive(Debug)]
pub struct Switch(pub bool);

/// A whole number within bounds.
#[derive(Debug)]
pub struct Whole {
    /// The least.
    pub least: usize,
    /// The greatest.
    pub most: usize,
    /// The default.
    pub default: usize,
}

/// A whole number within bounds, whose default follows from the machine or another setting.
#[derive(Debug)]
pub struct OptionalWhole {
    /// The least.
    pub least: usize,
    /// The greatest.
    pub most: usize,
    /// The default in words.
    pub default: &'static str,
}

/// A number of bytes, such as `32768` or `32K`.
#[derive(Debug)]
pub struct Bytes(pub usize);

/// One of these words; the first is the default.
#[derive(Debug)]
pub struct Words(pub &'static [&'static str]);

/// A text whose form its room knows, such as a list or a path.
#[derive(Debug)]
pub struct Text {
    /// The form in words that follow "it is".
    pub form: &'static str,
    /// The default in words.
    pub default: &'static str,
}

const ON: [&str; 4] = ["1", "on", "yes", "true"];
const OFF: [&str; 4] = ["0", "off", "no", "false"];

impl Kind for Switch {
    type Value = bool;

    fn parse(&self, text: &OsStr) -> Option<bool> {
        let text = text.to_str()?.trim();
        let is = |word: &&str| word.eq_ignore_ascii_case(text);
        let on = ON.iter().any(is);
        (on || OFF.iter().any(is)).then_some(on)
    }

    fn default_value(&self) -> bool {
        self.0
    }

    fn default_words(&self) -> String {
        if self.0 { "1" } else { "0" }.into()
    }

    fn allowed(&self) -> String {
        "1 (on, yes, true) or 0 (off, no, false)".into()
    }
}

fn whole(text: &OsStr, least: usize, most: usize) -> Option<usize> {
    let number = text.to_str()?.trim().parse().ok()?;
    (least..=most).contains(&number).then_some(number)
}

fn bounds(least: usize, most: usize) -> String {
    match most {
        usize::MAX => format!("a whole number from {least} on"),
        _ => format!("a whole number from {least} to {most}"),
    }
}

impl Kind for Whole {
    type Value = usize;

    fn parse(&self, text: &OsStr) -> Option<usize> {
        whole(text, self.least, self.most)
    }

    fn default_value(&self) -> usize {
        self.default
    }

    fn default_words(&self) -> String {
        self.default.to_string()
    }

    fn allowed(&self) -> String {
        bounds(self.least, self.most)
    }
}

impl Kind for OptionalWhole {
    type Value = Option<usize>;

    fn parse(&self, text: &OsStr) -> Option<Option<usize>> {
        whole(text, self.least, self.most).map(Some)
    }

    fn default_value(&self) -> Option<usize> {
        None
    }

    fn default_words(&self) -> String {
        self.default.into()
    }

    fn allowed(&self) -> String {
        bounds(self.least, self.most)
    }
}

impl Kind for Bytes {
    type Value = usize;

    fn parse(&self, text: &OsStr) -> Option<usize> {
        let text = text.to_str()?.trim();
        let units = [("K", 10), ("M", 20), ("G", 30)];
        let unit = units
            .iter()
            .find_map(|(unit, bits)| Some((text.strip_suffix(unit)?, *bits)));
        let (digits, bits) = unit.unwrap_or((text, 0));
        digits.parse::<usize>().ok()?.checked_mul(1 << bits)
    }

    fn default_value(&self) -> usize {
        self.0
    }

    fn default_words(&self) -> String {
        self.0.to_string()
    }

    fn allowed(&self) -> String {
        "a number of bytes such as 65536, 64K or 1M".into()
    }
}

impl Kind for Words {
    type Value = &'static str;

    fn parse(&self, text: &OsStr) -> Option<&'static str> {
        let text = text.to_str()?.trim();
        self.0.iter().copied().find(|word| *word == text)
    }

    fn default_value(&self) -> &'static str {
        self.0.first().copied().unwrap_or_default()
    }

    fn default_words(&self) -> String {
        self.default_value().into()
    }

    fn allowed(&self) -> String {
        match self.0 {
            [] => String::new(),
            [only] => (*only).into(),
            [others @ .., last] => format!("{} or {last}", others.join(", ")),
        }
    }
}

impl Kind for Text {
    type Value = Option<OsString>;

    fn parse(&self, text: &OsStr) -> Option<Option<OsString>> {
        Some(Some(text.to_owned()))
    }

    fn default_value(&self) -> Option<OsString> {
        None
    }

    fn default_words(&self) -> String {
        self.default.into()
    }

    fn allowed(&self) -> String {
        self.form.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse<K: Kind>(kind: &K, text: &str) -> Option<K::Value> {
        kind.parse(OsStr::new(text))
    }

    #[test]
    fn zero_switches_off_whatever_the_default_is() {
        for default in [false, true] {
            let switch = Switch(default);
            for word in ["0", "off", "no", "False", " 0 "] {
                assert_eq!(parse(&switch, word), Some(false), "{word}");
            }
            for word in ["1", "on", "yes", "TRUE"] {
                assert_eq!(parse(&switch, word), Some(true), "{word}");
            }
            assert_eq!(parse(&switch, "2"), None);
            assert_eq!(parse(&switch, "please"), None);
        }
    }

    #[test]
    fn numbers_keep_their_bounds() {
        let kind = Whole {
            least: 2,
            most: 8,
            default: 4,
        };
        assert_eq!(parse(&kind, "2"), Some(2));
        assert_eq!(parse(&kind, "8"), Some(8));
        for text in ["1", "9", "-3", "4.5", "99999999999999999999", "four"] {
            assert_eq!(parse(&kind, text), None, "{text}");
        }
        assert_eq!(kind.allowed(), "a whole number from 2 to 8");
    }

    #[test]
    fn bytes_have_units_and_do_not_overflow() {
        let kind = Bytes(7);
        assert_eq!(parse(&kind, "512"), Some(512));
        assert_eq!(parse(&kind, "64K"), Some(65536));
        assert_eq!(parse(&kind, "3M"), Some(3 << 20));
        assert_eq!(parse(&kind, "1G"), Some(1 << 30));
        for text in ["K", "1.5K", "-1", "18446744073709551615K"] {
            assert_eq!(parse(&kind, text), None, "{text}");
        }
    }

    #[test]
    fn words_are_those_of_the_list_and_the_first_is_the_default() {
        let kind = Words(&["none", "thread", "node"]);
        assert_eq!(parse(&kind, "node"), Some("node"));
        assert_eq!(parse(&kind, "nodes"), None);
        assert_eq!(kind.default_value(), "none");
        assert_eq!(kind.allowed(), "none, thread or node");
    }
}
