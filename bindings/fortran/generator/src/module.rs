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

use crate::argument::{Form, PREFIXES, Value};
use crate::constant;
use crate::interface::{Head, STATUS, Style, body, parameters, sentinels};
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
    let integers = constant::integers_and_handles(table);
    parameters(&mut out, table, &integers, Style::Integers);
    sentinels(&mut out, Style::Integers);
    out.push_str(STATUS);
    let shown = || forms.iter().filter(|form| !form.is_large);
    let (generic, plain): (Vec<_>, Vec<_>) = shown().partition(|form| has_pointer(form));
    line(&mut out, format_args!("interface"));
    for form in plain {
        for prefix in PREFIXES {
            let name = format!("{prefix}{}", form.name);
            body(&mut out, form, &Head::plain(name), Style::Integers);
        }
    }
    line(&mut out, format_args!("end interface"));
    write_predefined(&mut out, table);
    for form in generic {
        for prefix in PREFIXES {
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
    body(out, form, &Head::plain(name.as_str()), Style::Integers);
    let mut text = String::new();
    let head = Head::plain(format!("{name}_cptr"));
    body(&mut text, form, &head, Style::Integers);
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
