//! Integers: the functions that translate a family's constants, in and out.
//!
//! What: `rank_in`, `rank_out` and so on, for the families whose numbers differ; the same for error codes; and the
//! lengths of texts. Step before: `meaning`. Step after: `function` calls them.
//! Invariant: a number that is a constant of the standard ABI's and none of the face's comes in as one that is nothing,
//! so that a wrong argument stays wrong.

use std::fmt::Write;

use crate::description::{Description, Standard};
use crate::meaning::{Family, Meanings};

/// What is no constant of any family.
const NOTHING: i64 = i32::MIN as i64;

/// The numbers of a family that both ABIs have: the face's and the standard's.
fn pairs(family: &Family, face: &Description, standard: &Standard) -> Vec<(i64, i64)> {
    let both = |name: &String| Some((face.number(name)?, standard.number(name)?));
    family.constants.iter().filter_map(both).collect()
}

/// Whether a family's numbers are the same in both ABIs.
pub fn is_same(family: &Family, face: &Description, standard: &Standard) -> bool {
    let pairs = pairs(family, face, standard);
    pairs.len() == family.constants.len() && pairs.iter().all(|(own, other)| own == other)
}

/// Writes all functions.
pub fn write(meanings: &Meanings, face: &Description, standard: &Standard) -> String {
    let mut out = String::new();
    for family in &meanings.families {
        let pairs = pairs(family, face, standard);
        let absent = family.constants.iter().filter_map(|name| {
            let number = standard.number(name)?;
            let is_own = pairs.iter().any(|(own, _)| *own == number);
            (!is_own).then_some(number)
        });
        match family.is_bits {
            true => write_bits(&mut out, &family.name, &pairs),
            false => {
                let poison = absent.map(|number| (number, NOTHING));
                let incoming: Vec<_> = pairs.iter().copied().chain(poison).collect();
                let outgoing: Vec<_> = pairs.iter().map(|(own, other)| (*other, *own)).collect();
                write_match(&mut out, &format!("{}_in", family.name), &incoming);
                write_match(&mut out, &format!("{}_out", family.name), &outgoing);
            }
        }
    }
    write_errors(&mut out, face, standard);
    write_lengths(&mut out, face, standard);
    out
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
}

fn write_match(out: &mut String, name: &str, pairs: &[(i64, i64)]) {
    push(
        out,
        format_args!(
            "#[inline(always)]\npub fn {name}(number: c_int) -> c_int {{\n    match number {{\n"
        ),
    );
    let mut seen = Vec::new();
    for (from, to) in pairs {
        if !seen.contains(from) {
            seen.push(*from);
            push(out, format_args!("        {from} => {to},\n"));
        }
    }
    push(out, format_args!("        other => other,\n    }}\n}}\n"));
}

fn write_bits(out: &mut String, name: &str, pairs: &[(i64, i64)]) {
    let known: i64 = pairs.iter().fold(0, |all, (own, _)| all | own);
    let theirs: i64 = pairs.iter().fold(0, |all, (_, other)| all | other);
    for (direction, mask, swap) in [("in", known, false), ("out", theirs, true)] {
        push(
            out,
            format_args!(
                "pub fn {name}_{direction}(bits: c_int) -> c_int {{\n    \
                 // A bit that means nothing stays one that means nothing.\n    \
                 let mut all = if bits & !{mask} != 0 {{ 1 << 30 }} else {{ 0 }};\n"
            ),
        );
        for (own, other) in pairs {
            let (from, to) = if swap { (other, own) } else { (own, other) };
            push(
                out,
                format_args!("    if bits & {from} != 0 {{ all |= {to}; }}\n"),
            );
        }
        push(out, format_args!("    all\n}}\n"));
    }
}

/// Codes behind the last predefined one are the program's, in the order in which it made them.
fn write_errors(out: &mut String, face: &Description, standard: &Standard) {
    let number = |name: &str| face.number(name);
    let other = number("MPI_ERR_OTHER").unwrap_or(1);
    let (mut incoming, mut outgoing) = (Vec::new(), Vec::new());
    for name in &standard.errors {
        let theirs = standard.number(name).unwrap_or_default();
        let own = number(name).unwrap_or(other);
        outgoing.push((theirs, own));
        if number(name).is_some() {
            incoming.push((own, theirs));
        }
    }
    let last = number("MPI_ERR_LASTCODE").unwrap_or_default();
    let their_last = standard.number("MPI_ERR_LASTCODE").unwrap_or_default();
    for (name, pairs, last, their_last) in [
        ("error_in", incoming, last, their_last),
        ("error_out", outgoing, their_last, last),
    ] {
        push(
            out,
            format_args!("pub fn {name}(code: c_int) -> c_int {{\n    match code {{\n"),
        );
        let mut seen = Vec::new();
        for (from, to) in pairs {
            if !seen.contains(&from) {
                seen.push(from);
                push(out, format_args!("        {from} => {to},\n"));
            }
        }
        push(
            out,
            format_args!(
                "        own if own > {last} => own.wrapping_add({}),\n",
                their_last - last
            ),
        );
        // The last code itself is the value of an attribute.
        push(out, format_args!("        {last} => {their_last},\n"));
        let nothing = if name == "error_in" { NOTHING } else { other };
        push(out, format_args!("        _ => {nothing},\n    }}\n}}\n"));
    }
}

fn write_lengths(out: &mut String, face: &Description, standard: &Standard) {
    let overhead = face.number("MPI_BSEND_OVERHEAD").unwrap_or_default();
    push(
        out,
        format_args!("/// `MPI_BSEND_OVERHEAD`.\npub const BSEND_OVERHEAD: c_int = {overhead};\n"),
    );
    for (name, constant) in [
        ("ERROR_STRING", "MPI_MAX_ERROR_STRING"),
        ("INFO_KEY", "MPI_MAX_INFO_KEY"),
        ("LIBRARY_VERSION", "MPI_MAX_LIBRARY_VERSION_STRING"),
        ("OBJECT_NAME", "MPI_MAX_OBJECT_NAME"),
        ("PORT_NAME", "MPI_MAX_PORT_NAME"),
        ("PROCESSOR_NAME", "MPI_MAX_PROCESSOR_NAME"),
        ("DATAREP", "MPI_MAX_DATAREP_STRING"),
    ] {
        let theirs = standard.number(constant).unwrap_or_default();
        let own = face.number(constant).unwrap_or(theirs);
        // MPICH's length of a key does not count the final zero that programs leave room for.
        push(
            out,
            format_args!(
                "/// `{constant}`: the standard's, the face's.\npub const {name}: (usize, usize) = ({theirs}, {own});\n"
            ),
        );
    }
}
