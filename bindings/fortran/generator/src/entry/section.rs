//! The entries that take array descriptors: `mpi_send_f08ts` and its like.
//!
//! What: a contiguous buffer goes on as its address; a strided one in one of three ways.
//!
//! ```text
//! Described   (buf, count, datatype) of a message, a transfer, a file   one element of a made datatype
//! Staged      buffers of collective operations and packed data           a contiguous copy, copied back
//! Contiguous  windows, attached buffers, partitions                      refused: the memory itself is meant
//! ```
//!
//! Step before: `entry`. Step after: `bindings/fortran/src/section`.
//! Invariant: the way is a property of the function and the buffer, chosen in [`way`].

use super::declared::{declared, declared_without_lengths, fortran_type, lengths, rust_name};
use crate::argument::{Argument, Form, Intent, PREFIXES, Shape, Value};
use crate::face::{Buffers, Face};
use crate::special;
use crate::text::line;

/// How a strided buffer reaches C.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    /// By a datatype; the names of the count and of the datatype.
    Described(String, String),
    /// By a copy.
    Staged,
    /// Not at all.
    Refused,
    /// By its first element, which is all that is meant.
    First,
}

/// The functions to which a buffer is memory rather than data.
const MEMORY: &[&str] = &[
    "MPI_Win_create",
    "MPI_Win_attach",
    "MPI_Buffer_attach",
    "MPI_Comm_attach_buffer",
    "MPI_Session_attach_buffer",
    "MPI_Psend_init",
    "MPI_Precv_init",
];

/// The functions that take one element, or an address.
const FIRST: &[&str] = &[
    "MPI_Get_address",
    "MPI_Free_mem",
    "MPI_Win_detach",
    "MPI_Fetch_and_op",
    "MPI_Compare_and_swap",
    "MPI_Sizeof",
    "MPI_F_sync_reg",
];

fn way(form: &Form, buffer: &Argument) -> Way {
    let name = form.name.trim_end_matches("_c");
    if MEMORY.contains(&name) {
        return Way::Refused;
    }
    let has = |wanted: &str| {
        form.arguments
            .iter()
            .any(|a| a.name == wanted && a.shape == Shape::Scalar)
    };
    let is_collective = is_collective(form);
    let stem = buffer
        .name
        .trim_end_matches("buf")
        .trim_end_matches("_addr");
    let pairs = [
        (format!("{stem}count"), format!("{stem}type")),
        (format!("{stem}count"), "datatype".to_string()),
        (format!("{stem}_count"), format!("{stem}_datatype")),
        ("count".to_string(), "datatype".to_string()),
    ];
    let is_root = ["MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_init"].contains(&name);
    let pair = pairs
        .into_iter()
        .find(|(count, datatype)| has(count) && has(datatype));
    match pair {
        _ if FIRST.contains(&name) || name.ends_with("_end") => Way::First,
        // A representation of its own wants the datatype itself, not its bytes.
        _ if name.to_lowercase().ends_with("pack_external") => Way::Staged,
        Some((count, datatype)) if !is_collective || is_root => Way::Described(count, datatype),
        _ => Way::Staged,
    }
}

/// The object whose error handler is called, as Rust.
fn object(form: &Form) -> &'static str {
    const OBJECTS: [(&str, &str); 3] = [
        ("comm", "Object::Communicator(*comm)"),
        ("session", "Object::Session(*session)"),
        ("win", "Object::Window(*win)"),
    ];
    let taken = |name: &str| {
        let is_it = |a: &&Argument| a.name == name && a.intent == Intent::In;
        form.arguments.iter().find(is_it).is_some()
    };
    let found = OBJECTS.iter().find(|(name, _)| taken(name));
    found.map_or("Object::Process", |(_, object)| object)
}

/// Whether the function is a collective operation, whose buffers hold several ranks' data.
fn is_collective(form: &Form) -> bool {
    let has_comm = form.arguments.iter().any(|a| a.name == "comm");
    let has_peer = form
        .arguments
        .iter()
        .any(|a| ["dest", "source", "target_rank", "fh"].contains(&a.name.as_str()));
    has_comm && !has_peer && !form.name.contains("ack")
        || form.name == "MPI_Reduce_local"
        || form.name == "MPI_Reduce_local_c"
}

/// Writes `g_MPI_X` and `g_PMPI_X`.
pub fn write(out: &mut String, face: &Face, form: &Form) {
    let is_bound = face.buffers == Buffers::Described;
    let with_descriptors = |a: &Argument| match a.value {
        Value::Choice => "*const Descriptor".to_string(),
        Value::Character if is_bound => "*const Descriptor".to_string(),
        _ => fortran_type(a).to_string(),
    };
    let declared = match is_bound {
        true => declared_without_lengths(form, with_descriptors),
        false => declared(form, with_descriptors),
    };
    let buffers: Vec<_> = form
        .arguments
        .iter()
        .filter(|a| a.value == Value::Choice)
        .collect();
    let direct = passed(form, is_bound, "ierror", |a| {
        format!("(*{}).address", a.name)
    });
    for prefix in PREFIXES {
        let name = format!("{prefix}{}", form.name);
        if let Some(strided) = strided(form, is_bound, &name, &buffers) {
            // Apart, so that the way of a contiguous buffer saves no registers for this one.
            let whole = whole(form, &name, &direct, &buffers);
            write_function(out, &format!("s_{name}"), &declared, &(whole + &strided));
        }
        let dispatched = dispatched(form, is_bound, &name, &direct, &buffers);
        write_function(out, &format!("g_{name}"), &declared, &dispatched);
    }
}

