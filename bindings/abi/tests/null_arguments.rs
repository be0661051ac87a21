//! A null pointer for a result is an error of the right class, never a signal.
//!
//! ```text
//! pamir_interface::read --> one C program: each function, each pointer, once null
//!                         --> singleton run: MPI_ERR_ARG, or at least an answer
//! ```
//!
//! What a null pointer means is said here a second time, not taken from the table's words:
//! the address of one value is never null; a status that is written may be.

mod built_library;

use std::fmt::Write;
use std::process::Command;

use pamir_interface::c_type::Parameter;
use pamir_interface::table::{Function, Status, Table};

/// What a null pointer does to a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    /// `MPI_ERR_ARG`; for the tool interface `MPI_T_ERR_INVALID`.
    Refused,
    /// Whatever the function says: the pointer is a buffer, an array or a string.
    Answered,
    /// The pointer may be null: nothing is called.
    Meaningful,
}

/// Pointers of one value that programs give as null, besides statuses: `argc`, and what an
/// empty buffer's length says.
const MEANINGFUL: &[(&str, &str)] = &[("MPI_Init", "argc"), ("MPI_Init_thread", "argc")];

/// Strings and weights, whose function knows how many are wanted.
const ANSWERED: &[&str] = &["value", "sourceweights", "destweights"];

/// Results that C gives the type `void *`, as the program's pointers are of any type.
const UNTYPED: &[(&str, &str)] = &[
    ("MPI_Alloc_mem", "baseptr"),
    ("MPI_Attr_get", "attribute_val"),
    ("MPI_Buffer_detach", "buffer_addr"),
    ("MPI_Buffer_detach_c", "buffer_addr"),
    ("MPI_Comm_detach_buffer", "buffer_addr"),
    ("MPI_Comm_detach_buffer_c", "buffer_addr"),
    ("MPI_Comm_get_attr", "attribute_val"),
    ("MPI_Type_get_attr", "attribute_val"),
];

/// Calls of the tool interface that leave out what they are given no address for.
const TOLD_IN_PART: &[&str] = &[
    "MPI_T_category_get_info",
    "MPI_T_cvar_get_info",
    "MPI_T_enum_get_info",
    "MPI_T_enum_get_item",
    "MPI_T_event_get_info",
    "MPI_T_pvar_get_info",
    "MPI_T_source_get_info",
];

/// Calls that are made once in a program's life.
const NOT_CALLED: &[&str] = &["MPI_Init", "MPI_Init_thread"];

fn outcome(table: &Table, function: &Function, parameter: &Parameter) -> Outcome {
    let named =
        |list: &[(&str, &str)]| list.contains(&(function.name.as_str(), parameter.name.as_str()));
    let callback = table.is_callback(&parameter.base);
    if named(MEANINGFUL) || callback || parameter.pointers + parameter.brackets.len() == 0 {
        return Outcome::Meaningful;
    }
    if named(UNTYPED) {
        return Outcome::Refused;
    }
    let one_value = parameter.pointers == 1 && parameter.brackets.is_empty();
    let in_part = TOLD_IN_PART.contains(&function.name.as_str());
    if !one_value
        || in_part
        || parameter.base == "void"
        || ANSWERED.contains(&parameter.name.as_str())
    {
        return Outcome::Answered;
    }
    match (parameter.base.as_str(), parameter.is_const) {
        ("MPI_Status", true) => Outcome::Refused,
        ("MPI_Status", false) if function.name.starts_with("MPI_Status_") => Outcome::Refused,
        // MPI_STATUS_IGNORE.
        ("MPI_Status", false) => Outcome::Meaningful,
        (_, is_const) if is_const => Outcome::Answered,
        _ => Outcome::Refused,
    }
}

