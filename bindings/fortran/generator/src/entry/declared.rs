//! Arguments as Rust declares them.
//!
//! Step before: `form`. Step after: `entry`, and its `conversion` and `section`.
//! Invariant: an argument is an address always; the lengths of strings come last, as compilers pass them.

use crate::argument::{Argument, Form, Intent, Shape, Value};

/// The Rust type of a Fortran argument, which is an address always.
pub fn fortran_type(argument: &Argument) -> &'static str {
    match argument.value {
        Value::Integer | Value::Logical | Value::Handle(_) => "*mut Integer",
        Value::Address | Value::Count | Value::Offset => "*mut i64",
        Value::Character => "*mut c_char",
        Value::Status => "*mut Status",
        Value::Choice | Value::Procedure(_) => "*mut c_void",
        Value::Pointer => "*mut *mut c_void",
        Value::Double => "*mut f64",
    }
}

/// An argument's name in Rust.
pub fn rust_name(argument: &Argument) -> String {
    match argument.name.as_str() {
        "type" | "fn" | "in" | "ref" => format!("{}_", argument.name),
        name => name.to_string(),
    }
}

/// The arguments as Rust declares them; strings' lengths come last, as compilers pass them.
pub fn declared(form: &Form, of: impl Fn(&Argument) -> String) -> String {
    let lengths: String = lengths(form)
        .map(|name| format!(", {name}: usize"))
        .collect();
    declared_without_lengths(form, of) + &lengths
}

/// The arguments of a procedure that is bound to C, where strings have no lengths.
pub fn declared_without_lengths(form: &Form, of: impl Fn(&Argument) -> String) -> String {
    let mut list: Vec<_> = form
        .arguments
        .iter()
        .map(|a| format!("{}: {}", rust_name(a), of(a)))
        .collect();
    list.push("ierror: *mut Integer".to_string());
    list.join(", ")
}

/// The arguments as one entry hands them to another: their names, `ierror`, the strings' lengths.
pub fn handed_on(form: &Form) -> String {
    let own = form.arguments.iter().map(rust_name);
    let all = own.chain(["ierror".to_string()]).chain(lengths(form));
    all.collect::<Vec<_>>().join(", ")
}

/// The names of the strings' lengths.
pub fn lengths(form: &Form) -> impl Iterator<Item = String> + '_ {
    let strings = form
        .arguments
        .iter()
        .filter(|a| a.value == Value::Character);
    strings.map(|a| format!("{}_length", a.name))
}

/// Whether an argument is one handle that C reads.
pub fn is_handle(argument: &Argument) -> bool {
    let is_one = argument.shape == Shape::Scalar && argument.intent == Intent::In;
    matches!(argument.value, Value::Handle(_)) && is_one
}

/// Whether an argument is an array of handles that C reads.
pub fn is_handle_array(argument: &Argument) -> bool {
    matches!(argument.value, Value::Handle(_))
        && argument.shape == Shape::Array
        && argument.intent == Intent::In
}
