//! The tables of a C++ library.
//!
//! What: the lines of `methods.txt`, `classes.txt` and `objects.txt`, whose heads describe them, as values. Step before:
//! the files' text. Step after: `method` and `layout` write Rust. Invariant: a line that is not understood is an error
//! that shows it.

/// What a function of the library does.
#[derive(Debug)]
pub enum Body {
    /// Calls a C function.
    Call {
        /// Whether the first register is an object.
        has_object: bool,
        /// `void`, `int`, ..., or a class.
        result: String,
        /// The C function.
        function: String,
        /// Its arguments, in the table's form.
        arguments: Vec<String>,
        /// Whose error handler decides on an error.
        object: Option<String>,
    },
    /// Is written by hand.
    Special {
        /// The function's name in `special`.
        name: String,
        /// How many registers and words of the stack it has.
        count: usize,
        /// The class of what it makes.
        class: Option<String>,
    },
    /// Is a C function.
    Jump(String),
    /// A destructor that has nothing to do.
    Nothing,
    /// A destructor that gives the memory back.
    Delete,
}

/// A function of the library.
#[derive(Debug)]
pub struct Method {
    /// Its symbol.
    pub symbol: String,
    /// The class it belongs to, or `MPI`.
    pub class: String,
    /// What it does.
    pub body: Body,
}

/// A class with virtual functions.
#[derive(Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// What it is derived from.
    pub base: Option<String>,
    /// The constant that a new object holds.
    pub handle: Option<String>,
    /// The symbols in its table; `none` and `pure` stand for themselves.
    pub slots: Vec<String>,
}

/// A variable.
#[derive(Debug)]
pub struct Object {
    /// Its name in the namespace.
    pub name: String,
    /// Its class or type.
    pub class: String,
    /// The C constant.
    pub constant: String,
}

/// The lines that say something, each with the section it stands in.
fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut section = "";
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(move |line| {
            if line.starts_with('[') {
                section = line;
            }
            (section, line)
        })
}

/// What stands in the brackets of a section's head.
fn title(section: &str) -> &str {
    section[1..].split(']').next().unwrap_or_default()
}

/// `methods.txt`.
pub fn methods(text: &str) -> Result<Vec<Method>, String> {
    let mut all = Vec::new();
    for (section, line) in lines(text).filter(|(section, line)| section != line) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let body = body(&words[1..]).ok_or_else(|| format!("methods.txt: {line}"))?;
        all.push(Method {
            symbol: words[0].to_string(),
            class: title(section).to_string(),
            body,
        });
    }
    Ok(all)
}

fn body(words: &[&str]) -> Option<Body> {
    Some(match words {
        ["nothing"] => Body::Nothing,
        ["delete"] => Body::Delete,
        ["jump", function] => Body::Jump(function.to_string()),
        ["special", name, count, class @ ..] => Body::Special {
            name: name.to_string(),
            count: count.parse().ok()?,
            class: class.first().map(ToString::to_string),
        },
        [kind @ ("method" | "function"), result, function, rest @ ..] => {
            let end = rest.iter().position(|word| *word == "|");
            let arguments = &rest[..end.unwrap_or(rest.len())];
            Body::Call {
                has_object: *kind == "method",
                result: result.to_string(),
                function: function.to_string(),
                arguments: arguments.iter().map(ToString::to_string).collect(),
                object: end.and_then(|at| rest.get(at + 1)).map(ToString::to_string),
            }
        }
        _ => return None,
    })
}

/// `classes.txt`.
pub fn classes(text: &str) -> Result<Vec<Class>, String> {
    let mut all: Vec<Class> = Vec::new();
    for (section, line) in lines(text) {
        let wrong = || format!("classes.txt: {line}");
        if section == line {
            let mut names = title(section).split(" : ").map(str::to_string);
            let handle = line.split("] ").nth(1).ok_or_else(wrong)?;
            all.push(Class {
                name: names.next().ok_or_else(wrong)?,
                base: names.next(),
                handle: (handle != "-").then(|| handle.to_string()),
                slots: Vec::new(),
            });
            continue;
        }
        let (own, before) = all.split_last_mut().ok_or_else(wrong)?;
        match line.split_once(" -> ") {
            Some((place, symbol)) => {
                let place: usize = place.parse().map_err(|_| wrong())?;
                *own.slots.get_mut(place).ok_or_else(wrong)? = symbol.to_string();
            }
            None if line == "+" => {
                let base = before
                    .iter()
                    .find(|class| Some(&class.name) == own.base.as_ref());
                own.slots.clone_from(&base.ok_or_else(wrong)?.slots);
            }
            None => own.slots.push(line.to_string()),
        }
    }
    Ok(all)
}

/// `objects.txt`.
pub fn objects(text: &str) -> Result<Vec<Object>, String> {
    let mut all = Vec::new();
    for (section, line) in lines(text).filter(|(section, line)| section != line) {
        let (name, constant) = line
            .split_once(' ')
            .ok_or_else(|| format!("objects.txt: {line}"))?;
        all.push(Object {
            name: name.to_string(),
            class: title(section).to_string(),
            constant: constant.to_string(),
        });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_derived_class_has_the_table_of_its_base() {
        let text = "[A] -\na\nb\n[B : A] MPI_COMM_NULL\n+\n1 -> c\nd\n";
        let classes = classes(text).expect("the text is right");
        assert_eq!(classes[1].slots, ["a", "c", "d"]);
        assert_eq!(classes[1].base.as_deref(), Some("A"));
        assert_eq!(classes[0].handle, None);
    }

    #[test]
    fn a_line_that_says_nothing_is_shown() {
        let error = methods("[A]\n_ZX turns around\n").expect_err("no such body");
        assert_eq!(error, "methods.txt: _ZX turns around");
    }
}
