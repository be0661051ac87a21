//! Starting processes: arrays of strings.
//!
//! What: an argument vector is an array of strings that ends with a blank one; several commands have a
//! matrix, one row each.
//! Step before: `entry`. Step after: C.
//! Invariant: strings of an array have the length of its elements, one after the other.

use crate::address;
use crate::c::{self, Integer, c_char, c_int};
use crate::handle;
use crate::string::Input;

/// C's null-terminated vector of strings.
struct Vector {
    _texts: Vec<Input>,
    pointers: Vec<*mut c_char>,
}

impl Vector {
    /// The strings at `first` and every `step` strings behind it, up to `count` or the first blank one.
    unsafe fn new(first: *mut c_char, length: usize, step: usize, count: Option<usize>) -> Self {
        let mut texts = Vec::new();
        while count != Some(texts.len()) {
            // SAFETY: the program's array ends with a blank string, or has `count` of them.
            let text = unsafe { Input::end(first.add(texts.len() * step * length), length) };
            if count.is_none() && text.is_empty() {
                break;
            }
            texts.push(text);
        }
        let ends = texts
            .iter()
            .map(Input::as_ptr)
            .chain([std::ptr::null_mut()]);
        Self {
            pointers: ends.collect(),
            _texts: texts,
        }
    }
}

/// `MPI_Comm_spawn`.
pub unsafe fn comm_spawn(
    call: c::MPI_Comm_spawn,
    command: *mut c_char,
    argv: *mut c_char,
    maxprocs: *mut Integer,
    info: *mut Integer,
    root: *mut Integer,
    comm: *mut Integer,
    intercomm: *mut Integer,
    codes: *mut Integer,
    command_length: usize,
    argv_length: usize,
) -> c_int {
    // SAFETY: the program's arguments.
    unsafe {
        let command = Input::end(command, command_length);
        let mut arguments = match address::is_no_arguments(argv) {
            true => None,
            false => Some(Vector::new(argv, argv_length, 1, None)),
        };
        let argv = arguments
            .as_mut()
            .map_or(std::ptr::null_mut(), |vector| vector.pointers.as_mut_ptr());
        let (info, comm) = (handle::info::to_c(*info), handle::comm::to_c(*comm));
        handle::made(intercomm, handle::comm::to_fortran, |made| {
            call(
                command.as_ptr(),
                argv,
                *maxprocs,
                info,
                *root,
                comm,
                made,
                address::error_codes(codes),
            )
        })
    }
}

/// `MPI_Comm_spawn_multiple`.
pub unsafe fn comm_spawn_multiple(
    call: c::MPI_Comm_spawn_multiple,
    count: *mut Integer,
    commands: *mut c_char,
    argvs: *mut c_char,
    maxprocs: *mut Integer,
    infos: *mut Integer,
    root: *mut Integer,
    comm: *mut Integer,
    intercomm: *mut Integer,
    codes: *mut Integer,
    commands_length: usize,
    argvs_length: usize,
) -> c_int {
    // SAFETY: the program's arguments; the matrix has `count` rows, whose strings lie `count` apart.
    unsafe {
        let many = usize::try_from(*count).unwrap_or(0);
        let mut commands = Vector::new(commands, commands_length, 1, Some(many));
        let mut vectors = Vec::new();
        if !address::is_no_arguments(argvs) {
            let row =
                |row: usize| Vector::new(argvs.add(row * argvs_length), argvs_length, many, None);
            vectors.extend((0..many).map(row));
        }
        let mut rows: Vec<_> = vectors
            .iter_mut()
            .map(|vector| vector.pointers.as_mut_ptr())
            .collect();
        let argvs = if rows.is_empty() {
            std::ptr::null_mut()
        } else {
            rows.as_mut_ptr()
        };
        let mut infos = handle::Array::new(infos, many, handle::info::to_c);
        let comm = handle::comm::to_c(*comm);
        handle::made(intercomm, handle::comm::to_fortran, |made| {
            let codes = address::error_codes(codes);
            call(
                *count,
                commands.pointers.as_mut_ptr(),
                argvs,
                maxprocs,
                infos.as_mut_ptr(),
                *root,
                comm,
                made,
                codes,
            )
        })
    }
}
