//! Reads `table/functions.txt` and `table/constants.txt`.
//!
//! The formats are described at the top of those files. Reading keeps their
//! order: the header and the exports come out in the order of the tables.

use crate::c_type::Parameter;

/// What is to be done for the functions of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Written by hand in the chapter's file.
    Implemented,
    /// Exported, but raises `MPI_ERR_UNSUPPORTED_OPERATION`.
    Later,
    /// Like `Implemented`, but no part of the standard ABI.
    Extension,
    /// Like `Extension`, but shown in the header only to programs that ask for it.
    Removed,
}

/// One exported function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The C name, such as `MPI_Send_c`.
    pub name: String,
    /// The handwritten function's name, such as `send`: a twin has its origin's.
    pub rust_name: String,
    /// The C return type.
    pub returns: String,
    /// The parameters, with their polymorphic types resolved.
    pub parameters: Vec<Parameter>,
    /// The version of MPI that deprecated the function.
    pub deprecated: Option<String>,
}

/// A run of functions of one chapter and one status.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// The room and the chapter's name, such as `messages/probe`: its place in `src/functions/`.
    pub path: String,
    /// What is to be done for its functions.
    pub status: Status,
    /// What the chapter is about.
    pub about: String,
    /// The functions, each followed by its large-count twin if it has one.
    pub functions: Vec<Function>,
}

/// What a section of constants holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Integers.
    Int,
    /// Error classes, whose text `MPI_Error_string` gives.
    ErrorClass,
    /// Predefined handles of the named type.
    Handle(String),
    /// Members of the named enumeration.
    Enumeration(String),
    /// Addresses; the value is a C pointer type and a number.
    Pointer,
    /// Values of type `MPI_Offset`.
    Offset,
    /// Predefined callbacks; the value is a callback type and a number.
    Function,
    /// Further names of what has a name already.
    Rename,
    /// Callback types.
    Callback,
}

/// A constant: its name, the text of its value, and what it means.
#[derive(Clone, Debug)]
pub struct Constant {
    /// The C name.
    pub name: String,
    /// The value as the table writes it.
    pub value: String,
    /// The text after the value; empty when there is none.
    pub text: String,
}

/// A callback type.
#[derive(Clone, Debug)]
pub struct Callback {
    /// The C name of the function type.
    pub name: String,
    /// The C return type.
    pub returns: String,
    /// The parameters; the last one may be `...`.
    pub parameters: Vec<Parameter>,
}

/// A section of constants or callbacks.
#[derive(Clone, Debug)]
pub struct Section {
    /// What it holds.
    pub kind: Kind,
    /// What it is about.
    pub about: String,
    /// Its constants, in order.
    pub constants: Vec<Constant>,
    /// Its callback types, in order.
    pub callbacks: Vec<Callback>,
}

/// Both tables.
#[derive(Clone, Debug)]
pub struct Table {
    /// The functions by chapter.
    pub chapters: Vec<Chapter>,
    /// The constants and callback types by section.
    pub sections: Vec<Section>,
}

impl Table {
    /// Reads both tables; the error names the line that is wrong.
    pub fn parse(functions: &str, constants: &str) -> Result<Self, String> {
        Ok(Self {
            chapters: parse_functions(functions)?,
            sections: parse_constants(constants)?,
        })
    }

    /// Whether `name` is one of the callback types.
    pub fn is_callback(&self, name: &str) -> bool {
        self.sections
            .iter()
            .flat_map(|s| &s.callbacks)
            .any(|callback| callback.name == name)
    }
}

/// The lines that mean something, with their numbers from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Splits `[a b] text` into `a b` and `text`.
fn heading(line: &str) -> Option<(&str, &str)> {
    let (inside, about) = line.strip_prefix('[')?.split_once(']')?;
    Some((inside.trim(), about.trim()))
}

/// Reads `int MPI_Name(parameters)`, where `int` may be left out.
fn prototype(line: &str) -> Option<(String, String, Vec<Parameter>)> {
    let (head, rest) = line.split_once('(')?;
    let inside = rest.trim().strip_suffix(')')?;
    let (returns, name) = head.trim().rsplit_once(' ').unwrap_or(("int", head.trim()));
    let parameters = match inside.trim() {
        "" => Vec::new(),
        list => list
            .split(',')
            .map(Parameter::parse)
            .collect::<Option<_>>()?,
    };
    Some((returns.to_string(), name.to_string(), parameters))
}

