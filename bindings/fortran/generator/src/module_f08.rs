//! Writes the module `mpi_f08`: derived types, descriptors, optional codes, large counts.
//!
//! ```text
//! type, bind(C) :: MPI_Comm            handles with MPI_VAL, == and /=
//! abstract interface                   callbacks
//! interface MPI_Send                   generic: MPI_Send_f08ts, and MPI_Send_c_f08ts with large counts
//!   bind(C, name="mpi_send_f08ts")     a procedure with buffers takes descriptors in C's form
//! ```
//!
//! Step before: `form`, `constant`. Step after: `USE mpi_f08`.
//! Invariants: a procedure without buffers has the compiler's own calling convention, which passes the
//! lengths of strings behind the arguments. One with buffers gets strings as descriptors, as C does.

use pamir_interface::Table;
use pamir_interface::table::Kind;

use crate::argument::{Form, PREFIXES, Shape, Value};
use crate::constant;
use crate::interface::{Head, STATUS, Style, body, parameters, sentinels};
use crate::text::line;

const OPENING: &str = "\
! The module mpi_f08 of MPI-5.0 on the standard ABI.
! Written by bindings/fortran/generator.
module mpi_f08
use, intrinsic :: iso_c_binding, only: c_ptr, c_char
implicit none
public
private :: c_ptr, c_char
integer, parameter, private :: mpi_needs_an_integer_of_4_bytes = 1 / (8 / kind(0) - 1)
";

/// The text.
pub fn module(table: &Table, forms: &[Form]) -> String {
    let mut out = OPENING.to_string();
    parameters(&mut out, table, &constant::integers(table), Style::Types);
    write_types(&mut out, table);
    sentinels(&mut out, Style::Types);
    out.push_str(CALLBACKS);
    write_predefined(&mut out, table);
    let shown: Vec<_> = forms.iter().filter(|form| !form.is_removed).collect();
    for form in shown.iter().filter(|form| !form.is_large) {
        for prefix in PREFIXES {
            write_generic(&mut out, form, &shown, prefix);
        }
    }
    write_own(&mut out);
    write_operators(&mut out, table);
    out + "end module mpi_f08\n"
}

fn write_types(out: &mut String, table: &Table) {
    let handles = constant::handles(table);
    for (kind, _) in &handles {
        line(
            out,
            format_args!("type, bind(C) :: {kind}\n  integer :: MPI_VAL\nend type {kind}"),
        );
    }
    out.push_str(STATUS);
    for (kind, values) in &handles {
        for (name, value) in values {
            line(
                out,
                format_args!("type({kind}), parameter :: {name} = {kind}({value})"),
            );
        }
    }
}

/// The callbacks' interfaces (MPI-5.0, section A.3.4).
const CALLBACKS: &str = "\
abstract interface
subroutine MPI_User_function(invec, inoutvec, len, datatype)
  import
  type(c_ptr), value :: invec, inoutvec
  integer :: len
  type(MPI_Datatype) :: datatype
end subroutine
subroutine MPI_User_function_c(invec, inoutvec, len, datatype)
  import
  type(c_ptr), value :: invec, inoutvec
  integer(MPI_COUNT_KIND) :: len
  type(MPI_Datatype) :: datatype
end subroutine
subroutine MPI_Comm_copy_attr_function(oldcomm, comm_keyval, extra_state, &
    attribute_val_in, attribute_val_out, flag, ierror)
  import
  type(MPI_Comm) :: oldcomm
  integer :: comm_keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
  logical :: flag
end subroutine
subroutine MPI_Comm_delete_attr_function(comm, comm_keyval, attribute_val, extra_state, ierror)
  import
  type(MPI_Comm) :: comm
  integer :: comm_keyval, ierror
  integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
end subroutine
subroutine MPI_Type_copy_attr_function(oldtype, type_keyval, extra_state, &
    attribute_val_in, attribute_val_out, flag, ierror)
  import
  type(MPI_Datatype) :: oldtype
  integer :: type_keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
  logical :: flag
