//! What goes wrong in a call, and what becomes of it.
//!
//! ```text
//! functions::*  --Err(Error)-->  exports (cold)  -->  raise  -->  the handler that was set
//!                                                                  |        |
//!                                                    the code to return   fatal: say it, end the job
//! ```
//!
//! A handwritten function makes an [`Error`] of a class and a sentence:
//! `Err(ErrorClass::Rank.with(format!("rank {rank} is not in a communicator of {size}")))`.
//! `raise` names the object whose error handler decides, which the export found
//! in the arguments; [`Error::on`] names another one. Until a handler is set, or
//! when it says so, an error is fatal.

use crate::types::{MPI_Comm, MPI_Errhandler, MPI_File, MPI_Session, MPI_Win};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::c_int;
use std::fmt;
use std::sync::{PoisonError, RwLock};

include!(concat!(env!("OUT_DIR"), "/error_classes.rs"));

impl ErrorClass {
    /// The class as an error code.
    pub const fn code(self) -> c_int {
        self as c_int
    }

    /// The class with this code; `None` for success and for codes that a program added.
    pub fn from_code(code: c_int) -> Option<Self> {
        Self::ALL.iter().copied().find(|class| class.code() == code)
    }

    /// An error of this class. `detail` says what was found and what would be right.
    #[cold]
    pub fn with(self, detail: impl Into<Cow<'static, str>>) -> Error {
        Error::from_code(self.code(), detail)
    }
}

/// What a call of MPI gives when it fails.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// A failed call: an error code, a sentence, and perhaps the object concerned.
///
/// One pointer wide, so that `Result<(), Error>` is returned in a register.
#[derive(Debug)]
pub struct Error(Box<Record>);

const _: () = assert!(size_of::<Result>() == size_of::<usize>());

#[derive(Debug)]
struct Record {
    code: c_int,
    detail: Cow<'static, str>,
    object: Option<Object>,
}

impl Error {
    /// An error of a class; the same as [`ErrorClass::with`].
    #[cold]
    pub fn new(class: ErrorClass, detail: impl Into<Cow<'static, str>>) -> Self {
        class.with(detail)
    }

    /// An error with a code that may be the program's own, such as one that a
    /// callback has returned.
    #[cold]
    pub fn from_code(code: c_int, detail: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Record {
            code,
            detail: detail.into(),
            object: None,
        }))
    }

    /// Raises the error on `object` rather than on the one among the arguments:
    /// a failed `MPI_Wait` is raised on the communicator of its request.
    pub fn on(mut self, object: Object) -> Self {
        self.0.object = Some(object);
        self
    }

    /// The object it is raised on, if it is not the one among the arguments.
    pub fn object(&self) -> Option<Object> {
        self.0.object
    }

    /// The error code.
    pub fn code(&self) -> c_int {
        self.0.code
    }

    /// What was found, and what would be right.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", introduction(self.code()), self.detail())
    }
}

impl std::error::Error for Error {}

impl From<pamir_driver::unit::UnitError> for Error {
    #[cold]
    fn from(error: pamir_driver::unit::UnitError) -> Self {
        ErrorClass::Intern.with(error.to_string())
    }
}

impl From<pamir_mpi::process::FinalizeError> for Error {
    #[cold]
    fn from(error: pamir_mpi::process::FinalizeError) -> Self {
        ErrorClass::Intern.with(error.to_string())
    }
}

/// The text of an error class before a sentence, or a word for codes that are the program's
/// own. `MPI_ERR_OTHER` has none: the sentence alone says what was wrong.
fn introduction(code: c_int) -> Cow<'static, str> {
    match ErrorClass::from_code(code) {
        Some(ErrorClass::Other) => "".into(),
        Some(class) => format!("{}: ", class.text()).into(),
        None => format!("error code {code}: ").into(),
    }
}

/// What an error is raised on: whose error handler decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A communicator.
    Communicator(MPI_Comm),
    /// A window.
    Window(MPI_Win),
    /// A file.
    File(MPI_File),
    /// A session.
    Session(MPI_Session),
    /// The object that the call was to make: the error handler that the call was given for it
    /// decides, also before `MPI_Init`.
    Unmade(MPI_Errhandler),
    /// None of them: `MPI_COMM_SELF` decides (MPI-5.0, section 9.3), or `MPI_COMM_WORLD` where
    /// the program set a handler on that alone.
    Process,
    /// The tool interface, whose functions give codes back and call no handler.
    Tool,
}

