//! The module procedures that MPICH and Open MPI compile into their libraries, by gfortran's names.
//!
//! What: [`procedures`] gives each name the body in `bindings/fortran/src/modules.rs` that does what it says.
//! Step before: a face. Step after: `object` adds them to its text.
//! Invariant: a name is listed only if a program that uses a module of the face's can refer to it.

use std::fmt::Write;

use crate::face::{Face, MPICH, OPENMPI};

/// Kinds of handles, as `mpi_f08` calls them.
const KINDS: [&str; 11] = [
    "comm",
    "datatype",
    "errhandler",
    "file",
    "group",
    "info",
    "message",
    "op",
    "request",
    "session",
    "win",
];

/// Kinds of variables by their names in Open MPI, and their sizes in bytes.
const VARIABLES: [(&str, usize); 12] = [
    ("character", 1),
    ("logical", 4),
    ("int8", 1),
    ("int16", 2),
    ("int32", 4),
    ("int64", 8),
    ("real32", 4),
    ("real64", 8),
    ("real128", 16),
    ("complex32", 8),
    ("complex64", 16),
    ("complex128", 32),
];

/// Kinds of variables by their names in MPICH's module `mpi_sizeofs`.
const SHORT_VARIABLES: [(&str, usize); 9] = [
    ("ch", 1),
    ("cx", 8),
    ("d", 8),
    ("i", 4),
    ("i1", 1),
    ("i2", 2),
    ("i8", 8),
    ("l", 4),
    ("r", 4),
];

/// The procedures of a face, as lines of `export!`.
pub fn procedures(face: &Face) -> String {
    let mut list = Vec::new();
    if face.name == MPICH.name {
        add_mpich(&mut list);
    }
    if face.name == OPENMPI.name {
        add_openmpi(&mut list);
    }
    let mut out = String::new();
    for (name, body) in list {
        let _ = writeln!(out, "export! {{ {name} => {body} }}");
    }
    out
}

type List = Vec<(String, String)>;

fn add_mpich(list: &mut List) {
    let types = "__mpi_f08_types_MOD_mpi";
    let mut add = |name: String, body: &str| list.push((name, body.to_string()));
    for kind in KINDS {
        for (word, body) in [("eq", "is_equal"), ("neq", "is_unequal")] {
            add(format!("{types}_{kind}_{word}"), body);
            add(format!("{types}_{kind}_f08_{word}_f"), body);
            add(format!("{types}_{kind}_f_{word}_f08"), body);
            if kind != "session" {
                add(format!("__mpi_constants_MOD_{kind}{word}"), body);
            }
        }
        if kind != "file" {
            add(format!("{types}_{kind}_c2f"), "same");
            add(format!("{types}_{kind}_f2c"), "same");
        }
    }
    for (name, body) in [
        ("c_assign_f08", "assign"),
        ("f08_assign_c", "assign"),
        ("f082f", "convert"),
        ("f2f08", "convert"),
    ] {
        add(format!("{types}_status_{name}"), body);
    }
    for name in ["Status_c2f08", "Status_f082c"] {
        add(format!("MPI_{name}"), "convert_in_c");
        add(format!("PMPI_{name}"), "convert_in_c");
    }
    for (kind, bytes) in VARIABLES {
        let x = if bytes == 1 && kind == "character" || kind == "logical" {
            ""
        } else {
            "x"
        };
        add(
            format!("{types}_sizeof_{x}{kind}"),
            &format!("size_of::<{bytes}>"),
        );
    }
    for (kind, bytes) in SHORT_VARIABLES {
        for array in ["", "v"] {
            let name = format!("__mpi_sizeofs_MOD_mpi_sizeof_{kind}{array}");
            add(name, &format!("size_of::<{bytes}>"));
        }
    }
}

fn add_openmpi(list: &mut List) {
    let mut add = |name: String, body: &str| list.push((name, body.to_string()));
    for kind in KINDS {
        add(format!("__mpi_f08_types_MOD_ompi_{kind}_op_eq"), "is_equal");
        add(
            format!("__mpi_f08_types_MOD_ompi_{kind}_op_ne"),
            "is_unequal",
        );
    }
    let ranks = (1..=15).map(|rank| format!("r{rank}"));
    let ranks: Vec<_> = ["scalar".to_string()].into_iter().chain(ranks).collect();
    for (kind, bytes) in VARIABLES {
        for prefix in ["", "p"] {
            for rank in &ranks {
                let name = format!("{prefix}mpi_sizeof_{kind}_{rank}_");
                add(name, &format!("size_of::<{bytes}>"));
            }
        }
    }
}
