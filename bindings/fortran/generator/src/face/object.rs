//! The variables that a face's modules have for their constants.
//!
//! What: MPICH's and Open MPI's `mpi_f08` have handles as constants of a derived type. A program that passes one
//! refers to a variable of the library.
//!
//! ```text
//! MPICH      __mpi_f08_compile_constants_MOD_mpi_comm_world
//! Open MPI   __mpi_f08_types_MOD_mpi_comm_world, ompi_f08_mpi_comm_world
//! ```
//!
//! Step before: `number`. Step after: `bindings/fortran/src/modules.rs` includes the text, with those of `procedure`.
//! Invariant: a variable is one integer, since that is all that the derived types have.

use pamir_interface::Table;
use pamir_interface::table::Kind;

use super::number;
use super::procedure;
use crate::face::{Face, MPICH, OPENMPI};
use crate::text::line;

/// The variables, and the module procedures beside them.
///
/// # Errors
///
/// A line of the face's table that is wrong.
pub fn objects(face: &Face) -> Result<String, String> {
    let beginnings: &[&str] = match face.name {
        name if name == MPICH.name => &["__mpi_f08_compile_constants_MOD_"],
        name if name == OPENMPI.name => &["__mpi_f08_types_MOD_", "ompi_f08_"],
        _ => &[],
    };
    let values = number::values(face)?;
    let sections = Table::parse("", face.constants)?.sections;
    let handles = sections
        .iter()
        .filter(|s| matches!(s.kind, Kind::Handle(_)));
    let mut out = String::new();
    for constant in handles.flat_map(|section| &section.constants) {
        let Some((name, value)) = values.iter().find(|(name, _)| *name == constant.name) else {
            continue;
        };
        for beginning in beginnings {
            let symbol = format!("{beginning}{}", name.to_lowercase());
            line(
                &mut out,
                format_args!(
                    "/// `{name}`.\n#[unsafe(no_mangle)]\npub static {symbol}: Integer = {value};"
                ),
            );
        }
    }
    Ok(out + &procedure::procedures(face))
}
