//! The Fortran form of a function: what its C prototype becomes.
//!
//! What: [`forms`] turns each C parameter into an [`Argument`]: a kind of value, a shape, an intent.
//! Why: the prototypes are so regular that types and names decide; `special` has the rest.
//!
//! ```text
//! int MPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status)
//!       count              Integer          scalar  in
//!       array_of_requests  Handle(Request)  array   in and out
//!       index              Integer          scalar  out
//!       flag               Logical          scalar  out
//!       status             Status           scalar  out
//! ```
//!
//! Step before: `pamir_interface::Table`. Step after: `entry`, `module`, `module_f08`.
//! Invariants: arguments keep C's order; `ierror` is not among them.

use pamir_interface::c_type::Parameter;
use pamir_interface::table::{Chapter, Function, Table};

use crate::argument::{Argument, Form, Intent, Shape, Value};
use crate::face::Face;
use crate::special;

/// All functions that have a Fortran form, in the order of the table.
///
/// # Errors
///
/// A parameter of which nobody knows what it is in Fortran.
pub fn forms(table: &Table) -> Result<Vec<Form>, String> {
    let mut forms = Vec::new();
    for chapter in &table.chapters {
        if special::CHAPTERS_WITHOUT_FORTRAN.contains(&chapter.path.as_str()) {
            continue;
        }
        for function in &chapter.functions {
            if !special::WITHOUT_FORTRAN.contains(&function.name.as_str()) {
                forms.push(form(table, chapter, function)?);
            }
        }
    }
    forms.extend(special::only_fortran());
    Ok(forms)
}

/// The functions that a face's C library has and that have a Fortran form.
///
/// # Errors
///
/// As [`forms`].
pub fn forms_of(face: &Face) -> Result<Vec<Form>, String> {
    let mut table = pamir_interface::read()?;
    let mut forms = forms(&table)?;
    if !face.is_standard() {
        forms.retain(|form| !form.name.starts_with("MPI_Abi_"));
        let further = Table::parse(face.functions, "")?.chapters.into_iter();
        table.chapters = further
            .filter(|chapter| special::FURTHER_CHAPTERS.contains(&chapter.path.as_str()))
            .collect();
        let names: Vec<_> = forms.iter().map(|form| form.name.clone()).collect();
        let added = self::forms(&table)?.into_iter();
        forms.extend(added.filter(|form| !names.contains(&form.name)));
    }
    Ok(forms)
}

fn form(table: &Table, chapter: &Chapter, function: &Function) -> Result<Form, String> {
    let function = &special::corrected(function);
    let is_removed =
        chapter.path == special::REMOVED || special::has_integer_attributes(&function.name);
    let taken = function
        .parameters
        .iter()
        .filter(|p| special::is_taken(function, p));
    let mut arguments = taken
        .map(|parameter| argument(table, function, parameter))
        .collect::<Result<Vec<_>, _>>()?;
    if is_removed {
        arguments.iter_mut().for_each(special::narrow);
    }
    let returns = match function.returns.as_str() {
        "double" => Some(Value::Double),
        "MPI_Aint" => Some(Value::Address),
        _ => None,
    };
    Ok(Form {
        name: function.name.clone(),
        is_large: function.name.ends_with("_c"),
        is_hot: chapter.path == "messages/point_to_point",
        is_asynchronous: is_asynchronous(function),
        function: Some(function.clone()),
        arguments,
        is_removed,
        returns,
    })
}

/// Whether the call returns before the operation is complete: it gives a request, or is ended by another call.
fn is_asynchronous(function: &Function) -> bool {
    let name = function.name.trim_end_matches("_c");
    let gives_request = function
        .parameters
        .iter()
        .any(|p| p.base == "MPI_Request" && p.pointers == 1);
    let completes = [
        "MPI_Wait",
        "MPI_Test",
        "MPI_Request_free",
        "MPI_Cancel",
        "MPI_Start",
    ]
    .contains(&name);
    let one_sided = [
        "MPI_Put",
        "MPI_Get",
        "MPI_Accumulate",
        "MPI_Get_accumulate",
        "MPI_Fetch_and_op",
        "MPI_Compare_and_swap",
        "MPI_Win_create",
        "MPI_Win_attach",
        "MPI_Buffer_attach",
        "MPI_Comm_attach_buffer",
        "MPI_Session_attach_buffer",
        "MPI_F_sync_reg",
        "MPI_Get_address",
    ];
    gives_request && !completes
        || one_sided.contains(&name)
        || name.ends_with("_begin")
        || name.ends_with("_end")
}

fn argument(table: &Table, function: &Function, parameter: &Parameter) -> Result<Argument, String> {
    let value = value(table, parameter).ok_or_else(|| {
        format!(
            "{}: what is {} in Fortran?",
            function.name,
            parameter.to_c()
        )
    })?;
    let shape = shape(&value, parameter);
    Ok(Argument {
        name: special::name(&parameter.name).to_string(),
        intent: intent(function, parameter, &value, shape),
        value,
        shape,
    })
}

fn value(table: &Table, parameter: &Parameter) -> Option<Value> {
    let name = parameter.name.as_str();
    if table.is_callback(&parameter.base) {
        return Some(Value::Procedure(parameter.base.clone()));
    }
    Some(match parameter.base.as_str() {
        "int" if special::LOGICALS.contains(&name) => Value::Logical,
        "int" => Value::Integer,
        "MPI_Aint" => Value::Address,
        "MPI_Count" => Value::Count,
        "MPI_Offset" => Value::Offset,
        "char" => Value::Character,
        "MPI_Status" => Value::Status,
        "void" if special::ADDRESSES.contains(&name) => Value::Address,
        "void" if special::POINTERS.contains(&name) => Value::Pointer,
        "void" => Value::Choice,
        handle if handle.starts_with("MPI_") => Value::Handle(handle.to_string()),
        _ => return None,
    })
}

fn shape(value: &Value, parameter: &Parameter) -> Shape {
    let dimensions = parameter.brackets.matches('[').count();
    let is_string = *value == Value::Character;
    match (dimensions, parameter.pointers) {
        (2, _) => Shape::Triples,
        // `char *argv[]` is an array of strings, `char **array_of_argv[]` an array of such arrays.
        (1, 2) if is_string => Shape::Matrix,
        (1, 0) if is_string => Shape::Scalar,
        (1, _) => Shape::Array,
        (_, 1) if special::ARRAYS.contains(&parameter.name.as_str()) => Shape::Array,
        _ => Shape::Scalar,
    }
}

fn intent(function: &Function, parameter: &Parameter, value: &Value, shape: Shape) -> Intent {
    let by_value = parameter.pointers == 0 && parameter.brackets.is_empty();
    let is_string_array = *value == Value::Character && shape != Shape::Scalar;
    let is_input = by_value || parameter.is_const || is_string_array || shape == Shape::Triples;
    if is_input || matches!(value, Value::Procedure(_)) || special::is_input(function, parameter) {
        Intent::In
    } else if special::is_changed(function, parameter, value) {
        Intent::InOut
    } else {
        Intent::Out
    }
}
