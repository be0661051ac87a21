//! The conversion of one call: what is prepared, passed to C, and given back.
//!
//! What: [`Conversion::of`] writes the inside of a body from the arguments' kinds.
//! Step before: `entry`. Step after: the Rust compiler.
//! Invariant: an argument that no rule covers is an error of the build.

use std::fmt;

use pamir_interface::c_type::Parameter;

use super::declared::{is_handle_array, rust_name};
use crate::argument::{Argument, Form, Intent, Shape, Value};
use crate::special;

/// The parts of a body.
#[derive(Debug, Default)]
pub struct Conversion {
    prepared: Vec<String>,
    passed: Vec<String>,
    given_back: Vec<String>,
}

impl Conversion {
    /// The conversion for a function.
    ///
    /// # Errors
    ///
    /// An argument that has to be converted by hand.
    pub fn of(form: &Form) -> Result<Self, String> {
        let mut conversion = Self::default();
        let function = form
            .function
            .as_ref()
            .ok_or_else(|| format!("{}: write it by hand", form.name))?;
        let mut arguments = form.arguments.iter();
        for parameter in function.parameters.iter().filter(|p| p.base != "...") {
            if !special::is_taken(function, parameter) {
                conversion.passed.push(absent(parameter));
                continue;
            }
            let argument = arguments.next().ok_or("an argument too few")?;
            conversion
                .take(form, argument)
                .ok_or_else(|| format!("{}: convert {} by hand", form.name, argument.name))?;
        }
        Ok(conversion)
    }

    fn prepare(&mut self, text: String) {
        self.prepared.push(text);
    }

    fn take(&mut self, form: &Form, argument: &Argument) -> Option<()> {
        let x = rust_name(argument);
        let passed = match (&argument.value, argument.shape, argument.intent) {
            (Value::Handle(kind), ..) => self.take_handle(form, argument, kind, &x)?,
            (Value::Character, Shape::Scalar, Intent::In) => {
                let trim = if special::trims_front(&argument.name) {
                    "both"
                } else {
                    "end"
                };
                self.prepare(format!("let {x} = string::Input::{trim}({x}, {x}_length);"));
                format!("{x}.as_ptr()")
            }
            (Value::Character, Shape::Scalar, Intent::Out) => {
                let size = special::longest(&form.name);
                self.prepare(format!("let mut {x}_c = string::Output::<{size}>::new();"));
                self.given_back
                    .push(format!("if code == 0 {{ {x}_c.give({x}, {x}_length); }}"));
                format!("{x}_c.as_mut_ptr()")
            }
            (Value::Character | Value::Procedure(_) | Value::Double, ..) => return None,
            (Value::Status, Shape::Array, _) => format!("address::statuses({x})"),
            (Value::Status, _, Intent::Out) => format!("address::status({x})"),
            (Value::Pointer, ..) => format!("{x}.cast()"),
            (Value::Status, ..) => x,
            (Value::Choice, ..) => format!("address::choice({x})"),
            (Value::Integer, Shape::Array, _) if argument.name.ends_with("weights") => {
                format!("address::weights({x})")
            }
            (Value::Integer, Shape::Array, _) if argument.name == "array_of_errcodes" => {
                format!("address::error_codes({x})")
            }
            (_, Shape::Scalar, Intent::In) => format!("*{x}"),
            _ => x,
        };
        self.passed.push(passed);
        Some(())
    }

    fn take_handle(
        &mut self,
        form: &Form,
        argument: &Argument,
        kind: &str,
        x: &str,
    ) -> Option<String> {
        let kind = kind.trim_start_matches("MPI_").to_lowercase();
        if is_handle_array(argument) {
            let length = special::length(form, argument)?;
            self.prepare(format!(
                "let mut {x}_c = handle::Array::new({x}, {length}, handle::{kind}::to_c);"
            ));
            if special::keeps_array(form) {
                let is_persistent = special::is_persistent(form);
                self.given_back.push(format!(
                    "if code == 0 {{ pending::keep(*request, {is_persistent}, {x}_c.into_box()); }}"
                ));
            }
            return Some(format!("{x}_c.as_mut_ptr()"));
        }
        match (argument.shape, argument.intent) {
            (Shape::Scalar, Intent::In) => return Some(format!("handle::{kind}::to_c(*{x})")),
            (Shape::Scalar, Intent::Out) => {
                self.prepare(format!("let mut {x}_c = 0;"));
                // What waited for a request that had this integer before waits no more.
                let anew = match kind.as_str() {
                    "request" => format!("if pending::is_any() {{ pending::forget(*{x}); }} "),
                    _ => String::new(),
                };
                self.given_back.insert(
                    0,
                    format!("if code == 0 {{ *{x} = handle::{kind}::to_fortran({x}_c); {anew}}}"),
                );
            }
            (Shape::Scalar, Intent::InOut) => {
                self.prepare(format!("let mut {x}_c = handle::{kind}::to_c(*{x});"));
                self.given_back
                    .insert(0, format!("*{x} = handle::{kind}::to_fortran({x}_c);"));
            }
            _ => return None,
        }
        Some(format!("&raw mut {x}_c"))
    }
}

impl fmt::Display for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for text in &self.prepared {
            writeln!(f, "{text}")?;
        }
        writeln!(f, "let code = call({});", self.passed.join(", "))?;
        for text in &self.given_back {
            writeln!(f, "{text}")?;
        }
        writeln!(f, "finish(ierror, code);")
    }
}

/// What C gets where Fortran has no argument.
fn absent(parameter: &Parameter) -> String {
    let is_number = parameter.pointers == 0;
    if is_number {
        "0".to_string()
    } else {
        "std::ptr::null_mut()".to_string()
    }
}
