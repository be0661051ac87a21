//! `pamir info --variables`: every variable, its value, and where that comes from.
//!
//! Before: [`super::run`]. After: standard output. The table is `pamir_settings::table`.

use std::ffi::OsString;
use std::fmt::Write as _;

use pamir_settings::{Audience, Declared, SELECTION_FILE, document};

/// A line for each variable that users set, and for those of other audiences that are set.
pub fn describe() -> String {
    describe_of(|name| std::env::var_os(name))
}

fn describe_of(variable: impl Fn(&str) -> Option<OsString>) -> String {
    let users = document::of(Audience::Users).map(|setting| (setting, variable(setting.name())));
    let launcher = document::of(Audience::Launcher);
    let launcher = launcher.map(|setting| (setting, variable(setting.name())));
    let launcher = launcher.filter(|(_, value)| value.is_some());
    let lines: Vec<[String; 3]> = users.chain(launcher).map(columns).collect();
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max();
    let (first, second) = (width(0).unwrap_or(0), width(1).unwrap_or(0));
    let mut text = String::new();
    for [name, value, origin] in &lines {
        let _ = writeln!(text, "{name:<first$}  {value:<second$}  {origin}");
    }
    text
}

/// Name, value and origin. An empty value counts as none, but for the name of a file that is not to be read.
fn columns((setting, value): (&'static dyn Declared, Option<OsString>)) -> [String; 3] {
    let name = setting.name().to_owned();
    if name == SELECTION_FILE.name() && value.as_ref().is_some_and(|value| value.is_empty()) {
        return [name, "no file".into(), "environment".into()];
    }
    match value.filter(|value| !value.is_empty()) {
        None => [name, setting.default_words(), "default".into()],
        Some(value) => {
            let origin = if setting.takes(&value) {
                "environment".into()
            } else {
                format!("environment, refused: it is {}", setting.allowed())
            };
            [name, value.to_string_lossy().into_owned(), origin]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variable_has_a_value_and_an_origin() {
        let text = describe_of(|name| match name {
            "PAMIR_ENGINE" => Some("thread".into()),
            "PAMIR_NO_BOARDS" => Some("perhaps".into()),
            "PAMIR_WAIT" | "PAMIR_SELECTION_FILE" => Some("".into()),
            _ => None,
        });
        let line = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name));
            line.unwrap_or_default()
                .split_whitespace()
                .collect::<Vec<_>>()
        };
        assert_eq!(
            line("PAMIR_ENGINE "),
            ["PAMIR_ENGINE", "thread", "environment"]
        );
        assert_eq!(line("PAMIR_WAIT "), ["PAMIR_WAIT", "long", "default"]);
        let file = ["PAMIR_SELECTION_FILE", "no", "file", "environment"];
        assert_eq!(line("PAMIR_SELECTION_FILE "), file);
        assert!(line("PAMIR_NO_BOARDS ").contains(&"refused:"), "{text}");
        assert!(line("PAMIR_ALLREDUCE ").contains(&"default"), "{text}");
        assert!(!text.contains("PAMIR_RANK"), "{text}");
    }
}