end subroutine
subroutine MPI_Type_delete_attr_function(datatype, type_keyval, attribute_val, extra_state, ierror)
  import
  type(MPI_Datatype) :: datatype
  integer :: type_keyval, ierror
  integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
end subroutine
subroutine MPI_Win_copy_attr_function(oldwin, win_keyval, extra_state, &
    attribute_val_in, attribute_val_out, flag, ierror)
  import
  type(MPI_Win) :: oldwin
  integer :: win_keyval, ierror
  integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
  logical :: flag
end subroutine
subroutine MPI_Win_delete_attr_function(win, win_keyval, attribute_val, extra_state, ierror)
  import
  type(MPI_Win) :: win
  integer :: win_keyval, ierror
  integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
end subroutine
subroutine MPI_Comm_errhandler_function(comm, error_code)
  import
  type(MPI_Comm) :: comm
  integer :: error_code
end subroutine
subroutine MPI_Win_errhandler_function(win, error_code)
  import
  type(MPI_Win) :: win
  integer :: error_code
end subroutine
subroutine MPI_File_errhandler_function(file, error_code)
  import
  type(MPI_File) :: file
  integer :: error_code
end subroutine
subroutine MPI_Session_errhandler_function(session, error_code)
  import
  type(MPI_Session) :: session
  integer :: error_code
end subroutine
subroutine MPI_Grequest_query_function(extra_state, status, ierror)
  import
  integer(MPI_ADDRESS_KIND) :: extra_state
  type(MPI_Status) :: status
  integer :: ierror
end subroutine
subroutine MPI_Grequest_free_function(extra_state, ierror)
  import
  integer(MPI_ADDRESS_KIND) :: extra_state
  integer :: ierror
end subroutine
subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
  import
  integer(MPI_ADDRESS_KIND) :: extra_state
  logical :: complete
  integer :: ierror
end subroutine
subroutine MPI_Datarep_extent_function(datatype, extent, extra_state, ierror)
  import
  type(MPI_Datatype) :: datatype
  integer(MPI_ADDRESS_KIND) :: extent, extra_state
  integer :: ierror
end subroutine
subroutine MPI_Datarep_conversion_function(userbuf, datatype, count, filebuf, position, extra_state, ierror)
  import
  type(c_ptr), value :: userbuf, filebuf
  type(MPI_Datatype) :: datatype
  integer :: count, ierror
  integer(MPI_OFFSET_KIND) :: position
  integer(MPI_ADDRESS_KIND) :: extra_state
end subroutine
subroutine MPI_Datarep_conversion_function_c(userbuf, datatype, count, filebuf, position, extra_state, ierror)
  import
  type(c_ptr), value :: userbuf, filebuf
  type(MPI_Datatype) :: datatype
  integer(MPI_COUNT_KIND) :: count
  integer(MPI_OFFSET_KIND) :: position
  integer(MPI_ADDRESS_KIND) :: extra_state
  integer :: ierror
end subroutine
end interface
";

/// The predefined callbacks, with the interface of their type. MPI-1's are in `mpi` alone.
fn write_predefined(out: &mut String, table: &Table) {
    for procedure in constant::procedures(table) {
        let kind = procedure
            .value
            .rsplit_once(' ')
            .map_or("", |(kind, _)| kind);
        if !["MPI_Copy_function", "MPI_Delete_function"].contains(&kind) {
            line(out, format_args!("procedure({kind}) :: {}", procedure.name));
        }
    }
}

/// The generic name of a function, with its form for large counts if the arguments tell them apart.
fn write_generic(out: &mut String, form: &Form, forms: &[&Form], prefix: &str) {
    let name = format!("{prefix}{}", form.name);
    let large = forms
        .iter()
        .find(|other| other.is_large && other.name == format!("{}_c", form.name));
    line(out, format_args!("interface {name}"));
    write_specific(out, form, prefix);
    if let Some(large) = large.filter(|large| is_distinct(form, large)) {
        write_specific(out, large, prefix);
    }
    line(out, format_args!("end interface {name}"));
    // A callback alone tells no two procedures apart: the form has a name of its own.
    if let Some(large) = large.filter(|large| has_callback(large)) {
        line(out, format_args!("interface {prefix}{}", large.name));
        write_specific(out, large, prefix);
        line(out, format_args!("end interface {prefix}{}", large.name));
    }
}

