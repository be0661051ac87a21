//! Functions and arguments as Fortran has them.
//!
//! What: [`Form`] is a function; an [`Argument`] is a kind of value, a shape and an intent.
//! Step before: `form` makes them. Step after: `entry`, `module`, `module_f08`.
//! Invariant: arguments keep C's order; `ierror` is not among them.

use pamir_interface::table::Function;

/// The prefixes of a function's two names.
pub const PREFIXES: [&str; 2] = ["", "P"];

/// What an argument holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `INTEGER`.
    Integer,
    /// `INTEGER(KIND=MPI_ADDRESS_KIND)`.
    Address,
    /// `INTEGER(KIND=MPI_COUNT_KIND)`.
    Count,
    /// `INTEGER(KIND=MPI_OFFSET_KIND)`.
    Offset,
    /// `LOGICAL`.
    Logical,
    /// `CHARACTER(LEN=*)`.
    Character,
    /// A handle of the named C type: `INTEGER`, or a derived type.
    Handle(String),
    /// A status: `INTEGER(MPI_STATUS_SIZE)`, or a derived type.
    Status,
    /// A buffer of any type and rank.
    Choice,
    /// An address that C writes: `INTEGER(KIND=MPI_ADDRESS_KIND)`, or `TYPE(C_PTR)`.
    Pointer,
    /// A callback of the named C type.
    Procedure(String),
    /// `DOUBLE PRECISION`, which functions return.
    Double,
}

/// How many values an argument holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One.
    Scalar,
    /// As many as other arguments say.
    Array,
    /// So many rows of three.
    Triples,
    /// A matrix of strings.
    Matrix,
}

/// Who writes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// The program.
    In,
    /// The library.
    Out,
    /// Both.
    InOut,
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name, which programs may use as a keyword.
    pub name: String,
    /// What it holds.
    pub value: Value,
    /// How many of them.
    pub shape: Shape,
    /// Who writes it.
    pub intent: Intent,
}

/// A function in Fortran.
#[derive(Clone, Debug)]
pub struct Form {
    /// The C name, such as `MPI_Send_c`.
    pub name: String,
    /// The C function; `None` where Fortran alone has the function.
    pub function: Option<Function>,
    /// The arguments without `ierror`.
    pub arguments: Vec<Argument>,
    /// Whether `mpi_f08` alone has it: the form for large counts.
    pub is_large: bool,
    /// Whether MPI-3.0 removed it: `mpi_f08` never had it.
    pub is_removed: bool,
    /// What a function returns; `None` for a subroutine.
    pub returns: Option<Value>,
    /// Whether every instruction counts: a small message.
    pub is_hot: bool,
    /// Whether a buffer or array is in use after the call returned.
    pub is_asynchronous: bool,
}

impl Form {
    /// The name in lower case, as Fortran's symbols have it.
    pub fn lower(&self) -> String {
        self.name.to_lowercase()
    }

    /// Whether the program gets an error code; without one, whatever lies behind the arguments is no place for it.
    pub fn has_code(&self) -> bool {
        !["MPI_Pcontrol", "MPI_F_sync_reg"].contains(&self.name.as_str())
    }

    /// Whether it takes a buffer of any type.
    pub fn has_choice(&self) -> bool {
        self.arguments.iter().any(|a| a.value == Value::Choice)
    }

    /// Whether it takes a string.
    pub fn has_character(&self) -> bool {
        self.arguments.iter().any(|a| a.value == Value::Character)
    }
}
