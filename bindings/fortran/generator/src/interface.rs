//! Writes interface blocks: what both modules have in common.
//!
//! What: [`Style`] says how a module names types; [`parameters`] and [`sentinels`] write its constants and
//! variables, [`body`] one interface body, wrapped at the length that every compiler takes.
//! Step before: `form`. Step after: `module`, `module_f08`.
//! Invariant: the dummy arguments have the standard's names, in C's order, with `ierror` at the end.

use pamir_interface::Table;

use crate::argument::{Argument, Form, Intent, Shape, Value};
use crate::constant::{self, BLOCK, SENTINELS, Sentinel};
use crate::text::line;

/// How a module declares arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `mpi`: handles and statuses are integers.
    Integers,
    /// `mpi_f08`: they are derived types, and buffers have descriptors.
    Types,
}

/// How an interface body is headed.
#[derive(Clone, Debug)]
pub struct Head {
    /// The procedure's name.
    pub name: String,
    /// The name for the linker, where the compiler is not to make one.
    pub binding: Option<String>,
}

impl Head {
    /// A name that the compiler makes the linker's of.
    pub fn plain(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            binding: None,
        }
    }
}

/// The derived type of a status, which the conversions of statuses have in `mpi` too.
pub const STATUS: &str = "\
type, bind(C) :: MPI_Status
  integer :: MPI_SOURCE
  integer :: MPI_TAG
  integer :: MPI_ERROR
  integer, private :: reserved(5)
end type MPI_Status
";

/// Writes constants: integers, offsets, and what the interface promises of buffers.
pub fn parameters(out: &mut String, table: &Table, integers: &[(String, i64)], style: Style) {
    for (name, value) in integers {
        line(out, format_args!("integer, parameter :: {name} = {value}"));
    }
    for (name, value) in constant::offsets(table) {
        line(
            out,
            format_args!("integer(MPI_OFFSET_KIND), parameter :: {name} = {value}"),
        );
    }
    let promised = if style == Style::Types {
        ".true."
    } else {
        ".false."
    };
    for name in ["MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"] {
        line(
            out,
            format_args!("logical, parameter :: {name} = {promised}"),
        );
    }
}

/// Writes the common block of the sentinels.
pub fn sentinels(out: &mut String, style: Style) {
    let (status, size) = match style {
        Style::Integers => ("integer", Some("MPI_STATUS_SIZE")),
        Style::Types => ("type(MPI_Status)", None),
    };
    for (name, sentinel) in SENTINELS {
        // Programs may take the address of a buffer.
        let target = if *sentinel == Sentinel::Integer {
            ", target"
        } else {
            ""
        };
        let (kind, dimensions) = (sentinel.kind(status), sentinel.dimensions(size));
        line(
            out,
            format_args!("{kind}{target} :: {name}{dimensions}\ncommon /{BLOCK}/ {name}"),
        );
    }
    line(out, format_args!("save /{BLOCK}/"));
}

/// Writes an interface body.
pub fn body(out: &mut String, form: &Form, head: &Head, style: Style) {
    let mut names: Vec<_> = form.arguments.iter().map(|a| a.name.clone()).collect();
    let kind = match &form.returns {
        Some(_) => "function",
        None => {
            if form.has_code() {
                names.push("ierror".to_string());
            }
            "subroutine"
        }
    };
    let name = &head.name;
    wrapped(
        out,
        &format!("{kind} {name}({})", names.join(", ")),
        head.binding.as_deref(),
    );
    line(out, format_args!("  import"));
    line(out, format_args!("  implicit none"));
    for argument in &form.arguments {
        declare(out, form, argument, style);
    }
    match &form.returns {
        Some(Value::Double) => line(out, format_args!("  double precision :: {name}")),
        Some(_) => line(out, format_args!("  integer(MPI_ADDRESS_KIND) :: {name}")),
        None if names.iter().any(|name| name == "ierror") => {
            let optional = if style == Style::Types {
                "optional, "
            } else {
                ""
            };
            line(
                out,
                format_args!("  integer, {optional}intent(out) :: ierror"),
            );
        }
        None => {}
    }
    line(out, format_args!("end {kind} {name}"));
}

