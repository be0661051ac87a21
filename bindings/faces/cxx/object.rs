//! Objects as C++ lays them out: a pointer to the class's functions, and a handle.
//!
//! What: reading and making them; statuses have the status in place of the handle. Step before: [`crate::methods`] and
//! callbacks. Step after: the C library. Invariant: an object has 16 bytes, of which MPICH's integers leave four unused;
//! destructors have nothing to do.

use std::ffi::c_void;

/// An object with a handle.
#[repr(C)]
pub struct Object {
    table: *const c_void,
    handle: usize,
}

/// What objects of a class begin with.
pub struct Maker {
    /// The class's functions.
    pub table: *const c_void,
    /// The handle of a new object.
    pub handle: *const c_void,
}

impl Maker {
    /// An object with this handle.
    pub fn with(&self, handle: usize) -> Object {
        Object {
            table: self.table,
            handle,
        }
    }
}

/// An object with a status: of either ABI none is longer.
#[repr(C)]
pub struct Status {
    table: *const c_void,
    /// The status.
    pub status: [u64; 3],
}

impl Status {
    /// A status in an object.
    pub fn new(maker: &Maker, status: [u64; 3]) -> Self {
        Self {
            table: maker.table,
            status,
        }
    }
}

/// The handle in an object; of an integer the lower half counts.
///
/// # Safety
///
/// There is an object.
pub unsafe fn handle(object: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { (object as *const Object).as_ref() }.map_or(0, |object| object.handle)
}

/// Where the handle or the status of an object is.
pub fn address(object: usize) -> usize {
    object + 8
}

/// Makes an object in a place, and says where its handle is to be written.
///
/// # Safety
///
/// There is room for an object.
pub unsafe fn place(room: usize, maker: Maker) -> usize {
    let new = maker.with(maker.handle.addr());
    // SAFETY: the caller's promise.
    unsafe { (room as *mut Object).write(new) };
    address(room)
}

/// Makes an object with a handle in a place, and gives the place back.
///
/// # Safety
///
/// There is room for an object.
pub unsafe fn make(room: usize, maker: &Maker, handle: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { (room as *mut Object).write(maker.with(handle)) };
    room
}

unsafe extern "C" {
    #[link_name = "_Znwm"]
    fn operator_new(bytes: usize) -> usize;
    #[link_name = "_ZdlPv"]
    fn operator_delete(memory: usize);
}

/// Memory of `new`.
pub fn memory(bytes: usize) -> usize {
    // SAFETY: the function takes any size, and ends the process where there is no memory.
    unsafe { operator_new(bytes) }
}

/// Memory for an object, which the program gives back by `delete`.
pub fn room() -> usize {
    memory(size_of::<Object>())
}

/// `delete`.
///
/// # Safety
///
/// The memory is of `new`, and nobody uses it any more.
pub unsafe fn delete(memory: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { operator_delete(memory) };
    0
}
