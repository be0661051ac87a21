//! Writes the entry points of the library in Rust.
//!
//! What: [`declarations`] says what the C library has; [`entries`] gives, for each function, the
//! Fortran entry and those that take array descriptors.
//!
//! ```text
//! mpi_send_  mpi_send__  MPI_SEND  mpi_send  mpi_send_f08_ --jmp--> f_MPI_Send  --> c::MPI_Send
//! pmpi_send_ ...                                           --jmp--> f_PMPI_Send --> c::PMPI_Send
//! mpi_send_f08ts --> g_MPI_Send: a contiguous buffer ----------------^
//!                                a strided one --> `section`: the buffer as it lies --^
//! ```
//!
//! Step before: `form`. Step after: `bindings/fortran/src/entry.rs` includes the text.
//! Invariants: a Fortran entry calls the C function of its own prefix, so that tools see each call
//! once; what is written by hand in `src/functions/` is called in place of generated conversions.

mod conversion;
mod declared;
mod section;

use std::fmt::Write;

use pamir_interface::c_type::Parameter;
use pamir_interface::table::Function;

use crate::argument::{Form, PREFIXES, Value};
use crate::face::{Buffers, Face, spellings};
use crate::special;
use crate::text::line;

use conversion::Conversion;
use declared::{declared, fortran_type, handed_on, is_handle, lengths, rust_name};

/// The C functions that the entries call, as types and as symbols.
pub fn declarations(forms: &[Form]) -> String {
    let mut out = String::new();
    let functions = || {
        forms
            .iter()
            .filter_map(|form| form.function.as_ref())
            .filter(|f| is_called(f))
    };
    for function in functions() {
        let name = &function.name;
        line(
            &mut out,
            format_args!(
                "/// The type of `{name}`.\npub type {name} = {};",
                c_type(function)
            ),
        );
    }
    line(
        &mut out,
        format_args!(
            "/// The functions that programs and tools call.\npub mod symbol {{\nuse super::*;\nunsafe extern \"C\" {{"
        ),
    );
    for prefix in PREFIXES {
        for function in functions() {
            let (name, list) = (&function.name, c_parameters(function));
            let returns = c_returns(function);
            line(
                &mut out,
                format_args!("/// `{prefix}{name}`.\npub fn {prefix}{name}({list}) -> {returns};"),
            );
        }
    }
    out + "}\n}\n"
}

/// Whether a library of the ABI has the function: those of MPI-1 are made from today's.
fn is_called(function: &Function) -> bool {
    !special::is_absent(&function.name)
}

fn c_type(function: &Function) -> String {
    format!(
        "unsafe extern \"C\" fn({}) -> {}",
        c_parameters(function),
        c_returns(function)
    )
}

fn c_returns(function: &Function) -> &'static str {
    match function.returns.as_str() {
        "double" => "f64",
        "MPI_Aint" => "i64",
        _ => "c_int",
    }
}

fn c_parameters(function: &Function) -> String {
    let parameters = function.parameters.iter().filter(|p| p.base != "...");
    let declared: Vec<_> = parameters
        .map(|p| format!("{}: {}", p.rust_name(), c_parameter(p)))
        .collect();
    declared.join(", ")
}

/// The Rust type of a C parameter: handles are numbers, callbacks addresses.
fn c_parameter(parameter: &Parameter) -> String {
    let (base, is_address) = match parameter.base.as_str() {
        "int" => ("c_int", false),
        "void" => ("c_void", false),
        "char" => ("c_char", false),
        "MPI_Aint" | "MPI_Count" | "MPI_Offset" => ("i64", false),
        "MPI_Status" => ("Status", false),
        other if other.ends_with("function") || other.ends_with("function_c") => ("c_void", true),
        "MPI_File" => ("File", false),
        _ => ("Handle", false),
    };
    let levels = parameter.pointers + parameter.brackets.matches('[').count().min(1);
    let levels = if is_address { 1 } else { levels };
    format!("{}{base}", "*mut ".repeat(levels))
}