/// Writes a procedure's first line, continued where it is long.
fn wrapped(out: &mut String, text: &str, binding: Option<&str>) {
    let mut length = 0;
    for word in text.split_inclusive(' ') {
        if length + word.len() > 90 {
            out.push_str("&\n    ");
            length = 4;
        }
        out.push_str(word);
        length += word.len();
    }
    match binding {
        Some(binding) => line(out, format_args!(" &\n    bind(C, name=\"{binding}\")")),
        None => out.push('\n'),
    }
}

fn declare(out: &mut String, form: &Form, argument: &Argument, style: Style) {
    let name = &argument.name;
    // A buffer that comes back is not returned where there is no pointer to take it.
    let is_unused = style == Style::Integers && name == "buffer_addr";
    if argument.value == Value::Choice || is_unused {
        return declare_choice(out, form, argument, style);
    }
    if argument.value == Value::Character && form.has_choice() && style == Style::Types {
        line(
            out,
            format_args!("  character(kind=c_char, len=*), intent(in) :: {name}"),
        );
        return;
    }
    let kind = kind(argument, style);
    let intent = match (argument.intent, &argument.value) {
        // The sentinels are variables that nobody writes.
        (Intent::Out, Value::Status) if style == Style::Types => "",
        (_, Value::Procedure(_)) => "",
        (_, _) if argument.name.ends_with("weights") || argument.name == "array_of_errcodes" => "",
        (Intent::In, _) => ", intent(in)",
        (Intent::Out, _) => ", intent(out)",
        (Intent::InOut, _) => ", intent(inout)",
    };
    let stays = form.is_asynchronous && argument.shape == Shape::Array && style == Style::Types;
    let stays = if stays && !matches!(argument.value, Value::Status) {
        ", asynchronous"
    } else {
        ""
    };
    line(
        out,
        format_args!(
            "  {kind}{intent}{stays} :: {name}{}",
            dimensions(argument, style)
        ),
    );
}

fn declare_choice(out: &mut String, form: &Form, argument: &Argument, style: Style) {
    let name = &argument.name;
    if style == Style::Integers {
        line(out, format_args!("!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}"));
        line(out, format_args!("!DIR$ IGNORE_TKR {name}"));
        line(out, format_args!("  type(*), dimension(*) :: {name}"));
        return;
    }
    let intent = if argument.intent == Intent::In {
        ", intent(in)"
    } else {
        ""
    };
    let stays = if form.is_asynchronous {
        ", asynchronous"
    } else {
        ""
    };
    line(
        out,
        format_args!("  type(*), dimension(..){intent}{stays} :: {name}"),
    );
}

fn kind(argument: &Argument, style: Style) -> String {
    let types = style == Style::Types;
    match &argument.value {
        Value::Integer => "integer".to_string(),
        Value::Address => "integer(MPI_ADDRESS_KIND)".to_string(),
        Value::Count => "integer(MPI_COUNT_KIND)".to_string(),
        Value::Offset => "integer(MPI_OFFSET_KIND)".to_string(),
        Value::Logical => "logical".to_string(),
        Value::Character => "character(len=*)".to_string(),
        Value::Handle(kind) if types => format!("type({kind})"),
        Value::Status if types => "type(MPI_Status)".to_string(),
        Value::Pointer if types => "type(c_ptr)".to_string(),
        Value::Procedure(kind) if types => format!("procedure({kind})"),
        Value::Handle(_) | Value::Status => "integer".to_string(),
        Value::Pointer => "integer(MPI_ADDRESS_KIND)".to_string(),
        Value::Procedure(_) => "external".to_string(),
        Value::Choice | Value::Double => unreachable!("they are declared elsewhere"),
    }
}

fn dimensions(argument: &Argument, style: Style) -> &'static str {
    let is_status = argument.value == Value::Status && style == Style::Integers;
    match argument.shape {
        Shape::Scalar if is_status => "(MPI_STATUS_SIZE)",
        Shape::Scalar => "",
        Shape::Array if is_status => "(MPI_STATUS_SIZE, *)",
        Shape::Array => "(*)",
        Shape::Triples => "(3, *)",
        // The number of rows is the first argument.
        Shape::Matrix => "(count, *)",
    }
}
