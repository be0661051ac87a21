//! Writes the Rust that `crate::types`, `crate::constants`, `crate::error` and
//! `crate::exports` include.
//!
//! An exported function is three symbols on one body:
//!
//! ```text
//! MPI_Send  (exported) --jmp--+
//!                             +--> body_MPI_Send (local) --> functions::point_to_point::send
//! PMPI_Send (exported) --jmp--+         Err(e) --cold--> error::raise
//! ```
//!
//! The body refuses null pointers where the function writes or reads one value
//! ([`Parameter::must_exist`]), so that no handwritten function has to.
//!
//! The body is local to the library, so that a program's own `MPI_Send`, which
//! takes the place of ours in the dynamic symbol table, cannot be what
//! `PMPI_Send` reaches.

use pamir_interface::c_type::{Parameter, rust_base};
use pamir_interface::table::{Callback, Function, Kind, Section, Table};
use std::fmt::Write;

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
    out.push('\n');
}

/// Handle types, enumeration types and callback types.
pub fn types(table: &Table) -> String {
    let mut out = String::new();
    for section in &table.sections {
        match &section.kind {
            Kind::Handle(name) => {
                line(
                    &mut out,
                    format_args!("/// {} A C pointer that is never followed.", section.about),
                );
                line(
                    &mut out,
                    format_args!("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]"),
                );
                line(&mut out, format_args!("#[repr(transparent)]"));
                line(&mut out, format_args!("pub struct {name}(pub usize);"));
            }
            Kind::Enumeration(name) => {
                line(&mut out, format_args!("/// {}", section.about));
                line(&mut out, format_args!("pub type {name} = c_uint;"));
            }
            Kind::Callback => {
                for callback in &section.callbacks {
                    write_callback(&mut out, callback, table);
                }
            }
            _ => {}
        }
    }
    out
}

fn write_callback(out: &mut String, callback: &Callback, table: &Table) {
    let is_callback = |name: &str| table.is_callback(name);
    let rust = |parameter: &Parameter| match parameter.base.as_str() {
        "..." => "...".to_string(),
        _ => format!(
            "{}: {}",
            parameter.rust_name(),
            parameter.to_rust(is_callback)
        ),
    };
    let list = callback
        .parameters
        .iter()
        .map(rust)
        .collect::<Vec<_>>()
        .join(", ");
    let returns = match callback.returns.as_str() {
        "void" => String::new(),
        other => format!(" -> {}", rust_base(other)),
    };
    line(
        out,
        format_args!(
            "/// A program's `{}`; `None` is a null pointer.",
            callback.name
        ),
    );
    line(
        out,
        format_args!(
            "pub type {} = Option<unsafe extern \"C\" fn({list}){returns}>;",
            callback.name
        ),
    );
}

/// Constants.
pub fn constants(table: &Table) -> String {
    let mut out = String::new();
    for section in &table.sections {
        for constant in &section.constants {
            let (name, value) = (&constant.name, &constant.value);
            let (kind, value) = match &section.kind {
                Kind::Handle(handle) if value.starts_with("MPI_") => {
                    (handle.clone(), value.clone())
                }
                Kind::Handle(handle) => (handle.clone(), format!("{handle}({value})")),
                Kind::Enumeration(kind) => (kind.clone(), value.clone()),
                Kind::Int | Kind::ErrorClass => ("c_int".to_string(), value.clone()),
                Kind::Offset => ("MPI_Offset".to_string(), value.clone()),
                Kind::Pointer => {
                    let (kind, number) = value.rsplit_once(' ').unwrap_or(("void *", value));
                    let base = rust_base(kind.trim_end_matches(['*', ' ']));
                    let stars = "*mut ".repeat(kind.matches('*').count());
                    let cast = format!("std::ptr::without_provenance_mut({number})");
                    (format!("{stars}{base}"), cast)
                }
                // A predefined callback is compared by address and never called.
                Kind::Function => {
                    let number = value.rsplit_once(' ').map_or(value.as_str(), |(_, n)| n);
                    ("usize".to_string(), number.to_string())
                }
                Kind::Rename | Kind::Callback => continue,
            };
            let text = if constant.text.is_empty() {
                &section.about
            } else {
                &constant.text
            };
            line(
                &mut out,
                format_args!("/// {text}\npub const {name}: {kind} = {value};"),
            );
        }
    }
    out
}