/// All entries. `is_written(name)` says whether `src/functions/` has the function.
///
/// # Errors
///
/// A function with an argument that has to be converted by hand, and is not.
pub fn entries(
    face: &Face,
    forms: &[Form],
    is_written: impl Fn(&str) -> bool,
) -> Result<String, String> {
    let mut out = String::new();
    for form in forms {
        if form.returns.is_some() {
            write_value_function(&mut out, face, form);
            continue;
        }
        write_body(&mut out, form, &is_written)?;
        for prefix in PREFIXES {
            write_call(&mut out, form, prefix, "");
        }
        if form.has_choice() && !form.is_removed && face.buffers != Buffers::Addresses {
            section::write(&mut out, face, form);
        }
        write_exports(&mut out, face, form, is_written(&own_form(form)));
    }
    Ok(out)
}

/// The name of a function written by hand for `mpi_f08` alone.
fn own_form(form: &Form) -> String {
    format!("{}_f08", rust_function(form))
}

/// The name of the function in `src/functions/`.
fn rust_function(form: &Form) -> String {
    form.lower().trim_start_matches("mpi_").to_string()
}

/// The function that converts and calls.
fn write_body(
    out: &mut String,
    form: &Form,
    is_written: &impl Fn(&str) -> bool,
) -> Result<(), String> {
    for (own, suffix) in [(rust_function(form), ""), (own_form(form), "_f08")] {
        if is_written(&own) {
            write_written(out, form, &own, suffix);
        } else if suffix.is_empty() {
            write_converted(out, form)?;
        }
    }
    Ok(())
}

/// The body that converts by rules. Where every instruction counts, the usual case - all handles are
/// predefined, which needs no call - stands apart from the others.
fn write_converted(out: &mut String, form: &Form) -> Result<(), String> {
    let (name, body) = (&form.name, Conversion::of(form)?.to_string());
    if !form.is_hot {
        write_inline(
            out,
            form,
            &format!("body_{name}"),
            "#[inline(always)]",
            &body,
        );
        return Ok(());
    }
    write_inline(out, form, &format!("any_{name}"), "#[inline(never)]", &body);
    let (mut quick, mut handles) = (body, Vec::new());
    for argument in form.arguments.iter().filter(|a| is_handle(a)) {
        let Value::Handle(kind) = &argument.value else {
            continue;
        };
        let kind = kind.trim_start_matches("MPI_").to_lowercase();
        let (converted, x) = (
            format!("handle::{kind}::to_c(*{0})", argument.name),
            &argument.name,
        );
        quick = quick.replace(&converted, &format!("*{x} as Handle"));
        handles.push(format!("*{x}"));
    }
    let inside = format!(
        "if handle::are_predefined({}) {{\n{quick}}} else {{\nany_{name}(call, {})\n}}\n",
        handles.join(" | "),
        handed_on(form)
    );
    write_inline(
        out,
        form,
        &format!("body_{name}"),
        "#[inline(always)]",
        &inside,
    );
    Ok(())
}

fn write_inline(out: &mut String, form: &Form, name: &str, attribute: &str, inside: &str) {
    let declared = declared(form, |a| fortran_type(a).to_string());
    line(
        out,
        format_args!(
            "{attribute}\nunsafe fn {name}(call: {}, {declared}) {{\n\
         // SAFETY: the program vouches for its arguments, as it does towards C.\n\
         unsafe {{\n{inside}}}\n}}",
            call_type(form)
        ),
    );
}

/// The C function that a body is given to call: its own, or the one that took its place. None where there is
/// nothing to call.
fn callee(form: &Form) -> Option<&str> {
    let own = form.function.as_ref().filter(|f| is_called(f));
    own.map(|f| f.name.as_str())
        .or(special::successor(&form.name))
}

/// The type of [`callee`].
fn call_type(form: &Form) -> String {
    callee(form).map_or("()".to_string(), |name| format!("c::{name}"))
}

