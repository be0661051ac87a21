//! What the C prototypes do not tell about Fortran: names, exceptions, functions of Fortran alone.
//!
//! What: lists, and questions answered from them. Why: all knowledge that is not derived stands in
//! one place. Step before: `form` asks. Step after: its answer becomes an argument.
//! Invariant: each entry says why by its heading; what can be derived is not here.

use pamir_interface::c_type::Parameter;
use pamir_interface::table::Function;

use crate::argument::{Argument, Form, Intent, Shape, Value};

/// Chapters whose functions C alone has (MPI-5.0, sections 15.3 and 20.3).
pub const CHAPTERS_WITHOUT_FORTRAN: &[&str] = &["tool", "languages/handle_conversion"];

/// The chapters of a face's further functions that its Fortran library has.
pub const FURTHER_CHAPTERS: &[&str] = &["extensions/collective"];

/// The chapter of functions that MPI-3.0 removed: their addresses are plain integers.
pub const REMOVED: &str = "languages/removed";

/// Further functions that C alone has.
pub const WITHOUT_FORTRAN: &[&str] = &[
    "MPI_Abi_get_fortran_booleans",
    "MPI_Abi_set_fortran_booleans",
    "MPI_Abi_set_fortran_info",
    // The count is a large one in the only form there is.
    "MPI_Precv_init_c",
    "MPI_Psend_init_c",
];

/// C's integers that are truth values.
pub const LOGICALS: &[&str] = &[
    "flag",
    "commute",
    "reorder",
    "high",
    "periods",
    "remain_dims",
    "weighted",
    "is_set",
];

/// C's untyped pointers that are an integer of an address's size in Fortran.
pub const ADDRESSES: &[&str] = &["attribute_val", "extra_state"];

/// C's untyped pointers to where an address is written.
pub const POINTERS: &[&str] = &["baseptr", "buffer_addr"];

/// Arrays that C writes as pointers.
pub const ARRAYS: &[&str] = &[
    "sourceweights",
    "destweights",
    "weights",
    "array_of_statuses",
];

/// Whether the attribute's value has the size of an `INTEGER`, as in MPI-1.
pub fn has_integer_attributes(name: &str) -> bool {
    [
        "MPI_Attr_put",
        "MPI_Attr_get",
        "MPI_Attr_delete",
        "MPI_Keyval_create",
        "MPI_Keyval_free",
    ]
    .contains(&name)
}

/// Makes an argument one of MPI-1: addresses were integers.
pub fn narrow(argument: &mut Argument) {
    if argument.value == Value::Address {
        argument.value = Value::Integer;
    }
}

/// The Fortran name of a C parameter.
pub fn name(name: &str) -> &str {
    match name {
        "indx" => "index",
        other => other,
    }
}

/// Whether Fortran has the parameter at all.
pub fn is_taken(function: &Function, parameter: &Parameter) -> bool {
    let main =
        ["MPI_Init", "MPI_Init_thread", "MPI_Info_create_env"].contains(&function.name.as_str());
    let is_main = main && ["argc", "argv"].contains(&parameter.name.as_str());
    !is_main && parameter.base != "..."
}

/// The C function with its types as every library of the ABI has them.
pub fn corrected(function: &Function) -> Function {
    let mut function = function.clone();
    if ["MPI_Psend_init", "MPI_Precv_init"].contains(&function.name.as_str()) {
        let counts = function.parameters.iter_mut().filter(|p| p.name == "count");
        counts.for_each(|p| p.base = "MPI_Count".to_string());
    }
    function
}

/// Whether the program gives what C takes as a pointer to be written.
pub fn is_input(function: &Function, parameter: &Parameter) -> bool {
    let name = parameter.name.as_str();
    let sets = function.name.contains("_set_attr") || function.name == "MPI_Attr_put";
    let removed_types = [
        "array_of_blocklengths",
        "array_of_displacements",
        "array_of_types",
    ];
    let is_removed_type =
        function.name == "MPI_Type_struct" || function.name == "MPI_Type_hindexed";
    name == "extra_state"
        || sets && name == "attribute_val"
        || is_removed_type && removed_types.contains(&name)
}