/// `MPI_ERR_UNSUPPORTED_OPERATION` -> `UnsupportedOperation`; `MPI_T_ERR_MEMORY` -> `ToolMemory`.
fn variant(name: &str) -> String {
    let (prefix, words) = match name.strip_prefix("MPI_T_ERR_") {
        Some(words) => ("Tool", words),
        None => ("", name.trim_start_matches("MPI_ERR_")),
    };
    let mut variant = prefix.to_string();
    for word in words.split('_') {
        let (first, rest) = word.split_at(word.len().min(1));
        variant.push_str(first);
        variant.push_str(&rest.to_lowercase());
    }
    variant
}

/// `ErrorClass`, one variant for each class but `MPI_SUCCESS`.
pub fn error_classes(table: &Table) -> String {
    let is_class = |section: &&Section| section.kind == Kind::ErrorClass;
    let classes = || {
        let all = table
            .sections
            .iter()
            .filter(is_class)
            .flat_map(|section| &section.constants);
        all.filter(|constant| constant.name != "MPI_SUCCESS")
    };
    let mut out = String::new();
    line(
        &mut out,
        format_args!("/// An error class of the standard; its value is the class's code."),
    );
    line(
        &mut out,
        format_args!("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n#[repr(i32)]"),
    );
    line(&mut out, format_args!("pub enum ErrorClass {{"));
    for class in classes() {
        line(
            &mut out,
            format_args!("    /// `{}`: {}.", class.name, class.text),
        );
        line(
            &mut out,
            format_args!("    {} = {},", variant(&class.name), class.value),
        );
    }
    line(&mut out, format_args!("}}\n\nimpl ErrorClass {{"));
    line(
        &mut out,
        format_args!("    /// Every class, in the order of the codes."),
    );
    line(&mut out, format_args!("    pub const ALL: &[Self] = &["));
    for class in classes() {
        line(
            &mut out,
            format_args!("        Self::{},", variant(&class.name)),
        );
    }
    line(
        &mut out,
        format_args!("    ];\n\n    /// The class's name in C, such as `MPI_ERR_RANK`."),
    );
    line(
        &mut out,
        format_args!("    pub const fn name(self) -> &'static str {{\n        match self {{"),
    );
    for class in classes() {
        line(
            &mut out,
            format_args!(
                "            Self::{} => {:?},",
                variant(&class.name),
                class.name
            ),
        );
    }
    line(
        &mut out,
        format_args!(
            "        }}\n    }}\n\n    /// What the class means, as `MPI_Error_string` says it."
        ),
    );
    line(
        &mut out,
        format_args!("    pub const fn text(self) -> &'static str {{\n        match self {{"),
    );
    for class in classes() {
        line(
            &mut out,
            format_args!(
                "            Self::{} => {:?},",
                variant(&class.name),
                class.text
            ),
        );
    }
    line(&mut out, format_args!("        }}\n    }}\n}}"));
    out
}

/// The exported functions. `is_written(chapter's path, name)` says whether the
/// handwritten function exists; the others raise an error naming themselves.
pub fn exports(table: &Table, is_written: impl Fn(&str, &str) -> bool) -> String {
    let mut out = String::new();
    for chapter in &table.chapters {
        for function in &chapter.functions {
            let written = is_written(&chapter.path, &function.rust_name);
            write_function(&mut out, function, &chapter.path, written, table);
        }
    }
    write_bodies(&mut out, table);
    out
}

/// The table by which faces reach the bodies.
fn write_bodies(out: &mut String, table: &Table) {
    let functions = || table.chapters.iter().flat_map(|c| &c.functions);
    line(
        out,
        format_args!(
            "/// The functions in the order of `table/functions.txt`, for faces.\n\
             #[unsafe(no_mangle)]\n#[allow(non_upper_case_globals)]\n\
             pub static pamir_functions: crate::face::Functions<{}> = crate::face::Functions::new(\n    \
             crate::functions::management::error::handler::make,\n    \
             crate::functions::collectives::operation::set_argument,\n    [",
            functions().count()
        ),
    );
    for function in functions() {
        let name = &function.name;
        line(
            out,
            format_args!("    crate::face::Body::new(body_{name} as *mut ()),"),
        );
    }
    line(out, format_args!("]);"));
}

