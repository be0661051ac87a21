//! What becomes of an argument between the face's function and the library's.
//!
//! What: [`Step`], the rule for a parameter, and [`SPECIAL`], the functions that have no rules. Step before: the
//! interface's table and the meanings. Step after: `function` writes the steps out.
//! Invariant: a parameter whose values are the same in both ABIs has the step [`Step::Same`], which costs nothing.

use pamir_interface::c_type::Parameter;
use pamir_interface::table::{Function, Table};

use crate::call::kind;
use crate::constant::is_same;
use crate::description::{Description, Standard};
use crate::meaning::{Carrier, Meanings};

/// Functions that are written by hand, in `source/special`.
pub const SPECIAL: &[&str] = &[
    // Attributes: what some values mean, and where they are.
    "MPI_Attr_get",
    "MPI_Comm_get_attr",
    "MPI_Win_get_attr",
    // Arrays as long as the communicator has ranks, or neighbours.
    "MPI_Alltoallw",
    "MPI_Alltoallw_c",
    "MPI_Ialltoallw",
    "MPI_Ialltoallw_c",
    "MPI_Alltoallw_init",
    "MPI_Alltoallw_init_c",
    "MPI_Neighbor_alltoallw",
    "MPI_Neighbor_alltoallw_c",
    "MPI_Ineighbor_alltoallw",
    "MPI_Ineighbor_alltoallw_c",
    "MPI_Neighbor_alltoallw_init",
    "MPI_Neighbor_alltoallw_init_c",
    // What datatypes were made of, and markers of their bounds.
    "MPI_Type_get_contents",
    "MPI_Type_get_contents_c",
    "MPI_Type_create_struct",
    "MPI_Type_struct",
    // Ranks in arrays.
    "MPI_Group_translate_ranks",
    // Objects whose kind a variable tells.
    "MPI_T_cvar_handle_alloc",
    "MPI_T_pvar_handle_alloc",
    "MPI_T_event_handle_alloc",
    "MPI_T_event_get_info",
    // Statuses of the face's own.
    "MPI_Status_c2f",
    "MPI_Status_c2f08",
    "MPI_Status_f082c",
    "MPI_Status_f082f",
    "MPI_Status_f2c",
    "MPI_Status_f2f08",
];

