//! Functions that take procedures.
//!
//! Step before: `entry`. Step after: C, with a function of `callback` in each procedure's place.
//! Invariant: what C's constants mean by an address - no conversion - is C's constant here too.

use crate::c::{self, Handle, Integer, c_char, c_int, c_void};
use crate::callback::attribute::Key;
use crate::callback::conversion::{self, Representation};
use crate::callback::{Full, error_handler, operation, request};
use crate::error::raise;
use crate::functions::predefined::is_no_conversion;
use crate::handle;
use crate::string::Input;

fn full(function: &str) -> c_int {
    let text = format!(
        "{function}: the program has handed over 256 different procedures of this kind, which is all there is room for"
    );
    raise(c::ERR_OTHER, &text)
}

macro_rules! operation {
    ($name:ident, $type:ident) => {
        #[doc = concat!("`", stringify!($type), "`.")]
        pub unsafe fn $name(
            call: c::$type,
            procedure: *mut c_void,
            commute: *mut Integer,
            op: *mut Integer,
        ) -> c_int {
            let Ok(making) = operation::Making::new(procedure) else {
                return full(stringify!($type));
            };
            // SAFETY: the program's arguments; the function is one that C may call for ever.
            unsafe {
                handle::made(op, handle::op::to_fortran, |made| {
                    let code = call(making.function(), *commute, made);
                    making.end((code == c::SUCCESS).then_some(*made));
                    code
                })
            }
        }
    };
}

operation!(op_create, MPI_Op_create);
operation!(op_create_c, MPI_Op_create_c);

/// `MPI_Op_free`.
pub unsafe fn op_free(call: c::MPI_Op_free, op: *mut Integer) -> c_int {
    // SAFETY: the program's argument.
    unsafe {
        let operation = handle::op::to_c(*op);
        let mut freed = operation;
        let code = call(&raw mut freed);
        if code == c::SUCCESS {
            operation::freed(operation);
        }
        *op = handle::op::to_fortran(freed);
        code
    }
}

macro_rules! error_handler {
    ($name:ident, $type:ident, $object:ident) => {
        #[doc = concat!("`", stringify!($type), "`.")]
        pub unsafe fn $name(
            call: c::$type,
            procedure: *mut c_void,
            errhandler: *mut Integer,
        ) -> c_int {
            // SAFETY: the program's arguments; the function is one that C may call for ever.
            unsafe {
                make_error_handler(
                    stringify!($type),
                    error_handler::$object::function(procedure),
                    errhandler,
                    |function, made| call(function, made),
                )
            }
        }
    };
}

error_handler!(comm_create_errhandler, MPI_Comm_create_errhandler, comm);
error_handler!(win_create_errhandler, MPI_Win_create_errhandler, win);
error_handler!(file_create_errhandler, MPI_File_create_errhandler, file);
error_handler!(
    session_create_errhandler,
    MPI_Session_create_errhandler,
    session
);

/// `MPI_Errhandler_create`, which MPI-3.0 removed.
pub unsafe fn errhandler_create(
    call: c::MPI_Comm_create_errhandler,
    procedure: *mut c_void,
    errhandler: *mut Integer,
) -> c_int {
    // SAFETY: handed on.
    unsafe { comm_create_errhandler(call, procedure, errhandler) }
}

unsafe fn make_error_handler(
    name: &str,
    function: Result<*mut c_void, Full>,
    errhandler: *mut Integer,
    call: impl FnOnce(*mut c_void, *mut Handle) -> c_int,
) -> c_int {
    let Ok(function) = function else {
        return full(name);
    };
    let to_fortran = handle::errhandler::to_fortran;
    // SAFETY: the place is the program's.
    unsafe { handle::made(errhandler, to_fortran, |made| call(function, made)) }
}

macro_rules! key {
    ($name:ident, $type:ident, $object:ident, $value:ty, $is_narrow:literal) => {
        #[doc = concat!("`", stringify!($type), "`.")]
        pub unsafe fn $name(
            call: c::$type,
            copy: *mut c_void,
            delete: *mut c_void,
            keyval: *mut Integer,
            extra_state: *mut $value,
        ) -> c_int {
            use crate::callback::attribute::$object;
            // SAFETY: the program's arguments; the functions are ones that C may call for ever.
            unsafe {
                let key = Key {
                    copy: copy as usize,
                    delete: delete as usize,
                    extra_state: i64::from(*extra_state),
                    is_narrow: $is_narrow,
                };
                call(
                    $object::copy as *mut c_void,
                    $object::delete as *mut c_void,
                    keyval,
                    key.address(),
                )
            }
        }
    };
}

key!(comm_create_keyval, MPI_Comm_create_keyval, comm, i64, false);
key!(
    type_create_keyval,
    MPI_Type_create_keyval,
    datatype,
    i64,
    false
);
key!(win_create_keyval, MPI_Win_create_keyval, win, i64, false);
key!(keyval_create, MPI_Keyval_create, comm, Integer, true);

/// `MPI_Grequest_start`.
pub unsafe fn grequest_start(
    call: c::MPI_Grequest_start,
    query: *mut c_void,
    free: *mut c_void,
    cancel: *mut c_void,
    extra_state: *mut i64,
    request: *mut Integer,
) -> c_int {
    // SAFETY: the program's arguments; the record is C's until C calls `free`.
    unsafe {
        let record = Box::into_raw(Box::new(request::Generalized {
            query: query as usize,
            free: free as usize,
            cancel: cancel as usize,
            extra_state,
        }));
        let mut made: Handle = 0;
        let functions = [
            request::query as *mut c_void,
            request::free as *mut c_void,
            request::cancel as *mut c_void,
        ];
        let code = call(
            functions[0],
            functions[1],
            functions[2],
            record.cast(),
            &raw mut made,
        );
        match code {
            c::SUCCESS => *request = handle::request::to_fortran(made),
            _ => drop(Box::from_raw(record)),
        }
        code
    }
}

macro_rules! representation {
    ($name:ident, $type:ident, $read:ident, $write:ident) => {
        #[doc = concat!("`", stringify!($type), "`.")]
        pub unsafe fn $name(
            call: c::$type,
            datarep: *mut c_char,
            read: *mut c_void,
            write: *mut c_void,
            extent: *mut c_void,
            extra_state: *mut i64,
            datarep_length: usize,
        ) -> c_int {
            let or_none = |procedure, function| match is_no_conversion(procedure) {
                true => std::ptr::null_mut(),
                false => function,
            };
            // SAFETY: the program's arguments; the functions are ones that C may call for ever.
            unsafe {
                let name = Input::end(datarep, datarep_length);
                let record = Representation {
                    read: read as usize,
                    write: write as usize,
                    extent: extent as usize,
                    extra_state: *extra_state,
                };
                let read = or_none(read, conversion::$read as *mut c_void);
                let write = or_none(write, conversion::$write as *mut c_void);
                call(
                    name.as_ptr(),
                    read,
                    write,
                    conversion::extent as *mut c_void,
                    record.address(),
                )
            }
        }
    };
}

representation!(register_datarep, MPI_Register_datarep, read, write);
representation!(
    register_datarep_c,
    MPI_Register_datarep_c,
    read_large,
    write_large
);
