//! What a launcher has answered, read.
//!
//! Before: [`crate::status::client`] has asked. After: [`super::table`] prints the documents, [`super`] passes their text on.
//! Invariant: what is passed on is JSON.

use crate::status::client::Answer;
use crate::status::document::Document;

/// A job and what is known of it.
#[derive(Debug)]
pub(super) struct Job {
    /// The job's number.
    pub number: u32,
    /// Its document, or why there is none.
    pub document: Result<Document, String>,
}

impl Job {
    /// The job that has answered so.
    pub fn of(answer: &Answer) -> Self {
        let read = |text: &str| {
            let document = serde_json::from_str::<Document>(text);
            document.map_err(|error| format!("its launcher is of another version: {error}"))
        };
        Self {
            number: answer.name.process,
            document: text(answer).and_then(read),
        }
    }
}

/// A launcher's answer as it is, if it is JSON; or why there is none.
pub(super) fn text(answer: &Answer) -> Result<&str, String> {
    let text = answer.text.as_ref().map_err(ToString::to_string)?;
    let parsed = serde_json::from_str::<serde::de::IgnoredAny>(text);
    parsed.map_err(|error| format!("its launcher answers something else than JSON: {error}"))?;
    Ok(text.trim_end())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::status::document::tests::document;
    use crate::status::socket_name::SocketName;

    #[test]
    fn answers_are_documents_or_say_why_not() {
        let of = |text: io::Result<&str>| {
            let name = SocketName::own();
            let text = text.map(String::from);
            Job::of(&Answer { name, text }).document
        };
        let text = serde_json::to_string(&document()).unwrap();
        assert_eq!(of(Ok(&text)), Ok(document()));
        assert_eq!(of(Err(io::Error::other("silent"))), Err("silent".into()));
        assert!(of(Ok("{}")).unwrap_err().contains("another version"));
        assert!(of(Ok("{\"format\"")).unwrap_err().contains("JSON"));
    }
}