/// The rule for a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// It passes.
    Same,
    /// A handle goes in: the kind.
    Handle(&'static str),
    /// A handle comes out.
    HandleOut(&'static str),
    /// A handle goes in and comes out.
    HandleInOut(&'static str),
    /// Handles go in: the kind, and the parameter with their number.
    HandlesIn(&'static str, String),
    /// Handles go in and come out.
    HandlesInOut(&'static str, String),
    /// A status goes in.
    StatusIn,
    /// A status goes in and comes out.
    StatusInOut,
    /// A status comes out.
    StatusOut,
    /// Statuses come out: the parameter with their number.
    StatusesOut(String),
    /// An integer goes in: the family.
    Constant(String),
    /// Integers go in: the family, and the parameter with their number.
    ConstantsIn(String, String),
    /// An integer comes out.
    ConstantOut(String),
    /// A text comes out: the constant with its lengths, and the parameter that gets its length.
    Text(&'static str, Option<&'static str>),
    /// An address that may have a meaning of its own: the function for it.
    Address(&'static str),
}

/// What the steps are found by.
pub struct Rules<'a> {
    /// The interface.
    pub table: &'a Table,
    /// What integers mean.
    pub meanings: &'a Meanings,
    /// The face's numbers.
    pub face: &'a Description,
    /// The standard's numbers.
    pub standard: &'a Standard,
}

/// Texts that come out: function without `MPI_`, parameter, lengths, parameter with the length.
const TEXTS: &[(&str, &str, &str, Option<&str>)] = &[
    ("Error_string", "string", "ERROR_STRING", Some("resultlen")),
    (
        "Get_processor_name",
        "name",
        "PROCESSOR_NAME",
        Some("resultlen"),
    ),
    (
        "Get_library_version",
        "version",
        "LIBRARY_VERSION",
        Some("resultlen"),
    ),
    (
        "Comm_get_name",
        "comm_name",
        "OBJECT_NAME",
        Some("resultlen"),
    ),
    (
        "Type_get_name",
        "type_name",
        "OBJECT_NAME",
        Some("resultlen"),
    ),
    ("Win_get_name", "win_name", "OBJECT_NAME", Some("resultlen")),
    ("Info_get_nthkey", "key", "INFO_KEY", None),
    ("Open_port", "port_name", "PORT_NAME", None),
    ("Lookup_name", "port_name", "PORT_NAME", None),
    ("File_get_view", "datarep", "DATAREP", None),
];

/// Ends of names of functions that read the handle at an address before they change it.
const READ_HANDLES: &[&str] = &[
    "_free",
    "_disconnect",
    "_close",
    "_finalize",
    "Type_commit",
    "MPI_Wait",
    "MPI_Test",
    "MPI_Cancel",
    "MPI_Start",
    "MPI_Mrecv",
    "MPI_Imrecv",
    "MPI_Mrecv_c",
    "MPI_Imrecv_c",
    "_handle_free",
];

/// Errors that go in or come out.
fn error(function: &str, parameter: &Parameter) -> Option<Step> {
    let name = parameter.name.as_str();
    let is_error = matches!(name, "errorcode" | "errorclass" | "error");
    // The code of MPI_Abort is the job's exit code.
    if !is_error || function == "MPI_Abort" {
        return None;
    }
    Some(match parameter.pointers {
        0 => Step::Constant("error".to_string()),
        _ => Step::ConstantOut("error".to_string()),
    })
}

impl Rules<'_> {
    /// The step for a parameter of a function.
    pub fn step(&self, function: &Function, parameter: &Parameter) -> Step {
        let name = function.name.as_str();
        if let Some(kind) = kind(&parameter.base) {
            return handle(function, parameter, kind);
        }
        if parameter.base == "MPI_Status" {
            return status(function, parameter);
        }
        if let Some(step) = error(name, parameter) {
            return step;
        }
        let short = name.trim_start_matches("MPI_");
        let text = TEXTS
            .iter()
            .find(|(function, text, ..)| (*function, *text) == (short, parameter.name.as_str()));
        if let Some((_, _, lengths, length)) = text {
            return Step::Text(lengths, *length);
        }
        self.address(function, parameter)
            .or_else(|| self.constant(name, parameter))
            .unwrap_or(Step::Same)
    }

    fn constant(&self, function: &str, parameter: &Parameter) -> Option<Step> {
        let (family, carrier) = self.meanings.of(function, parameter)?;
        if is_same(family, self.face, self.standard) {
            return None;
        }
        let name = family.name.clone();
        Some(match carrier {
            Carrier::Value => Step::Constant(name),
            Carrier::Written => Step::ConstantOut(name),
            Carrier::Array(length) => Step::ConstantsIn(name, length.clone()),
        })
    }

    /// Whether an address means something else than in the standard ABI.
    fn address(&self, function: &Function, parameter: &Parameter) -> Option<Step> {
        let differs = |names: &[&str]| {
            let same = |name: &&str| match self.face.value(name) {
                None => true,
                Some(_) => self.face.number(name) == self.standard.number(name),
            };
            !names.iter().all(same)
        };
        let is_collective = !function.name.contains("endrecv");
        let (function, names): (_, &[&str]) = match parameter.name.as_str() {
            "sendbuf" | "recvbuf" if is_collective => ("in_place", &["MPI_IN_PLACE"]),
            "weights" | "sourceweights" | "destweights" => {
                ("weights", &["MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY"])
            }
            "buffer" => ("buffer", &["MPI_BUFFER_AUTOMATIC"]),
            "disp" if parameter.base == "MPI_Offset" && parameter.pointers == 0 => {
                ("displacement", &["MPI_DISPLACEMENT_CURRENT"])
            }
            "handle" if parameter.base == "MPI_T_pvar_handle" && parameter.pointers == 0 => {
                ("variable", &["MPI_T_PVAR_ALL_HANDLES"])
            }
            _ => return None,
        };
        differs(names).then_some(Step::Address(function))
    }
}

/// The parameter that says how many there are in an array.
fn length(function: &Function) -> String {
    let named = |name: &str| function.parameters.iter().any(|p| p.name == name);
    let name = ["incount", "count"].into_iter().find(|name| named(name));
    name.unwrap_or("count").to_string()
}

fn handle(function: &Function, parameter: &Parameter, kind: &'static str) -> Step {
    if !parameter.brackets.is_empty() {
        return match parameter.is_const {
            true => Step::HandlesIn(kind, length(function)),
            false => Step::HandlesInOut(kind, length(function)),
        };
    }
    let reads = READ_HANDLES.iter().any(|end| function.name.ends_with(end));
    match parameter.pointers {
        0 => Step::Handle(kind),
        _ if reads => Step::HandleInOut(kind),
        _ => Step::HandleOut(kind),
    }
}

fn status(function: &Function, parameter: &Parameter) -> Step {
    let sets = function.name.starts_with("MPI_Status_set");
    match parameter.name.as_str() {
        "array_of_statuses" => Step::StatusesOut(length(function)),
        _ if parameter.is_const => Step::StatusIn,
        _ if sets => Step::StatusInOut,
        _ => Step::StatusOut,
    }
}
