//! The face's functions: each `MPI_X` and `PMPI_X` with the steps of its arguments around the library's function.
//!
//! ```text
//! MPI_Isend --jmp--+
//!                  +--> body_MPI_Isend: handles and constants in --> pamir_functions.MPI_Isend
//! PMPI_Isend -jmp--+                    the request out         <--
//! ```
//!
//! Where nothing comes out the body ends with a jump: an error code is the face's already (`error::raise` of the
//! library asks the face). Step before: `argument`. Step after: the face's library.
//! Invariant: what is translated has a place of its own; the program's memory is written after the call only.

use pamir_interface::c_type::Parameter;
use pamir_interface::table::{Chapter, Function, Status, Table};

use crate::argument::{Rules, SPECIAL, Step};
use crate::call::{kind, returned, to_rust};

const SAFETY: &str =
    "// SAFETY: what the program vouches for is handed on; what is translated lives until the end.";

/// Writes all functions of the interface.
pub fn write(rules: &Rules<'_>) -> String {
    let functions = rules.table.chapters.iter().flat_map(|c| &c.functions);
    functions
        .map(|function| write_one(rules, function))
        .collect()
}

/// Writes the functions that only this ABI has; those that are to come are not exported.
pub fn write_own(rules: &Rules<'_>, own: &Table) -> String {
    let implemented = |chapter: &&Chapter| chapter.status == Status::Implemented;
    let functions = own
        .chapters
        .iter()
        .filter(implemented)
        .flat_map(|c| &c.functions);
    let one = |function: &Function| {
        if let Some(standard) = later_name(rules.table, function) {
            return write_steps(rules, function, standard);
        }
        let call = match conversion(&function.name) {
            Some(call) => call,
            None => format!("crate::special::{}", function.name.to_lowercase()),
        };
        whole(rules, function, &by_name(function, &call))
    };
    functions.map(one).collect()
}

/// The standard's function that an extension became: `MPIX_Bcast_init` is `MPI_Bcast_init`.
fn later_name<'a>(table: &'a Table, function: &Function) -> Option<&'a Function> {
    let name = format!("MPI_{}", function.name.strip_prefix("MPIX_")?);
    let mut all = table.chapters.iter().flat_map(|c| &c.functions);
    all.find(|standard| standard.name == name)
}

fn own_type(base: &str) -> String {
    match base {
        "MPI_Status" => "crate::status::Own".to_string(),
        base => format!("crate::handle::{}", base.trim_start_matches("MPI_")),
    }
}

fn fixed(function: &Function) -> impl Iterator<Item = &Parameter> {
    function.parameters.iter().filter(|p| p.base != "...")
}

/// The function of a handle's module that a C function is, if it is one.
fn conversion(name: &str) -> Option<String> {
    let (base, direction) = [
        ("_toint", "c2f"),
        ("_c2f", "c2f"),
        ("_fromint", "f2c"),
        ("_f2c", "f2c"),
    ]
    .iter()
    .find_map(|(end, direction)| Some((name.strip_suffix(end)?, direction)))?;
    let base = if base == "MPI_Type" {
        "MPI_Datatype"
    } else {
        base
    };
    kind(base).map(|kind| format!("crate::handle::{kind}_{direction}"))
}

/// A body that hands all arguments to a function.
fn by_name(function: &Function, name: &str) -> String {
    let passed: Vec<_> = fixed(function).map(Parameter::rust_name).collect();
    format!(
        "    {SAFETY}\n    unsafe {{ {name}({}) }}",
        passed.join(", ")
    )
}

fn write_one(rules: &Rules<'_>, function: &Function) -> String {
    let name = function.name.as_str();
    if let Some(call) = conversion(name) {
        return whole(rules, function, &by_name(function, &call));
    }
    write_steps(rules, function, function)
}

