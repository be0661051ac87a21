//! Predefined handles: tables in and out.
//!
//! What: for an ABI whose handles are numbers, a function in for each kind; for one whose handles are objects of the
//! library, the objects; for both, the handle of each number of the standard ABI. Step before: `description`. Step
//! after: the face's `handle` uses them before it looks at handles that were made while the program runs.
//! Invariant: a name that both ABIs have means the same object in both.

use std::collections::HashMap;
use std::fmt::Write;

use crate::call::KINDS;
use crate::description::{Description, Handle, Standard, Value};

/// The standard ABI's predefined handles lie below it.
const PREDEFINED: usize = 0x300;

/// Markers of a datatype's bounds, which MPI-3.0 removed: numbers that are no datatype of the standard ABI's.
const BOUNDS: [(&str, i64); 2] = [("MPI_LB", 0x2fe), ("MPI_UB", 0x2ff)];

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
}

/// The standard's number of a face's handle; `None` if the standard has no such name.
fn standard_number(handle: &Handle, standard: &Standard) -> Option<i64> {
    let bound = BOUNDS.iter().find(|(name, _)| *name == handle.name);
    bound
        .map(|(_, number)| *number)
        .or_else(|| standard.number(&handle.name))
}

/// Writes the tables of an ABI whose handles are numbers.
///
/// # Errors
///
/// Two plain datatypes that share a number.
pub fn write_numbers(face: &Description, standard: &Standard) -> Result<String, String> {
    let mut out = String::new();
    // A file is the one handle that is a pointer there.
    for (base, short) in KINDS.into_iter().filter(|(base, _)| *base != "MPI_File") {
        push(
            &mut out,
            format_args!(
                "#[inline(always)]\npub fn {short}_predefined(handle: c_int) -> Option<usize> {{\n    Some(match handle as u32 {{\n"
            ),
        );
        let mut seen = Vec::new();
        for handle in face.handles.iter().filter(|handle| handle.kind == base) {
            let (Value::Number(own), Some(number)) =
                (&handle.value, standard_number(handle, standard))
            else {
                continue;
            };
            if !seen.contains(own) {
                seen.push(*own);
                push(
                    &mut out,
                    format_args!("        {:#x} => {number:#x},\n", *own as u32),
                );
            }
        }
        push(
            &mut out,
            format_args!("        _ => return None,\n    }})\n}}\n"),
        );
    }
    let mut table = [0_u32; PREDEFINED];
    for handle in face.handles.iter().rev() {
        if let (Value::Number(own), Some(number)) =
            (&handle.value, standard_number(handle, standard))
        {
            table[number as usize] = *own as u32;
        }
    }
    push(
        &mut out,
        format_args!("pub static BY_STANDARD: [u32; {PREDEFINED}] = {table:?};\n"),
    );
    write_datatypes(&mut out, face, standard)?;
    Ok(out)
}

/// Plain datatypes by their lowest byte, for the path of a small message.
fn write_datatypes(
    out: &mut String,
    face: &Description,
    standard: &Standard,
) -> Result<(), String> {
    let mut table = [0_u16; 256];
    for handle in face
        .handles
        .iter()
        .filter(|handle| handle.kind == "MPI_Datatype")
    {
        if let (Value::Number(own), Some(number)) =
            (&handle.value, standard_number(handle, standard))
            && *own as u32 >> 24 == 0x4c
        {
            let place = &mut table[(*own & 0xff) as usize];
            if handle.name.starts_with("MPI_") && *place == 0 {
                *place = number as u16;
            } else if i64::from(*place) != number && !is_alias(face, standard, *own, *place) {
                return Err(format!("{}: its number is another datatype's", handle.name));
            }
        }
    }
    push(
        out,
        format_args!("pub static PLAIN_DATATYPES: [u16; 256] = {table:?};\n"),
    );
    Ok(())
}

/// Whether a number of the standard is another name of the same handle.
fn is_alias(face: &Description, standard: &Standard, own: i64, number: u16) -> bool {
    let same = |handle: &&Handle| handle.value == Value::Number(own);
    let mut names = face.handles.iter().filter(same);
    names.any(|handle| standard_number(handle, standard) == Some(number.into()))
}

/// Writes the objects of an ABI whose handles are addresses.
pub fn write_objects(face: &Description, standard: &Standard) -> String {
    let mut out = String::new();
    let mut by_standard: HashMap<i64, &str> = HashMap::new();
    let mut seen = Vec::new();
    for handle in &face.handles {
        let Value::Symbol {
            name,
            size,
            fortran,
        } = &handle.value
        else {
            continue;
        };
        let number = standard_number(handle, standard);
        if let Some(number) = number {
            by_standard.entry(number).or_insert(name);
        }
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let first = first_standard(face, standard, name).unwrap_or_default();
        push(
            &mut out,
            format_args!(
                "#[unsafe(no_mangle)]\npub static {name}: Object<{}> = Object::new({first:#x}, {});\n",
                size.saturating_sub(16),
                fortran.unwrap_or(-1)
            ),
        );
    }
    push(
        &mut out,
        format_args!("pub static BY_STANDARD: [Address; {PREDEFINED}] = [\n"),
    );
    for number in 0..PREDEFINED as i64 {
        match by_standard.get(&number) {
            Some(name) => push(
                &mut out,
                format_args!("    Address::of(&raw const {name}),\n"),
            ),
            None => push(&mut out, format_args!("    Address::NONE,\n")),
        }
    }
    push(&mut out, format_args!("];\n"));
    write_addresses(&mut out, face, &seen);
    write_fortran(&mut out, face);
    out
}

/// Variables that hold the address of an object: its name and `_addr`.
fn write_addresses(out: &mut String, face: &Description, objects: &[&String]) {
    for (name, _) in &face.variables {
        let Some(object) = name.strip_suffix("_addr") else {
            continue;
        };
        let value = match objects.iter().any(|name| *name == object) {
            true => format!("Address::of(&raw const {object})"),
            false => "Address::NONE".to_string(),
        };
        push(
            out,
            format_args!("#[unsafe(no_mangle)]\npub static {name}: Address = {value};\n"),
        );
    }
}

/// The standard's number of an object, by whichever of its names the standard has.
fn first_standard(face: &Description, standard: &Standard, object: &str) -> Option<i64> {
    let is_it =
        |handle: &&Handle| matches!(&handle.value, Value::Symbol { name, .. } if name == object);
    let names = face.handles.iter().filter(is_it);
    names
        .filter_map(|handle| standard_number(handle, standard))
        .next()
}

/// Objects by Fortran's integer, a table for each kind.
fn write_fortran(out: &mut String, face: &Description) {
    for (base, short) in KINDS {
        let mut objects: HashMap<i64, &str> = HashMap::new();
        for handle in face.handles.iter().filter(|handle| handle.kind == base) {
            if let Value::Symbol {
                name,
                fortran: Some(fortran),
                ..
            } = &handle.value
            {
                objects.insert(*fortran, name);
            }
        }
        let count = objects.keys().max().map_or(0, |last| last + 1);
        push(
            out,
            format_args!(
                "pub static {}_BY_FORTRAN: [Address; {count}] = [\n",
                short.to_uppercase()
            ),
        );
        for number in 0..count {
            match objects.get(&number) {
                Some(name) => push(out, format_args!("    Address::of(&raw const {name}),\n")),
                None => push(out, format_args!("    Address::NONE,\n")),
            }
        }
        push(out, format_args!("];\n"));
    }
}