fn write_written(out: &mut String, form: &Form, own: &str, suffix: &str) {
    let (name, kind) = (&form.name, call_type(form));
    let declared = declared(form, |a| fortran_type(a).to_string());
    let passed: Vec<_> = form
        .arguments
        .iter()
        .map(rust_name)
        .chain(lengths(form))
        .collect();
    let passed = passed.join(", ");
    let code = if form.has_code() {
        "ierror"
    } else {
        "std::ptr::null_mut()"
    };
    line(
        out,
        format_args!(
            "#[inline(always)]\nunsafe fn body_{name}{suffix}(call: {kind}, {declared}) {{\n\
         // SAFETY: the program vouches for its arguments, as it does towards C.\n\
         unsafe {{ finish({code}, crate::functions::{own}(call, {passed})) }}\n}}"
        ),
    );
    if !suffix.is_empty() {
        for prefix in PREFIXES {
            write_call(out, form, prefix, suffix);
        }
    }
}

/// `f_MPI_X` or `f_PMPI_X`, or the form of `mpi_f08`.
fn write_call(out: &mut String, form: &Form, prefix: &str, suffix: &str) {
    let name = &form.name;
    let declared = declared(form, |a| fortran_type(a).to_string());
    let (call, passed) = (called(form, prefix), handed_on(form));
    line(
        out,
        format_args!(
            "unsafe extern \"C\" fn f_{prefix}{name}{suffix}({declared}) {{\n\
         // SAFETY: what the program vouches for is handed on unchanged.\n\
         unsafe {{ body_{name}{suffix}({call}, {passed}) }}\n}}"
        ),
    );
}

/// [`callee`] as an entry of a prefix hands it on.
fn called(form: &Form, prefix: &str) -> String {
    callee(form).map_or("()".to_string(), |name| {
        format!("c::symbol::{prefix}{name}")
    })
}

/// `MPI_Wtime` and its like, which return what C returns.
fn write_value_function(out: &mut String, face: &Face, form: &Form) {
    let name = &form.name;
    let returns = if form.returns == Some(Value::Double) {
        "f64"
    } else {
        "i64"
    };
    let declared: Vec<_> = form
        .arguments
        .iter()
        .map(|a| format!("{}: {}", rust_name(a), fortran_type(a)))
        .collect();
    let passed: Vec<_> = form
        .arguments
        .iter()
        .map(|a| format!("*{}", rust_name(a)))
        .collect();
    for prefix in PREFIXES {
        line(
            out,
            format_args!(
                "unsafe extern \"C\" fn f_{prefix}{name}({}) -> {returns} {{\n\
             // SAFETY: the program vouches for its arguments, as it does towards C.\n\
             unsafe {{ c::symbol::{prefix}{name}({}) }}\n}}",
                declared.join(", "),
                passed.join(", ")
            ),
        );
    }
    write_exports(out, face, form, false);
}

/// The names under which compilers look for the entries.
fn write_exports(out: &mut String, face: &Face, form: &Form, has_own_form: bool) {
    let name = &form.name;
    for prefix in PREFIXES {
        let lower = format!("{prefix}{name}").to_lowercase();
        let body = format!("f_{prefix}{name}");
        if !form.is_large {
            spell(out, &spellings(&lower), &body);
        }
        if form.arguments.iter().any(|a| a.name == "baseptr") && !form.is_large {
            spell(out, &spellings(&format!("{lower}_cptr")), &body);
        }
        if form.is_removed {
            continue;
        }
        let names = face.f08_names(prefix, &form.lower(), form.has_choice());
        match form.has_choice() && face.buffers != Buffers::Addresses {
            true => spell(out, &names, &format!("g_{prefix}{name}")),
            false if has_own_form => spell(out, &names, &format!("{body}_f08")),
            false => spell(out, &names, &body),
        }
    }
}

fn spell(out: &mut String, names: &[String], body: &str) {
    for symbol in names {
        let _ = writeln!(out, "export! {{ {symbol} => {body} }}");
    }
}