fn write_function(
    out: &mut String,
    function: &Function,
    chapter: &str,
    written: bool,
    table: &Table,
) {
    let name = &function.name;
    let is_callback = |name: &str| table.is_callback(name);
    // A variadic function cannot be defined in stable Rust. MPI_Pcontrol, the only
    // one, is free to ignore what follows its first argument.
    let parameters: Vec<_> = function
        .parameters
        .iter()
        .filter(|p| p.base != "...")
        .collect();
    let declared: Vec<_> = parameters
        .iter()
        .map(|p| format!("{}: {}", p.rust_name(), p.to_rust(is_callback)))
        .collect();
    let (declared, returns) = (declared.join(", "), rust_base(&function.returns));
    let passed: Vec<_> = parameters.iter().map(|p| p.rust_name()).collect();
    let safety =
        "// SAFETY: what the program vouches for when it calls this is handed on unchanged.";
    let checks: String = parameters
        .iter()
        .filter(|p| p.must_exist(is_callback))
        .map(|p| null_check(function, &p.rust_name()))
        .collect();
    let chapter = chapter.replace('/', "::");
    let call = format!(
        "unsafe {{ crate::functions::{chapter}::{}({}) }}",
        function.rust_name,
        passed.join(", ")
    );

    let body = if !written {
        let unsupported = format!("crate::error::unsupported({}, {name:?})", object(function));
        match returns {
            "c_int" => format!("    {unsupported}"),
            "f64" => format!("    {unsupported};\n    0.0"),
            "MPI_Aint" => format!("    {unsupported};\n    0"),
            handle => format!("    {unsupported};\n    {handle}(0)"),
        }
    } else if returns_value(function) {
        format!("    {safety}\n    {call}")
    } else {
        format!(
            "{checks}    {safety}\n    match {call} {{\n        \
             Ok(()) => crate::constants::MPI_SUCCESS,\n        \
             Err(error) => crate::error::raise({}, error, {name:?}),\n    }}",
            object(function)
        )
    };
    line(
        out,
        format_args!("unsafe extern \"C\" fn body_{name}({declared}) -> {returns} {{\n{body}\n}}"),
    );
    line(
        out,
        format_args!("export! {{ body_{name}, ({declared}) -> {returns}: {name} P{name} }}"),
    );
}

/// What refuses a null pointer before the handwritten function sees it.
fn null_check(function: &Function, parameter: &str) -> String {
    format!(
        "    if {parameter}.is_null() {{\n        \
         return crate::error::null_pointer({}, {parameter:?}, {:?});\n    }}\n",
        object(function),
        function.name
    )
}

/// Whether the function returns what it computes rather than an error code.
fn returns_value(function: &Function) -> bool {
    function.returns != "int" || function.name.ends_with("_toint")
}

/// The object whose error handler is called when the function fails (MPI-5.0,
/// section 9.3): the first communicator, window, file or session among the arguments.
fn object(function: &Function) -> String {
    // The tool interface gives codes back and calls no error handler (section 15.3.10).
    if function.name.starts_with("MPI_T_") {
        return "crate::error::Object::Tool".to_string();
    }
    // What makes a session, or a communicator without a parent, is given its error handler.
    let makes = ["_from_group", "_from_groups", "Session_init"];
    if makes.iter().any(|end| function.name.ends_with(end)) {
        return "crate::error::Object::Unmade(errhandler)".to_string();
    }
    const OBJECTS: [(&str, &str); 4] = [
        ("MPI_Comm", "Communicator"),
        ("MPI_Win", "Window"),
        ("MPI_File", "File"),
        ("MPI_Session", "Session"),
    ];
    // A window function takes a communicator only to create a window, a file
    // function only to open a file: the first argument of any of the kinds decides.
    let by_value = function
        .parameters
        .iter()
        .filter(|p| p.pointers == 0 && p.brackets.is_empty());
    for parameter in by_value {
        if let Some((_, kind)) = OBJECTS.iter().find(|(base, _)| *base == parameter.base) {
            return format!("crate::error::Object::{kind}({})", parameter.rust_name());
        }
    }
    // A function that ends an object takes its address, and leaves it when it fails.
    let ends = ["_free", "_disconnect", "_close", "_finalize"];
    if ends.iter().any(|end| function.name.ends_with(end)) {
        for parameter in function.parameters.iter().filter(|p| p.pointers == 1) {
            if let Some((_, kind)) = OBJECTS.iter().find(|(base, _)| *base == parameter.base) {
                let name = parameter.rust_name();
                return format!("crate::error::Object::at({name}, crate::error::Object::{kind})");
            }
        }
    }
    "crate::error::Object::Process".to_string()
}