fn parse_functions(text: &str) -> Result<Vec<Chapter>, String> {
    let mut chapters: Vec<Chapter> = Vec::new();
    for (number, line) in lines(text) {
        let wrong = |what: &str| format!("table/functions.txt:{number}: {what}: {line}");
        if line.starts_with('[') {
            let (inside, about) = heading(line).ok_or_else(|| wrong("unclosed heading"))?;
            let (path, status) = inside
                .split_once(' ')
                .ok_or_else(|| wrong("a heading is [chapter status]"))?;
            let status = match status {
                "implemented" => Status::Implemented,
                "later" => Status::Later,
                "extension" => Status::Extension,
                "removed" => Status::Removed,
                _ => return Err(wrong("status is implemented, later, extension or removed")),
            };
            chapters.push(Chapter {
                path: path.to_string(),
                status,
                about: about.to_string(),
                functions: Vec::new(),
            });
            continue;
        }
        let (declaration, deprecated) = match line.split_once(" ; deprecated ") {
            Some((declaration, version)) => (declaration, Some(version.to_string())),
            None => (line, None),
        };
        let (returns, name, parameters) =
            prototype(declaration).ok_or_else(|| wrong("not a prototype"))?;
        let rust_name = ["MPI_", "MPIX_", "MPIR_", "OMPI_"]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix))
            .ok_or_else(|| wrong("a function's name starts with MPI_, MPIX_, MPIR_ or OMPI_"))?
            .to_lowercase();
        let chapter = chapters.last_mut().ok_or_else(|| wrong("no chapter yet"))?;
        let resolved = |large| parameters.iter().map(|p| p.resolved(large)).collect();
        let function = Function {
            name: name.clone(),
            rust_name: rust_name.clone(),
            returns,
            parameters: resolved(false),
            deprecated,
        };
        let twin = Function {
            name: format!("{name}_c"),
            parameters: resolved(true),
            ..function.clone()
        };
        chapter.functions.push(function);
        if parameters.iter().any(Parameter::is_polymorphic) {
            chapter.functions.push(twin);
        }
    }
    Ok(chapters)
}

fn parse_constants(text: &str) -> Result<Vec<Section>, String> {
    let mut sections: Vec<Section> = Vec::new();
    for (number, line) in lines(text) {
        let wrong = |what: &str| format!("table/constants.txt:{number}: {what}: {line}");
        if line.starts_with('[') {
            let (inside, about) = heading(line).ok_or_else(|| wrong("unclosed heading"))?;
            let kind = match inside.split_once(' ').unwrap_or((inside, "")) {
                ("int", "") => Kind::Int,
                ("error_class", "") => Kind::ErrorClass,
                ("pointer", "") => Kind::Pointer,
                ("offset", "") => Kind::Offset,
                ("function", "") => Kind::Function,
                ("rename", "") => Kind::Rename,
                ("callback", "") => Kind::Callback,
                ("handle", name) if !name.is_empty() => Kind::Handle(name.to_string()),
                ("enum", name) if !name.is_empty() => Kind::Enumeration(name.to_string()),
                _ => return Err(wrong("unknown kind of section")),
            };
            sections.push(Section {
                kind,
                about: about.to_string(),
                constants: Vec::new(),
                callbacks: Vec::new(),
            });
            continue;
        }
        let section = sections.last_mut().ok_or_else(|| wrong("no section yet"))?;
        if section.kind == Kind::Callback {
            let (returns, name, parameters) =
                prototype(line).ok_or_else(|| wrong("not a prototype"))?;
            section.callbacks.push(Callback {
                name,
                returns,
                parameters,
            });
            continue;
        }
        let (name, rest) = line
            .split_once(" = ")
            .ok_or_else(|| wrong("a constant is NAME = value"))?;
        let (value, text) = rest.split_once(" : ").unwrap_or((rest, ""));
        if section.kind == Kind::ErrorClass && text.is_empty() {
            return Err(wrong("an error class needs a text"));
        }
        section.constants.push(Constant {
            name: name.trim().to_string(),
            value: value.trim().to_string(),
            text: text.trim().to_string(),
        });
    }
    Ok(sections)
}