/// Writes a function that does what one of the standard's does.
fn write_steps(rules: &Rules<'_>, function: &Function, standard: &Function) -> String {
    let name = standard.name.as_str();
    if SPECIAL.contains(&name) {
        let own = name.trim_start_matches("MPI_").to_lowercase();
        let call = format!("crate::special::{own}");
        return whole(rules, function, &by_name(function, &call));
    }
    let steps: Vec<_> = fixed(function)
        .map(|p| (p, rules.step(standard, p)))
        .collect();
    let passed: Vec<_> = steps
        .iter()
        .map(|(p, step)| passed(&p.rust_name(), step))
        .collect();
    let call = format!("(pamir_functions.{name})({})", passed.join(", "));
    let before: String = steps
        .iter()
        .filter_map(|(p, step)| before(&p.rust_name(), step))
        .collect();
    let after: String = steps
        .iter()
        .filter_map(|(p, step)| after(&p.rust_name(), step))
        .collect();
    let inner = match after.is_empty() {
        true => format!("{before}        {call}\n"),
        false => format!("{before}        let code = {call};\n{after}        code\n"),
    };
    whole(
        rules,
        function,
        &format!("    {SAFETY}\n    unsafe {{\n{inner}    }}"),
    )
}

fn whole(rules: &Rules<'_>, function: &Function, body: &str) -> String {
    let name = &function.name;
    let declared: Vec<_> = fixed(function)
        .map(|p| format!("{}: {}", p.rust_name(), to_rust(p, rules.table, own_type)))
        .collect();
    let declared = declared.join(", ");
    let returns = returned(&function.returns, own_type);
    // Tools call an MPI function by a second name.
    let profiling = match name.starts_with("MPI") {
        true => format!(" P{name}"),
        false => String::new(),
    };
    format!(
        "unsafe extern \"C\" fn body_{name}({declared}) -> {returns} {{\n{body}\n}}\n\
         export! {{ body_{name}, ({declared}) -> {returns}: {name}{profiling} }}\n"
    )
}

fn before(name: &str, step: &Step) -> Option<String> {
    let made = match step {
        Step::HandleOut(_) => format!("place::Handle::new({name})"),
        Step::HandleInOut(kind) => format!("place::Handle::read({name}, handle::{kind}_in)"),
        Step::HandlesIn(kind, length) | Step::HandlesInOut(kind, length) => {
            format!("array::Array::new({name}, array::length({length}), handle::{kind}_in)")
        }
        Step::ConstantsIn(family, length) => {
            format!("array::Array::new({name}, array::length({length}), constant::{family}_in)")
        }
        Step::StatusIn | Step::StatusInOut => format!("status::Read::new({name})"),
        Step::StatusOut => format!("status::Place::new({name})"),
        Step::StatusesOut(length) => {
            format!("status::Places::new({name}, array::length({length}))")
        }
        Step::Text(lengths, _) => format!("text::Place::new({name}, constant::{lengths})"),
        Step::Same
        | Step::Handle(_)
        | Step::Constant(_)
        | Step::ConstantOut(_)
        | Step::Address(_) => {
            return None;
        }
    };
    Some(format!("        let mut at_{name} = {made};\n"))
}

fn passed(name: &str, step: &Step) -> String {
    match step {
        Step::Same | Step::ConstantOut(_) => name.to_string(),
        Step::Handle(kind) => format!("handle::{kind}_in({name})"),
        Step::Constant(family) => format!("constant::{family}_in({name})"),
        Step::Address(function) => format!("address::{function}({name})"),
        _ => format!("at_{name}.address()"),
    }
}

fn after(name: &str, step: &Step) -> Option<String> {
    let give = match step {
        Step::HandleOut(kind) => {
            format!("if code == 0 {{ at_{name}.give(handle::{kind}_out); }}")
        }
        Step::HandleInOut(kind) => format!("at_{name}.give(handle::{kind}_out);"),
        Step::HandlesInOut(kind, _) => format!("at_{name}.give({name}, handle::{kind}_out);"),
        Step::StatusInOut => format!("at_{name}.give({name});"),
        Step::StatusOut | Step::StatusesOut(_) => format!("at_{name}.give();"),
        Step::ConstantOut(family) => {
            format!("if code == 0 {{ place::give_integer({name}, constant::{family}_out); }}")
        }
        Step::Text(_, length) => {
            let length = length.unwrap_or("std::ptr::null_mut()");
            format!("if code == 0 {{ at_{name}.give({length}); }}")
        }
        _ => return None,
    };
    Some(format!("        {give}\n"))
}