/// Whether the library reads what it writes.
pub fn is_changed(function: &Function, parameter: &Parameter, value: &Value) -> bool {
    let (of, name) = (
        function.name.trim_end_matches("_c"),
        parameter.name.as_str(),
    );
    let ends = ["_free", "_disconnect", "_close", "_finalize", "_commit"];
    let completes = [
        "MPI_Wait",
        "MPI_Test",
        "MPI_Start",
        "MPI_Cancel",
        "MPI_Imrecv",
        "MPI_Mrecv",
    ];
    let makes_request = name == "request" && of == "MPI_Imrecv";
    let starts = completes.iter().any(|start| of.starts_with(start));
    match value {
        Value::Handle(_) if makes_request => false,
        Value::Handle(kind) if kind == "MPI_Message" => of == "MPI_Imrecv" || of == "MPI_Mrecv",
        Value::Handle(_) => ends.iter().any(|end| of.ends_with(end)) || starts,
        Value::Status => of.starts_with("MPI_Status_set"),
        Value::Integer => {
            of.ends_with("_free_keyval")
                || of == "MPI_Keyval_free"
                || ["position", "buflen", "pset_len"].contains(&name)
                || of == "MPI_Dims_create" && name == "dims"
        }
        Value::Count | Value::Address => name == "position",
        Value::Choice => true,
        _ => false,
    }
}

fn argument(name: &str, value: Value, shape: Shape, intent: Intent) -> Argument {
    let name = name.to_string();
    Argument {
        name,
        value,
        shape,
        intent,
    }
}

/// Functions that Fortran alone has. `MPI_Sizeof` and the conversions of statuses are written in the
/// modules by hand: no other function has arguments of their kinds.
pub fn only_fortran() -> Vec<Form> {
    let one = |name: &str, arguments: Vec<Argument>| Form {
        name: name.to_string(),
        function: None,
        arguments,
        is_large: false,
        is_removed: false,
        returns: None,
        is_hot: false,
        is_asynchronous: name == "MPI_F_sync_reg",
    };
    let buffer = |name: &str, intent| argument(name, Value::Choice, Shape::Scalar, intent);
    vec![one("MPI_F_sync_reg", vec![buffer("buf", Intent::InOut)])]
}

/// The functions that no library of the ABI has to have: they are made from their successors.
pub fn is_absent(name: &str) -> bool {
    successor(name).is_some()
}

/// The function that took a removed one's place.
pub fn successor(name: &str) -> Option<&'static str> {
    Some(match name {
        "MPI_Address" => "MPI_Get_address",
        "MPI_Errhandler_create" => "MPI_Comm_create_errhandler",
        "MPI_Errhandler_get" => "MPI_Comm_get_errhandler",
        "MPI_Errhandler_set" => "MPI_Comm_set_errhandler",
        "MPI_Type_extent" | "MPI_Type_lb" | "MPI_Type_ub" => "MPI_Type_get_extent",
        "MPI_Type_hindexed" => "MPI_Type_create_hindexed",
        "MPI_Type_hvector" => "MPI_Type_create_hvector",
        "MPI_Type_struct" => "MPI_Type_create_struct",
        _ => return None,
    })
}

/// Whether blanks before a string's text mean nothing (MPI-5.0, section 10).
pub fn trims_front(name: &str) -> bool {
    ["key", "value", "filename", "port_name", "service_name"].contains(&name)
}

/// The largest size of a string that a function gives, in bytes with the final zero.
pub fn longest(function: &str) -> usize {
    match function {
        "MPI_Get_library_version" => 8192,
        _ => 1024,
    }
}

/// The number of handles in an array, as Rust.
pub fn length(form: &Form, argument: &Argument) -> Option<&'static str> {
    Some(match argument.name.as_str() {
        "array_of_types" => "usize::try_from(*count).unwrap_or(0)",
        "sendtypes" | "recvtypes" if form.name.contains("eighbor") => {
            if argument.name == "sendtypes" {
                "topology::destinations(comm)"
            } else {
                "topology::sources(comm)"
            }
        }
        "sendtypes" => "topology::peers_unless(sendbuf, comm)",
        "recvtypes" => "topology::peers(comm)",
        _ => return None,
    })
}

/// Whether the function makes a request that can be started again and again.
pub fn is_persistent(form: &Form) -> bool {
    form.name.trim_end_matches("_c").ends_with("_init")
}

/// Whether C may read an array after the call: an operation that is not complete when it returns.
pub fn keeps_array(form: &Form) -> bool {
    form.arguments.iter().any(|a| a.name == "request")
}
