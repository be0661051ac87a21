//! Writes the module `mpi`: argument checking for programs whose handles are integers.
//!
//! ```text
//! parameters, common block      as in mpif.h
//! interface                     one body a function; buffers of any type and rank are not checked
//! generic MPI_Alloc_mem ...     the address as an integer, or as TYPE(C_PTR)
//! ```
//!
//! Step before: `form`, `constant`. Step after: `USE mpi`.
//! Invariant: the external names are those of `mpif.h`, so that both may meet in a program.

use pamir_interface::Table;

use crate::argument::{Form, Value};
use crate::constant::{self, BLOCK, SENTINELS, Sentinel};
use crate::interface::{Head, Style, body};
use crate::text::line;

/// What the text begins with.
const OPENING: &str = "\
! The module mpi of MPI-5.0 on the standard ABI.
! Written by bindings/fortran/generator.
module mpi
use, intrinsic :: iso_c_binding, only: c_ptr
implicit none
public
private :: c_ptr
integer, parameter, private :: mpi_needs_an_integer_of_4_bytes = 1 / (8 / kind(0) - 1)
";

/// The text.
pub fn module(table: &Table, forms: &[Form]) -> String {
    let mut out = OPENING.to_string();
    write_constants(&mut out, table);
    write_status(&mut out);
    let shown = || forms.iter().filter(|form| !form.is_large);
    let (generic, plain): (Vec<_>, Vec<_>) = shown().partition(|form| has_pointer(form));
    line(&mut out, format_args!("interface"));
    for form in plain {
        for prefix in ["", "P"] {
            let name = format!("{prefix}{}", form.name);
            body(
                &mut out,
                form,
                &Head {
                    name,
                    binding: None,
                },
                Style::Integers,
            );
        }
    }
    line(&mut out, format_args!("end interface"));
    write_predefined(&mut out, table);
    for form in generic {
        for prefix in ["", "P"] {
            write_generic(&mut out, form, prefix);
        }
    }
    write_own(&mut out);
    out + "end module mpi\n"
}

/// Whether an argument is an address in one form, and a pointer in another.
fn has_pointer(form: &Form) -> bool {
    form.arguments
        .iter()
        .any(|a| a.name == "baseptr" && a.value == Value::Pointer)
}

fn write_constants(out: &mut String, table: &Table) {
    let handles = constant::handles(table)
        .into_iter()
        .flat_map(|(_, handles)| handles);
    for (name, value) in constant::integers(table)
        .into_iter()
        .chain(handles)
        .chain(constant::removed())
    {
        line(out, format_args!("integer, parameter :: {name} = {value}"));
    }
    for (name, value) in constant::offsets(table) {
        line(
            out,
            format_args!("integer(MPI_OFFSET_KIND), parameter :: {name} = {value}"),
        );
    }
    line(
        out,
        format_args!("logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false."),
    );
    line(
        out,
        format_args!("logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false."),
    );
    for (name, sentinel) in SENTINELS {
        let declared = match sentinel {
            Sentinel::Integer => format!("integer, target :: {name}"),
            Sentinel::Integers => format!("integer :: {name}(1)"),
            Sentinel::Status => format!("integer :: {name}(MPI_STATUS_SIZE)"),
            Sentinel::Statuses => format!("integer :: {name}(MPI_STATUS_SIZE, 1)"),
            Sentinel::Characters => format!("character(1) :: {name}(1)"),
            Sentinel::Matrix => format!("character(1) :: {name}(1, 1)"),
        };
        line(out, format_args!("{declared}\ncommon /{BLOCK}/ {name}"));
    }
    line(out, format_args!("save /{BLOCK}/"));
}

/// `TYPE(MPI_Status)`, which the conversions of statuses have in this module too.
fn write_status(out: &mut String) {
    out.push_str(STATUS);
}

/// The derived type of a status.
pub const STATUS: &str = "\
type, bind(C) :: MPI_Status
  integer :: MPI_SOURCE
  integer :: MPI_TAG
  integer :: MPI_ERROR
  integer, private :: reserved(5)
end type MPI_Status
";

/// The predefined procedures.
fn write_predefined(out: &mut String, table: &Table) {
    for procedure in constant::procedures(table) {
        line(out, format_args!("external :: {}", procedure.name));
    }
}

/// A generic name for the form with an integer and that with a pointer.
fn write_generic(out: &mut String, form: &Form, prefix: &str) {
    let name = format!("{prefix}{}", form.name);
    line(out, format_args!("interface {name}"));
    body(
        out,
        form,
        &Head {
            name: name.clone(),
            binding: None,
        },
        Style::Integers,
    );
    let mut text = String::new();
    let binding = None;
    body(
        &mut text,
        form,
        &Head {
            name: format!("{name}_cptr"),
            binding,
        },
        Style::Integers,
    );
    let pointer = text.replace(
        "integer(MPI_ADDRESS_KIND), intent(out) :: baseptr",
        "type(c_ptr), intent(out) :: baseptr",
    );
    line(out, format_args!("{pointer}end interface {name}"));
}

/// What no other function is like.
fn write_own(out: &mut String) {
    for prefix in ["MPI", "PMPI"] {
        let lower = prefix.to_lowercase();
        line(
            out,
            format_args!(
                "\
interface
subroutine {prefix}_Status_f2f08(f_status, f08_status, ierror)
  import
  integer, intent(in) :: f_status(MPI_STATUS_SIZE)
  type(MPI_Status), intent(out) :: f08_status
  integer, intent(out) :: ierror
end subroutine
subroutine {prefix}_Status_f082f(f08_status, f_status, ierror)
  import
  type(MPI_Status), intent(in) :: f08_status
  integer, intent(out) :: f_status(MPI_STATUS_SIZE)
  integer, intent(out) :: ierror
end subroutine
subroutine {prefix}_Sizeof(x, size, ierror) bind(C, name=\"{lower}_sizeof_f08ts\")
  import
  type(*), dimension(..) :: x
  integer, intent(out) :: size
  integer, intent(out) :: ierror
end subroutine
end interface"
            ),
        );
    }
}