fn write_function(out: &mut String, name: &str, declared: &str, inside: &str) {
    let outlined = if name.starts_with("s_") {
        "#[cold]\n#[inline(never)]\n"
    } else {
        ""
    };
    line(
        out,
        format_args!(
            "{outlined}unsafe extern \"C\" fn {name}({declared}) {{\n\
             // SAFETY: the compiler made the descriptors; the program vouches for the rest.\n\
             unsafe {{\n{inside}}}\n}}"
        ),
    );
}

fn passed(
    form: &Form,
    is_bound: bool,
    error: &str,
    buffer: impl Fn(&Argument) -> String,
) -> String {
    let mut list: Vec<_> = form
        .arguments
        .iter()
        .map(|a| {
            match a.value {
                Value::Choice => buffer(a),
                // A procedure that is bound to C gets strings as descriptors too.
                Value::Character if is_bound => format!("(*{}).address.cast()", a.name),
                _ => rust_name(a),
            }
        })
        .collect();
    list.push(error.to_string());
    let strings = form
        .arguments
        .iter()
        .filter(|a| a.value == Value::Character);
    match is_bound {
        true => list.extend(strings.map(|a| format!("(*{}).element", a.name))),
        false => list.extend(lengths(form)),
    }
    list.join(", ")
}

/// The condition that all buffers have a property that have to; none where no buffer has to.
fn all(form: &Form, buffers: &[&Argument], property: &str) -> Option<String> {
    let matter = buffers.iter().filter(|b| way(form, b) != Way::First);
    let each: Vec<_> = matter
        .map(|b| format!("Descriptor::{property}({})", b.name))
        .collect();
    (!each.is_empty()).then(|| each.join(" && "))
}

/// The inside: the direct way if all buffers are plain that have to be.
fn dispatched(
    form: &Form,
    is_bound: bool,
    name: &str,
    direct: &str,
    buffers: &[&Argument],
) -> String {
    let Some(plain) = all(form, buffers, "is_plain") else {
        return format!("f_{name}({direct});\n");
    };
    let mut same: Vec<_> = form.arguments.iter().map(rust_name).collect();
    same.push("ierror".to_string());
    if !is_bound {
        same.extend(lengths(form));
    }
    format!(
        "if {plain} {{\nf_{name}({direct})\n}} else {{\ns_{name}({})\n}}\n",
        same.join(", ")
    )
}

/// The direct way for arrays of more dimensions that lie in one piece.
fn whole(form: &Form, name: &str, direct: &str, buffers: &[&Argument]) -> String {
    let contiguous = all(form, buffers, "is_contiguous").unwrap_or_default();
    format!("if {contiguous} {{\nreturn f_{name}({direct});\n}}\n")
}

/// What is done where a buffer is not contiguous.
fn strided(form: &Form, is_bound: bool, name: &str, buffers: &[&Argument]) -> Option<String> {
    let ways: Vec<_> = buffers.iter().map(|b| way(form, b)).collect();
    if ways.iter().all(|way| *way == Way::First) {
        return None;
    }
    if ways.contains(&Way::Refused) {
        let (name, object) = (&form.name, object(form));
        return Some(format!("section::refuse(\"{name}\", {object}, ierror);\n"));
    }
    let mut out = String::new();
    for (buffer, way) in buffers.iter().zip(&ways) {
        let b = &buffer.name;
        match way {
            Way::Described(count, datatype) => line(
                &mut out,
                format_args!(
                    "let {b}_s = section::Described::new({b}, *{count}, *{datatype});\n\
                 let ({count}, {datatype}) = ({b}_s.{}(), {b}_s.datatype());",
                    if form.is_large {
                        "large_count"
                    } else {
                        "count"
                    }
                ),
            ),
            _ => line(
                &mut out,
                format_args!(
                    "let mut {b}_s = section::Staged::new({b}, {});",
                    buffer.intent != Intent::In
                ),
            ),
        }
    }
    let call = passed(form, is_bound, "&raw mut code", |a| {
        format!("{}_s.address()", a.name)
    });
    line(
        &mut out,
        format_args!("let mut code = 0;\nf_{name}({call});"),
    );
    let staged: Vec<_> = buffers
        .iter()
        .zip(&ways)
        .filter(|(_, way)| **way == Way::Staged)
        .collect();
    let gives_request = form
        .arguments
        .iter()
        .any(|a| a.name == "request" && a.intent != Intent::In);
    if gives_request && !staged.is_empty() {
        let is_persistent = special::is_persistent(form);
        let list: Vec<_> = staged
            .iter()
            .map(|(b, _)| format!("{}_s", b.name))
            .collect();
        line(
            &mut out,
            format_args!(
                "if code == 0 {{ pending::stage(*request, {is_persistent}, [{}]); }}",
                list.join(", ")
            ),
        );
    } else {
        for (buffer, _) in staged {
            line(&mut out, format_args!("{}_s.give_back();", buffer.name));
        }
    }
    line(&mut out, format_args!("finish(ierror, code);"));
    Some(out)
}