impl Object {
    /// The object whose handle is at `handle`, or the process if that is null.
    #[cold]
    pub(crate) fn at<T: Copy>(handle: *const T, kind: fn(T) -> Self) -> Self {
        // SAFETY: a call that ends an object takes null or the address of the program's
        // handle, and has left the handle there, since it failed.
        unsafe { handle.as_ref() }.map_or(Self::Process, |handle| kind(*handle))
    }
}

/// An error on its way to an error handler.
#[derive(Clone, Copy, Debug)]
pub struct Raised<'a> {
    /// Whose error handler decides.
    pub object: Object,
    /// The error code.
    pub code: c_int,
    /// The C function that failed.
    pub function: &'static str,
    /// What was found, and what would be right.
    pub detail: &'a str,
}

/// Calls the error handler of the raised error's object and returns the code
/// that the C function is to return; calls [`fatal`] where errors are fatal.
pub type Handler = fn(&Raised<'_>) -> c_int;

/// Ends the job with an exit code.
pub type Abort = fn(c_int) -> !;

/// What the other chapters have told this one.
struct Settings {
    handler: Option<Handler>,
    abort: Option<Abort>,
    process: Option<String>,
}

static SETTINGS: RwLock<Settings> = RwLock::new(Settings {
    handler: None,
    abort: None,
    process: None,
});

fn settings<T>(read: impl FnOnce(&Settings) -> T) -> T {
    read(&SETTINGS.read().unwrap_or_else(PoisonError::into_inner))
}

fn set(change: impl FnOnce(&mut Settings)) {
    change(&mut SETTINGS.write().unwrap_or_else(PoisonError::into_inner));
}

/// Sets who looks up and calls error handlers; until then every error is fatal.
pub fn set_handler(handler: Handler) {
    set(|settings| settings.handler = Some(handler));
}

/// Sets how a fatal error ends the job; until then it aborts this process.
pub fn set_abort(abort: Abort) {
    set(|settings| settings.abort = Some(abort));
}

/// Sets what fatal errors call this process, such as `rank 3 in MPI_COMM_WORLD`.
pub fn set_process_name(name: String) {
    set(|settings| settings.process = Some(name));
}

thread_local! {
    /// The code and sentence of the last error of this thread.
    static LAST: RefCell<(c_int, String)> = const { RefCell::new((0, String::new())) };
}

/// The sentence of this thread's last error, if it had `code`.
pub fn last_detail(code: c_int) -> Option<String> {
    LAST.with_borrow(|(last, detail)| (*last == code && code != 0).then(|| detail.clone()))
}

/// Hands an error to the error handler of its object; gives the code to return.
#[cold]
#[inline(never)]
pub fn raise(object: Object, error: Error, function: &'static str) -> c_int {
    let record = *error.0;
    let raised = Raised {
        object: record.object.unwrap_or(object),
        code: record.code,
        function,
        detail: &record.detail,
    };
    LAST.with_borrow_mut(|last| *last = (raised.code, format!("{function}: {}", record.detail)));
    let code = match settings(|settings| settings.handler) {
        _ if raised.object == Object::Tool => raised.code,
        Some(handler) => handler(&raised),
        None => fatal(&raised),
    };
    crate::face::code_out(code)
}

/// Raises the error of an argument that is null where the call reads or writes a value:
/// `MPI_ERR_ARG`, or the tool interface's own class.
#[cold]
#[inline(never)]
pub fn null_pointer(object: Object, argument: &str, function: &'static str) -> c_int {
    let class = match object {
        Object::Tool => ErrorClass::ToolInvalid,
        _ => ErrorClass::Arg,
    };
    let detail = format!("argument {argument} is a null pointer");
    raise(object, class.with(detail), function)
}

/// Raises `MPI_ERR_UNSUPPORTED_OPERATION` for a function that is only exported.
#[cold]
#[inline(never)]
pub fn unsupported(object: Object, function: &'static str) -> c_int {
    let detail = format!("{function} is not supported by this version of the library");
    raise(
        object,
        ErrorClass::UnsupportedOperation.with(detail),
        function,
    )
}

/// Says on standard error what went wrong and where, and ends the job.
#[cold]
pub fn fatal(raised: &Raised<'_>) -> ! {
    eprintln!(
        "{}",
        report(
            raised,
            settings(|settings| settings.process.clone()).as_deref()
        )
    );
    match settings(|settings| settings.abort) {
        Some(abort) => abort(raised.code),
        None => std::process::abort(),
    }
}

/// The line that a fatal error prints.
fn report(raised: &Raised<'_>, process: Option<&str>) -> String {
    let process = match process {
        Some(name) => name.to_string(),
        None => format!("process {}", std::process::id()),
    };
    let (function, detail) = (raised.function, raised.detail);
    let on = match raised.object {
        Object::Communicator(handle) => format!(" on communicator {:#x}", handle.0),
        Object::Window(handle) => format!(" on window {:#x}", handle.0),
        Object::File(handle) => format!(" on file {:#x}", handle.0),
        Object::Session(handle) => format!(" on session {:#x}", handle.0),
        Object::Unmade(_) | Object::Process | Object::Tool => String::new(),
    };
    format!(
        "{process}: {function}: {}{detail} (fatal error{on})",
        introduction(raised.code)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::*;

    #[test]
    fn classes_have_the_codes_of_the_standard() {
        assert_eq!(ErrorClass::Rank.code(), MPI_ERR_RANK);
        assert_eq!(ErrorClass::ToolMemory.code(), MPI_T_ERR_MEMORY);
        assert_eq!(ErrorClass::from_code(MPI_ERR_ABI), Some(ErrorClass::Abi));
        assert_eq!(ErrorClass::from_code(MPI_SUCCESS), None);
        assert_eq!(ErrorClass::Truncate.name(), "MPI_ERR_TRUNCATE");
        for class in ErrorClass::ALL {
            let bytes = class.text().len() as c_int;
            assert!(bytes > 0 && bytes < MPI_MAX_ERROR_STRING);
        }
    }

    #[test]
    fn a_fatal_error_names_process_function_class_and_detail() {
        let raised = Raised {
            object: Object::Communicator(MPI_COMM_WORLD),
            code: MPI_ERR_RANK,
            function: "MPI_Send",
            detail: "rank 7 is not in a communicator of 4",
        };
        assert_eq!(
            report(&raised, Some("rank 3 in MPI_COMM_WORLD")),
            "rank 3 in MPI_COMM_WORLD: MPI_Send: Invalid rank: rank 7 is not in a communicator \
             of 4 (fatal error on communicator 0x101)"
        );
    }

    #[test]
    fn an_error_without_a_class_says_its_reason_first() {
        let raised = Raised {
            object: Object::Process,
            code: MPI_ERR_OTHER,
            function: "MPI_Init",
            detail: "Too many open files",
        };
        let said = report(&raised, Some("rank 3"));
        assert_eq!(said, "rank 3: MPI_Init: Too many open files (fatal error)");
        let error = ErrorClass::Other.with("Too many open files");
        assert_eq!(error.to_string(), "Too many open files");
    }

    #[test]
    fn raise_gives_the_handler_the_object_and_returns_its_code() {
        fn handler(raised: &Raised<'_>) -> c_int {
            match raised.object {
                Object::Communicator(comm) if comm == MPI_COMM_SELF => raised.code,
                _ => -1,
            }
        }
        set_handler(handler);
        let world = Object::Communicator(MPI_COMM_WORLD);
        let own = || {
            ErrorClass::Tag
                .with("tag -7")
                .on(Object::Communicator(MPI_COMM_SELF))
        };
        assert_eq!(raise(world, ErrorClass::Tag.with("tag -7"), "MPI_Recv"), -1);
        assert_eq!(raise(world, own(), "MPI_Wait"), MPI_ERR_TAG);
        assert_eq!(
            last_detail(MPI_ERR_TAG).as_deref(),
            Some("MPI_Wait: tag -7")
        );
        assert_eq!(last_detail(MPI_ERR_RANK), None);
    }
}
