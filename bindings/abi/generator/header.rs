//! Writes `include/mpi.h`.
//!
//! The header is committed, so that it can be read and installed without
//! building; a test asserts that it is what this module writes. It is valid
//! C and C++ of every version and needs nothing but `<stdint.h>`.

use pamir_interface::c_type::Parameter;
use pamir_interface::table::{Chapter, Function, Kind, Section, Status, Table};
use std::fmt::Write;

/// What stands before everything that comes from the tables.
const OPENING: &str = "\
/* mpi.h: the C interface of MPI-5.0, in the form of the standard ABI.
 *
 * Written from bindings/interface/table/ by bindings/abi/generator/; change those.
 * A program compiled with this header runs on every library that has the
 * standard ABI, libmpi_abi.so.1. */
#ifndef PAMIR_MPI_H
#define PAMIR_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif

/* Addresses and their differences; file offsets; counts that hold both. */
typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

/* Fortran's INTEGER. */
typedef int MPI_Fint;

/* What is known of a received message or a completed operation. */
typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5];
} MPI_Status;

/* The same in Fortran's derived type, TYPE(MPI_Status). */
typedef struct MPI_F08_status {
    MPI_Fint MPI_SOURCE;
    MPI_Fint MPI_TAG;
    MPI_Fint MPI_ERROR;
    MPI_Fint MPI_internal[5];
} MPI_F08_status;
";

/// The macro by which a program asks for the functions that the standard has removed.
const ASKED_FOR: &str = "PAMIR_REMOVED_FUNCTIONS";

/// Removed functions that a renaming cannot express.
const REMOVED: &str = "
/* The extent and bounds of a datatype, as MPI-1 asked for them. */
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define PAMIR_INLINE static inline
#else
#define PAMIR_INLINE static __inline__
#endif

PAMIR_INLINE int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent)
{
    MPI_Aint lower_bound;
    return MPI_Type_get_extent(datatype, &lower_bound, extent);
}

PAMIR_INLINE int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint extent;
    return MPI_Type_get_extent(datatype, displacement, &extent);
}

PAMIR_INLINE int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint lower_bound, extent;
    int code = MPI_Type_get_extent(datatype, &lower_bound, &extent);
    if (code == MPI_SUCCESS)
        *displacement = lower_bound + extent;
    return code;
}
";

/// What stands at the end.
const CLOSING: &str = "
#ifdef __cplusplus
}
#endif

#endif /* PAMIR_MPI_H */
";

/// The text of the whole header.
pub fn header(table: &Table) -> String {
    let mut out = OPENING.to_string();
    let (renames, others): (Vec<_>, Vec<_>) = table
        .sections
        .iter()
        .partition(|section| section.kind == Kind::Rename);
    for section in others {
        write_section(&mut out, section);
    }
    let removed = |chapter: &&Chapter| chapter.status == Status::Removed;
    for chapter in table.chapters.iter().filter(|c| !removed(c)) {
        write_chapter(&mut out, chapter);
    }
    let (old, renames): (Vec<_>, Vec<_>) = renames.into_iter().partition(|section| {
        section
            .constants
            .iter()
            .any(|c| is_function(table, &c.name))
    });
    for section in renames {
        write_renames(&mut out, section, table);
    }
    line(&mut out, format_args!("\n#ifdef {ASKED_FOR}"));
    for chapter in table.chapters.iter().filter(removed) {
        write_chapter(&mut out, chapter);
    }
    line(&mut out, format_args!("\n#else"));
    for section in old {
        write_renames(&mut out, section, table);
    }
    out.push_str(REMOVED);
    line(&mut out, format_args!("\n#endif /* {ASKED_FOR} */"));
    out + CLOSING
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text)
        .expect("writing to a String cannot fail");
    out.push('\n');
}

fn define(out: &mut String, name: &str, value: &str, text: &str) {
    match text {
        "" => line(out, format_args!("#define {name:<32} {value}")),
        text => line(
            out,
            format_args!("#define {name:<32} {value:<5} /* {text} */"),
        ),
    }
}

fn write_section(out: &mut String, section: &Section) {
    line(out, format_args!("\n/* {} */", section.about));
    if let Kind::Handle(handle) = &section.kind {
        // The tags are the standard's: C++ has them in the names of overloaded functions.
        let tag = match handle.strip_prefix("MPI_T_") {
            Some(_) => format!("{handle}_t"),
            None => handle.replacen("MPI_", "MPI_ABI_", 1),
        };
        line(out, format_args!("typedef struct {tag} *{handle};"));
    }
    if let Kind::Enumeration(name) = &section.kind {
        line(out, format_args!("typedef enum {name} {{"));
        for (index, constant) in section.constants.iter().enumerate() {
            let comma = if index + 1 < section.constants.len() {
                ","
            } else {
                ""
            };
            line(
                out,
                format_args!("    {} = {}{comma}", constant.name, constant.value),
            );
        }
        line(out, format_args!("}} {name};"));
        return;
    }
    for constant in &section.constants {
        let (name, value) = (&constant.name, &constant.value);
        let number = value.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        let value = match &section.kind {
            Kind::Handle(handle) if number => format!("(({handle}) {value})"),
            Kind::Offset => format!("((MPI_Offset) {value})"),
            Kind::Pointer | Kind::Function => {
                let (kind, number) = value.rsplit_once(' ').unwrap_or(("void *", value));
                let star = if section.kind == Kind::Function {
                    " *"
                } else {
                    ""
                };
                format!("(({kind}{star}) {number})")
            }
            _ if value.starts_with('-') => format!("({value})"),
            _ => value.clone(),
        };
        define(out, name, &value, &constant.text);
    }
    for callback in &section.callbacks {
        let (returns, name) = (&callback.returns, &callback.name);
        let list = parameter_list(&callback.parameters);
        line(out, format_args!("typedef {returns} {name}({list});"));
    }
}

fn write_chapter(out: &mut String, chapter: &Chapter) {
    let later = if chapter.status == Status::Later {
        " Not supported yet."
    } else {
        ""
    };
    line(out, format_args!("\n/* {}{later} */", chapter.about));
    for prefix in ["", "P"] {
        for function in &chapter.functions {
            let deprecated = match &function.deprecated {
                Some(version) if prefix.is_empty() => format!(" /* deprecated in {version} */"),
                _ => String::new(),
            };
            line(
                out,
                format_args!("{}{deprecated}", prototype(function, prefix)),
            );
        }
    }
}

fn prototype(function: &Function, prefix: &str) -> String {
    let list = parameter_list(&function.parameters);
    format!("{} {prefix}{}({list});", function.returns, function.name)
}

fn parameter_list(parameters: &[Parameter]) -> String {
    if parameters.is_empty() {
        return "void".to_string();
    }
    parameters
        .iter()
        .map(Parameter::to_c)
        .collect::<Vec<_>>()
        .join(", ")
}

fn is_function(table: &Table, name: &str) -> bool {
    let functions = table.chapters.iter().flat_map(|chapter| &chapter.functions);
    functions.into_iter().any(|function| function.name == name)
}

fn write_renames(out: &mut String, section: &Section, table: &Table) {
    line(out, format_args!("\n/* {} */", section.about));
    for constant in &section.constants {
        define(out, &constant.name, &constant.value, "");
        if is_function(table, &constant.value) {
            define(
                out,
                &format!("P{}", constant.name),
                &format!("P{}", constant.value),
                "",
            );
        }
    }
}
