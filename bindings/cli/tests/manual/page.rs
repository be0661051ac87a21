//! A page in `share/man1`: its written parts are replaced or compared.

use std::path::Path;

use roff::{Inline, Roff, bold, italic, roman};

/// What stands between two marks of a page.
pub struct Part {
    name: &'static str,
    text: String,
}

impl Part {
    pub fn new(name: &'static str, text: impl Into<Text>) -> Part {
        Part {
            name,
            text: text.into().0,
        }
    }
}

/// The source of a part of a page.
pub struct Text(String);

impl From<Roff> for Text {
    fn from(roff: Roff) -> Text {
        Text(roff.to_roff())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(text)
    }
}

/// Compares a page with its parts; with `PAMIR_BLESS` it writes them first.
pub fn compare(page: &str, parts: &[Part]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("share/man1")
        .join(page);
    let found = std::fs::read_to_string(&path).expect("the page is there");
    let right = parts
        .iter()
        .fold(found.clone(), |text, part| filled(&text, part));
    if std::env::var_os(pamir_settings::BLESS.name()).is_some() {
        std::fs::write(&path, &right).expect("the page is writable");
        return;
    }
    assert!(
        found == right,
        "{page} is not what the tables say: run `PAMIR_BLESS=1 cargo test -p pamir-cli --test manual`"
    );
}

/// A page with another text between the part's marks.
fn filled(page: &str, part: &Part) -> String {
    let mark = |word: &str| format!(".\\\" {word} {}\n", part.name);
    let (begin, end) = (mark("begin"), mark("end"));
    let (before, rest) = page
        .split_once(&begin)
        .expect("the page has the first mark");
    let (_, after) = rest.split_once(&end).expect("the page has the last mark");
    format!("{before}{begin}{}{end}{after}", part.text)
}

/// An item of a list: its head, and the text below it.
pub fn item(roff: &mut Roff, head: Vec<Inline>, text: &str) {
    roff.control("TP", []).text(head).text(words(text));
}

/// Spellings in bold with commas between, values in italics behind the last one.
pub fn spellings(names: &[String], values: &[&str]) -> Vec<Inline> {
    let mut head = vec![bold(names.join(", "))];
    for value in values {
        head.extend([roman(" "), italic(*value)]);
    }
    head
}

/// A text in which what stands in backticks is bold.
pub fn words(text: &str) -> Vec<Inline> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let pieces = text.split('`').enumerate();
    let shown = |(index, piece): (usize, &str)| match index % 2 {
        0 => roman(piece),
        _ => bold(piece),
    };
    pieces.map(shown).collect()
}
