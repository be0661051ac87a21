//! The constants as Fortran has them.
//!
//! What: [`integers`] and [`handles`] give name and value of each, from the tables; [`OWN`] adds those that
//! Fortran alone has. [`SENTINELS`] are the variables of the common block.
//! Step before: `pamir_interface::Table`. Step after: `include`, `module`, `module_f08`.
//! Invariants: the common block is laid out as `bindings/fortran/src/address.rs` says; the longest string
//! is a character shorter than in C, where it has a zero at its end (MPI-5.0, section 2.6.2).

use pamir_interface::table::{Constant, Kind, Section, Table};

/// Constants that Fortran alone has: kinds, and where an array of integers keeps a status.
pub const OWN: &[(&str, i64)] = &[
    ("MPI_ADDRESS_KIND", 8),
    ("MPI_COUNT_KIND", 8),
    ("MPI_INTEGER_KIND", 4),
    ("MPI_OFFSET_KIND", 8),
    ("MPI_STATUS_SIZE", 8),
    ("MPI_SOURCE", 1),
    ("MPI_TAG", 2),
    ("MPI_ERROR", 3),
];

/// Constants of MPI-1 and MPI-2 that MPI-3.0 removed, in `mpif.h` and `mpi`. The first two are known to
/// the constructors of structures; nothing returns the others, which old programs compare with.
pub const REMOVED: &[(&str, i64)] = &[
    ("MPI_LB", 0x2fe),
    ("MPI_UB", 0x2ff),
    ("MPI_COMBINER_HVECTOR_INTEGER", -101),
    ("MPI_COMBINER_HINDEXED_INTEGER", -102),
    ("MPI_COMBINER_STRUCT_INTEGER", -103),
];

/// The name of the common block, without an underscore: compilers that add a second one to others do not to it.
pub const BLOCK: &str = "MPISENTINELS";

/// What a sentinel is, for those who pass it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sentinel {
    /// An integer.
    Integer,
    /// An array of one integer.
    Integers,
    /// A status.
    Status,
    /// An array of one status.
    Statuses,
    /// An array of one character.
    Characters,
    /// A matrix of one character.
    Matrix,
}

impl Sentinel {
    /// The type, where statuses are of the type `status`.
    pub fn kind(self, status: &str) -> &str {
        match self {
            Self::Integer | Self::Integers => "integer",
            Self::Status | Self::Statuses => status,
            Self::Characters | Self::Matrix => "character(1)",
        }
    }

    /// The dimensions, where a status that is an array has the dimension `status`, and one of a type none.
    pub fn dimensions(self, status: Option<&str>) -> String {
        match (self, status) {
            (Self::Integer, _) | (Self::Status, None) => String::new(),
            (Self::Integers | Self::Characters, _) | (Self::Statuses, None) => "(1)".to_string(),
            (Self::Status, Some(size)) => format!("({size})"),
            (Self::Statuses, Some(size)) => format!("({size}, 1)"),
            (Self::Matrix, _) => "(1, 1)".to_string(),
        }
    }
}

/// The variables of the common block, in its order.
pub const SENTINELS: &[(&str, Sentinel)] = &[
    ("MPI_BOTTOM", Sentinel::Integer),
    ("MPI_IN_PLACE", Sentinel::Integer),
    ("MPI_BUFFER_AUTOMATIC", Sentinel::Integer),
    ("MPI_UNWEIGHTED", Sentinel::Integers),
    ("MPI_WEIGHTS_EMPTY", Sentinel::Integers),
    ("MPI_ERRCODES_IGNORE", Sentinel::Integers),
    ("MPI_STATUS_IGNORE", Sentinel::Status),
    ("MPI_STATUSES_IGNORE", Sentinel::Statuses),
    ("MPI_ARGV_NULL", Sentinel::Characters),
    ("MPI_ARGVS_NULL", Sentinel::Matrix),
];

/// The predefined procedures.
pub fn procedures(table: &Table) -> impl Iterator<Item = &Constant> {
    sections(table, |kind| *kind == Kind::Function)
}

fn sections(table: &Table, wanted: impl Fn(&Kind) -> bool) -> impl Iterator<Item = &Constant> {
    let chosen = move |section: &&Section| wanted(&section.kind);
    table
        .sections
        .iter()
        .filter(chosen)
        .flat_map(|section| &section.constants)
}

/// The number that a value's text is.
fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Whether C alone has the constant: those of the tool interface, and of C's view of Fortran's statuses.
fn is_of_c(name: &str) -> bool {
    name.starts_with("MPI_T_") && !name.starts_with("MPI_T_ERR") || name.starts_with("MPI_F_")
}

/// The integer constants: name and value.
pub fn integers(table: &Table) -> Vec<(String, i64)> {
    let plain = sections(table, |kind| matches!(kind, Kind::Int | Kind::ErrorClass));
    let known = plain.filter(|c| !is_of_c(&c.name));
    let value = |c: &Constant| Some((c.name.clone(), in_fortran(&c.name, number(&c.value)?)));
    known.filter_map(value).chain(owned(OWN)).collect()
}

/// All that is an integer where handles are: the constants, the predefined handles, what MPI-3.0 removed.
pub fn integers_and_handles(table: &Table) -> Vec<(String, i64)> {
    let handles = handles(table).into_iter().flat_map(|(_, values)| values);
    let all = integers(table).into_iter().chain(handles);
    all.chain(owned(REMOVED)).collect()
}

fn owned(constants: &[(&str, i64)]) -> impl Iterator<Item = (String, i64)> {
    let one = |(name, value): &(&str, i64)| ((*name).to_string(), *value);
    constants.iter().map(one)
}

fn in_fortran(name: &str, value: i64) -> i64 {
    let is_string = name.starts_with("MPI_MAX_");
    if is_string { value - 1 } else { value }
}

/// The offsets: name and value.
pub fn offsets(table: &Table) -> Vec<(String, i64)> {
    let offsets = sections(table, |kind| *kind == Kind::Offset);
    offsets
        .filter_map(|c| Some((c.name.clone(), number(&c.value)?)))
        .collect()
}

/// The predefined handles of each type that Fortran has: the type, then name and value.
pub fn handles(table: &Table) -> Vec<(String, Vec<(String, i64)>)> {
    let mut all = Vec::new();
    for section in &table.sections {
        let Kind::Handle(kind) = &section.kind else {
            continue;
        };
        if kind.starts_with("MPI_T_") {
            continue;
        }
        let value = |c: &Constant| {
            let same = section.constants.iter().find(|other| other.name == c.value);
            Some((c.name.clone(), number(&same.unwrap_or(c).value)?))
        };
        all.push((
            kind.clone(),
            section.constants.iter().filter_map(value).collect(),
        ));
    }
    all
}