/// An argument that is right, as far as one can be for every function at once.
fn good(parameter: &Parameter) -> String {
    let levels = parameter.pointers + parameter.brackets.matches("[]").count();
    let (base, name) = (parameter.base.as_str(), parameter.name.as_str());
    if levels > 0 {
        return match (base, name) {
            (_, "datarep") => "\"external32\"".to_string(),
            ("char", _) if levels == 1 && parameter.is_const => "\"name\"".to_string(),
            _ if parameter.brackets.contains("[3]") => "(int (*)[3]) (void *) memory".to_string(),
            _ => format!("({base} {}) (void *) memory", "*".repeat(levels)),
        };
    }
    let text = match (base, name) {
        ("MPI_Comm", _) => "MPI_COMM_SELF",
        ("MPI_Datatype", _) => "MPI_INT",
        ("MPI_Group", _) => "MPI_GROUP_EMPTY",
        ("MPI_Info", _) => "MPI_INFO_ENV",
        ("MPI_Op", _) => "MPI_SUM",
        ("MPI_Errhandler", _) => "MPI_ERRORS_RETURN",
        ("MPI_Request", _) => "MPI_REQUEST_NULL",
        (_, "outsize" | "insize") => "64",
        (_, "typeclass") => "MPI_TYPECLASS_INTEGER",
        (_, "comm_keyval" | "keyval") => "MPI_TAG_UB",
        (_, "size" | "p" | "r" | "logical_size") => "4",
        (_, name) if name.contains("count") || name.contains("dim") || name == "n" => "1",
        ("int", _) => "0",
        ("MPI_Count" | "MPI_Aint" | "MPI_Offset", _) => "1",
        (other, _) => return format!("({other}) 0"),
    };
    text.to_string()
}

/// The call of a function with one argument null.
fn call(table: &Table, function: &Function, null: usize) -> String {
    let argument = |(index, parameter): (usize, &Parameter)| match index == null {
        true => "NULL".to_string(),
        false if table.is_callback(&parameter.base) => format!("({} *) 0", parameter.base),
        false => good(parameter),
    };
    let arguments: Vec<_> = function
        .parameters
        .iter()
        .enumerate()
        .map(argument)
        .collect();
    format!("{}({})", function.name, arguments.join(", "))
}

const OPENING: &str = "\
#define PAMIR_REMOVED_FUNCTIONS
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double memory[4096];
static const char *current = \"\";
static int wrong, refused, answered;

static void fell(int number)
{
    (void) number;
    if (write(1, current, strlen(current)) < 0 || write(1, \": a signal\\n\", 11) < 0)
        _exit(2);
    _exit(3);
}

static void judge(int code, int expected)
{
    int found = code;
    if (code < MPI_T_ERR_CANNOT_INIT)
        MPI_Error_class(code, &found);
    if (expected && found != expected)
        wrong++, printf(\"%s: class %d\\n\", current, found);
    if (expected)
        refused++;
    else
        answered++;
    memset(memory, 0, sizeof memory);
}

#define REFUSED(call, code) do { current = #call; judge(call, code); } while (0)
#define ANSWERED(call) do { current = #call; judge(call, 0); } while (0)

int main(void)
{
    int provided;
    signal(SIGSEGV, fell);
    signal(SIGBUS, fell);
    MPI_Init(NULL, NULL);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
";

const CLOSING: &str = "\
    current = \"MPI_Finalize\";
    MPI_Finalize();
    printf(\"%d refused, %d answered, %d wrong\\n\", refused, answered, wrong);
    return wrong != 0;
}
";

/// The program, and how many of its calls must be refused.
fn program(table: &Table) -> (String, usize) {
    let (mut source, mut refused) = (OPENING.to_string(), 0);
    let written = table.chapters.iter().filter(|c| c.status != Status::Later);
    let functions = written.flat_map(|chapter| &chapter.functions);
    for function in functions.filter(|f| !NOT_CALLED.contains(&f.name.as_str())) {
        for (index, parameter) in function.parameters.iter().enumerate() {
            let call = call(table, function, index);
            let class = match function.name.starts_with("MPI_T_") {
                true => "MPI_T_ERR_INVALID",
                false => "MPI_ERR_ARG",
            };
            let line = match outcome(table, function, parameter) {
                Outcome::Refused => format!("REFUSED({call}, {class});"),
                Outcome::Answered => format!("ANSWERED({call});"),
                Outcome::Meaningful => continue,
            };
            refused += usize::from(line.starts_with("REFUSED"));
            writeln!(source, "    {line}").expect("writing to a String cannot fail");
        }
    }
    (source + CLOSING, refused)
}

#[test]
fn a_null_pointer_for_a_result_is_refused_by_every_function() {
    let table = pamir_interface::read().expect("the tables are read");
    let (source, refused) = program(&table);
    assert!(refused > 300, "the program has only {refused} calls");
    let program = built_library::compile("null_arguments.c", &source);
    for engine in ["off", "thread"] {
        let mut command = Command::new("timeout");
        command.arg("60").arg(&program);
        if engine == "thread" {
            command.env("PAMIR_ENGINE", engine);
        }
        let output = command.output().expect("what was compiled runs");
        let said = String::from_utf8_lossy(&output.stdout);
        let expected = format!("{refused} refused");
        assert!(
            output.status.success() && said.contains(&expected),
            "{engine}: {output:?}"
        );
    }
}
