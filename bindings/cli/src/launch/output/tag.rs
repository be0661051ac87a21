//! What the lines of one rank begin with.
//!
//! Step before: [`super::route`]. Step after: [`super::sink::Sink::put`].

use std::borrow::Cow;
use std::mem::MaybeUninit;

/// The beginning of lines: the time, a prefix, both, or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tag {
    time: bool,
    prefix: String,
}

impl Tag {
    /// The time, if asked for, and then this prefix.
    pub fn new(time: bool, prefix: String) -> Self {
        Self { time, prefix }
    }

    /// The text for lines that are written now, if there is any.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self.time {
            true => Some(Cow::Owned(format!("[{}] {}", now(), self.prefix))),
            false if self.prefix.is_empty() => None,
            false => Some(Cow::Borrowed(&self.prefix)),
        }
    }
}

/// The time of this place, to the second.
fn now() -> String {
    let mut parts = MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: a null pointer only asks for the time. `localtime_r` reads that and fills the
    // parts, both of which are valid, and fails for no time of ours.
    let parts = unsafe {
        let seconds = libc::time(std::ptr::null_mut());
        libc::localtime_r(&seconds, parts.as_mut_ptr());
        // All zeros is a valid `tm`, too.
        parts.assume_init()
    };
    format!(
        "{}-{:02}-{:02} {:02}:{:02}:{:02}",
        1900 + parts.tm_year,
        1 + parts.tm_mon,
        parts.tm_mday,
        parts.tm_hour,
        parts.tm_min,
        parts.tm_sec
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_has_what_was_asked_for() {
        let text = |time, prefix: &str| {
            let tag = Tag::new(time, prefix.to_string());
            tag.text().map(Cow::into_owned)
        };
        assert_eq!(text(false, ""), None);
        assert_eq!(text(false, "[3] ").as_deref(), Some("[3] "));
        let stamped = text(true, "[3] ").unwrap();
        let digits = |one: char| if one.is_ascii_digit() { '0' } else { one };
        let shape: String = stamped.chars().map(digits).collect();
        assert_eq!(shape, "[0000-00-00 00:00:00] [0] ");
    }
}
