//! The numbers of a face's constants as Rust.
//!
//! What: [`numbers`] gives `mod number`, with each integer of the face's table, and the integer by which Fortran
//! names each predefined handle.
//!
//! ```text
//! MPI_CART = 2                                       pub const MPI_CART: c_int = 2;
//! MPI_COMM_WORLD = 0x44000000                        pub const MPI_COMM_WORLD: c_int = 1140850688;
//! MPI_COMM_WORLD = ompi_mpi_comm_world 512 0         pub const MPI_COMM_WORLD: c_int = 0;
//! ```
//!
//! Step before: a face's `constants.txt`. Step after: `bindings/fortran/src/c.rs` includes the text.
//! Invariant: a name that the face lacks has no constant: who needs it does not compile.

use pamir_interface::Table;
use pamir_interface::table::{Constant, Kind, Section};

use crate::constant;
use crate::face::Face;
use crate::text::line;

/// The module `number`.
///
/// # Errors
///
/// A line of the table that is wrong, or that has no number.
pub fn numbers(face: &Face) -> Result<String, String> {
    let mut out = "/// What the C library's constants are.\npub mod number {\nuse super::c_int;\n"
        .to_string();
    for (name, value) in values(face)? {
        line(
            &mut out,
            format_args!("/// `{name}`.\npub const {name}: c_int = {value};"),
        );
    }
    Ok(out + "}\n")
}

/// Names and integers of all constants that are integers, in Fortran at least.
///
/// # Errors
///
/// As [`numbers`].
pub fn values(face: &Face) -> Result<Vec<(String, i32)>, String> {
    let mut all: Vec<(String, i32)> = Vec::new();
    for section in Table::parse("", face.constants)?.sections {
        for constant in &section.constants {
            if let Some(text) = integer_of(&section, constant) {
                let known = all.iter().find(|(name, _)| name == text);
                let value = known.map(|(_, value)| *value).or_else(|| parse(text));
                let value = value.ok_or_else(|| format!("{}: no number: {text}", constant.name))?;
                all.push((constant.name.clone(), value));
            }
        }
    }
    if face.is_standard() {
        let removed = constant::REMOVED.iter();
        all.extend(removed.map(|(name, value)| (name.to_string(), *value as i32)));
    }
    Ok(all)
}

/// The word of a constant's value that is its integer.
fn integer_of<'a>(section: &Section, constant: &'a Constant) -> Option<&'a str> {
    let words: Vec<&str> = constant.value.split_whitespace().collect();
    match (&section.kind, words.as_slice()) {
        (_, ["symbol", ..]) => None,
        (Kind::Int | Kind::ErrorClass | Kind::Enumeration(_), [value]) => Some(value),
        (Kind::Handle(of), _) if of.starts_with("MPI_T_") => None,
        (Kind::Handle(_), [value]) => Some(value),
        (Kind::Handle(_), [_, _, value]) => Some(value).filter(|value| **value != "-").copied(),
        _ => None,
    }
}

fn parse(text: &str) -> Option<i32> {
    match text.strip_prefix("0x") {
        // A handle's bits, the highest of which may be set.
        Some(digits) => u32::from_str_radix(digits, 16).ok().map(u32::cast_signed),
        None => text.parse().ok(),
    }
}
