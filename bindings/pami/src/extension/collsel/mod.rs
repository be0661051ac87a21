//! The extension `EXT_collsel`: which algorithm of a collective operation is the fastest, found by measuring.
//!
//! Before: a program with a client and a context. After: a table of algorithms by speed lies in a file; later, in the same
//! program or another one, an advisor that has loaded it names the algorithms for an operation, the fastest first.
//!
//! ```text
//! init ─▶ advisor ─ table_generate ─▶ measure.rs ─▶ file
//!            └───── table_load ◀──────────────────── file ─▶ table ─ query ─▶ fast query ─ advise ─▶ algorithms
//! ```
//!
//! | symbol, IBM's library | symbol, MPICH's device for it | what |
//! |---|---|---|
//! | `Collsel_init_fn` | `Collsel_init` | makes an advisor of a client and its contexts |
//! | | `Collsel_initialized` | whether a client has an advisor: 1 or 0 |
//! | `Collsel_destroy_fn` | `Collsel_destroy` | ends it |
//! | `Collsel_table_generate_fn` | `Collsel_table_generate` | measures, and writes a file; all tasks call |
//! | `Collsel_table_load_fn` | `Collsel_table_load` | reads a file |
//! | | `Collsel_get_collectives` | the kinds that a table has |
//! | `Collsel_table_unload_fn` | `Collsel_table_unload` | forgets it |
//! | `Collsel_query_fn` | `Collsel_query_create`, `Collsel_query_destroy` | what a table says of a geometry |
//! | `Collsel_advise_fn` | `Collsel_advise` | the algorithms for an operation, or for a size |
//!
//! Names are found whatever their case. Algorithms that are not of this library have no place in a table, so there is no
//! `Collsel_register_algorithms`.
//!
//! | file | what |
//! |---|---|
//! | `parameters.rs` | C's structures |
//! | `objects.rs` | advisors, tables and fast queries, and their handles |
//! | `functions.rs` | C's functions |
//! | `plan.rs` | what is measured, the same at all tasks |
//! | `measure.rs` | the measuring |
//! | `table.rs` | the table and its file |

mod functions;
mod measure;
mod objects;
mod parameters;
mod plan;
mod table;

use std::ffi::c_void;

/// The extension's name.
pub const NAME: &str = "EXT_collsel";

/// What the extension's handle points to.
static EXTENSION: u64 = 0x4C45_534C_4C4F_434D;

/// The extension's handle.
pub fn handle() -> *mut c_void {
    (&raw const EXTENSION).cast_mut().cast()
}

/// A function of the extension's.
pub fn symbol(name: &[u8]) -> *mut c_void {
    let lower = name.to_ascii_lowercase();
    match &lower[..] {
        b"collsel_init_fn" | b"collsel_init" => functions::init as *mut c_void,
        b"collsel_initialized" => functions::initialized as *mut c_void,
        b"collsel_destroy_fn" | b"collsel_destroy" => functions::destroy as *mut c_void,
        b"collsel_table_generate_fn" => functions::table_generate as *mut c_void,
        b"collsel_table_generate" => functions::table_generate_beside as *mut c_void,
        b"collsel_table_load_fn" | b"collsel_table_load" => functions::table_load as *mut c_void,
        b"collsel_get_collectives" => functions::collectives as *mut c_void,
        b"collsel_table_unload_fn" | b"collsel_table_unload" => {
            functions::table_unload as *mut c_void
        }
        b"collsel_query_fn" => functions::query as *mut c_void,
        b"collsel_query_create" => functions::query_create as *mut c_void,
        b"collsel_query_destroy" => functions::query_destroy as *mut c_void,
        b"collsel_advise_fn" => functions::advise as *mut c_void,
        b"collsel_advise" => functions::advise_size as *mut c_void,
        _ => std::ptr::null_mut(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whatever_their_case() {
        for name in [
            "Collsel_init_fn",
            "COLLSEL_ADVISE_FN",
            "collsel_query_create",
        ] {
            assert!(!symbol(name.as_bytes()).is_null(), "{name}");
        }
        assert_eq!(symbol(b"Collsel_init"), symbol(b"Collsel_init_fn"));
        // The two libraries' forms differ.
        assert_ne!(symbol(b"Collsel_advise"), symbol(b"Collsel_advise_fn"));
        assert!(symbol(b"Collsel_register_algorithms").is_null());
    }
}