fn has_callback(form: &Form) -> bool {
    form.arguments
        .iter()
        .any(|a| matches!(a.value, Value::Procedure(_)))
}

/// Whether a compiler can tell two forms apart: by the number, kind or rank of an argument.
fn is_distinct(form: &Form, large: &Form) -> bool {
    let kind = |value: &Value| match value {
        // Both are integers of eight bytes.
        Value::Address | Value::Offset => Value::Count,
        other => other.clone(),
    };
    let shape = |form: &Form| -> Vec<(Value, Shape)> {
        form.arguments
            .iter()
            .map(|a| (kind(&a.value), a.shape))
            .collect()
    };
    !has_callback(form) && shape(form) != shape(large)
}

fn write_specific(out: &mut String, form: &Form, prefix: &str) {
    let name = format!("{prefix}{}", form.name);
    let takes_descriptors = form.has_choice();
    let suffix = if takes_descriptors { "f08ts" } else { "f08" };
    let specific = format!("{name}_{suffix}");
    let binding = takes_descriptors.then(|| specific.to_lowercase());
    body(
        out,
        form,
        &Head {
            name: specific,
            binding,
        },
        Style::Types,
    );
}

/// What no other function is like.
fn write_own(out: &mut String) {
    for prefix in ["MPI", "PMPI"] {
        let lower = prefix.to_lowercase();
        line(
            out,
            format_args!(
                "\
interface {prefix}_Status_f2f08
subroutine {prefix}_Status_f2f08_f08(f_status, f08_status, ierror)
  import
  integer, intent(in) :: f_status(MPI_STATUS_SIZE)
  type(MPI_Status), intent(out) :: f08_status
  integer, optional, intent(out) :: ierror
end subroutine
end interface
interface {prefix}_Status_f082f
subroutine {prefix}_Status_f082f_f08(f08_status, f_status, ierror)
  import
  type(MPI_Status), intent(in) :: f08_status
  integer, intent(out) :: f_status(MPI_STATUS_SIZE)
  integer, optional, intent(out) :: ierror
end subroutine
end interface
interface {prefix}_Sizeof
subroutine {prefix}_Sizeof_f08ts(x, size, ierror) bind(C, name=\"{lower}_sizeof_f08ts\")
  import
  type(*), dimension(..) :: x
  integer, intent(out) :: size
  integer, optional, intent(out) :: ierror
end subroutine
end interface"
            ),
        );
    }
}

/// `==` and `/=` of handles, which make the module one with a body.
fn write_operators(out: &mut String, table: &Table) {
    let kinds: Vec<_> = table
        .sections
        .iter()
        .filter_map(|section| match &section.kind {
            Kind::Handle(kind) if !kind.starts_with("MPI_T_") => Some(kind.clone()),
            _ => None,
        })
        .collect();
    for (operator, name) in [("==", "equal"), ("/=", "unequal")] {
        line(out, format_args!("interface operator ({operator})"));
        for kind in &kinds {
            line(
                out,
                format_args!("  procedure {}_{name}", kind.to_lowercase()),
            );
        }
        line(out, format_args!("end interface"));
    }
    line(out, format_args!("{}", private(&kinds)));
    out.push_str("contains\n");
    for kind in &kinds {
        for (operator, name) in [("==", "equal"), ("/=", "unequal")] {
            line(
                out,
                format_args!(
                    "\
elemental function {0}_{name}(a, b) result(answer)
  type({kind}), intent(in) :: a, b
  logical :: answer
  answer = a%MPI_VAL {operator} b%MPI_VAL
end function",
                    kind.to_lowercase()
                ),
            );
        }
    }
}

fn private(kinds: &[String]) -> String {
    let names = kinds.iter().flat_map(|kind| {
        ["equal", "unequal"].map(|name| format!("{}_{name}", kind.to_lowercase()))
    });
    names.map(|name| format!("private :: {name}\n")).collect()
}
