//! `-configfile FILE`: the rest of a command line from a file.
//!
//! What: [`read`] gives the words of each line that has any: a program with its options, as between colons.
//! Why: hydra's users keep long lines of several programs in files; Open MPI calls them app files.
//! Step before: [`super::parse`] met the option. Step after: it reads the lines as segments.
//!
//! A word ends at white space, unless quotes or a backslash hold it together; `#` at the beginning of a
//! word begins a comment; a backslash at a line's end joins the next one; a lone `:` parts programs too.

use std::ffi::OsString;
use std::path::Path;

use super::error::ConfigFileError;
use super::options::Action;

/// The words of each line; the file has to be `alone` in its command line.
pub fn read(path: &Path, alone: bool) -> Result<Vec<Vec<OsString>>, ConfigFileError> {
    let path = path.to_path_buf();
    if !alone {
        return Err(ConfigFileError::NotAlone { path });
    }
    let text = std::fs::read_to_string(&path).map_err(|error| ConfigFileError::File {
        path: path.clone(),
        reason: error.to_string(),
    })?;
    let mut segments: Vec<Vec<OsString>> = Vec::new();
    // A joined line keeps its place in the count.
    let joined = text.replace("\\\n", " ");
    for (index, line) in joined.lines().enumerate() {
        let line = words(line).ok_or_else(|| ConfigFileError::Quote {
            path: path.clone(),
            line: index + 1,
        })?;
        let parts = line.split(|word| word == ":");
        segments.extend(
            parts
                .filter(|part| !part.is_empty())
                .map(<[OsString]>::to_vec),
        );
    }
    if segments.is_empty() {
        return Err(ConfigFileError::Empty { path });
    }
    Ok(segments)
}

/// Whether a line's options name a configuration file.
pub fn names_a_file(line: &[OsString]) -> bool {
    let mut words = super::words::Words {
        arguments: line,
        next: 0,
    };
    while let Ok(Some(met)) = words.option() {
        if met.action() == Action::ConfigFile {
            return true;
        }
    }
    false
}

/// The words of a line; nothing where a quote does not end.
fn words(line: &str) -> Option<Vec<OsString>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('"') | None, '\\') => word.get_or_insert_default().extend(letters.next()),
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, _) if letter.is_whitespace() => words.extend(word.take().map(OsString::from)),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word.map(OsString::from));
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(name: &str, text: &str) -> Result<Vec<Vec<OsString>>, ConfigFileError> {
        let path = std::env::temp_dir().join(format!("pamir-config-{name}-{}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let segments = read(&path, true);
        let _ = std::fs::remove_file(path);
        segments
    }

    #[test]
    fn each_line_is_a_program() {
        let text = "# a job\n-n 1 ./master 'a b' \"c \\\" d\"\n\n-n 3 \\\n ./worker x\\ y # many\n-n 1 a : b\n";
        let segments = read_text("lines", text).unwrap();
        assert_eq!(segments[0], ["-n", "1", "./master", "a b", "c \" d"]);
        assert_eq!(segments[1], ["-n", "3", "./worker", "x y"]);
        assert_eq!(segments[2..], [vec!["-n", "1", "a"], vec!["b"]]);
    }

    #[test]
    fn what_cannot_serve_is_told() {
        let error = |name: &str, text: &str| read_text(name, text).unwrap_err().to_string();
        assert!(error("quote", "a\nb 'c\n").contains("line 2"));
        assert!(error("empty", "# nothing\n").contains("names no program"));
        let missing = read(Path::new("/no/such/file"), true)
            .unwrap_err()
            .to_string();
        assert!(missing.contains("/no/such/file"), "{missing}");
        assert!(matches!(
            read(Path::new("a"), false),
            Err(ConfigFileError::NotAlone { .. })
        ));
    }

    #[test]
    fn files_do_not_name_files() {
        let line: Vec<OsString> = ["-n", "1", "-configfile", "b"].map(OsString::from).into();
        assert!(names_a_file(&line));
        let line: Vec<OsString> = ["-n", "1", "a", "-configfile"].map(OsString::from).into();
        assert!(!names_a_file(&line));
        let line: Vec<OsString> = ["--app=b"].map(OsString::from).into();
        assert!(names_a_file(&line));
    }
}
