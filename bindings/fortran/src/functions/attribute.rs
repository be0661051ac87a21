//! Setting and getting attributes.
//!
//! Step before: `entry`. Step after: C's attribute functions, with the address of a cell.
//! Invariant: a value that Fortran sets is read back as it was, in Fortran; C reads it through the address.

use crate::attribute::{delete, key_of_c, predefined, read, store};
use crate::c::{self, Integer, c_int, c_void};
use crate::handle;

macro_rules! kind {
    ($set:ident, $set_type:ident, $get:ident, $get_type:ident, $handle:ident, $value:ty) => {
        #[doc = concat!("`", stringify!($set_type), "`.")]
        pub unsafe fn $set(
            call: c::$set_type,
            object: *mut Integer,
            keyval: *mut Integer,
            value: *mut $value,
        ) -> c_int {
            // SAFETY: the program's arguments.
            unsafe {
                let cell = store(i64::from(*value));
                let code = call(handle::$handle::to_c(*object), *keyval, cell);
                if code != c::SUCCESS {
                    delete(cell);
                }
                code
            }
        }

        #[doc = concat!("`", stringify!($get_type), "`.")]
        pub unsafe fn $get(
            call: c::$get_type,
            object: *mut Integer,
            keyval: *mut Integer,
            value: *mut $value,
            flag: *mut Integer,
        ) -> c_int {
            // SAFETY: the program's arguments.
            unsafe {
                let keyval = key_of_c(*keyval);
                let ask = |place, there| call(handle::$handle::to_c(*object), keyval, place, there);
                // A value that does not fit an INTEGER is cut (MPI-5.0, section 19.3.7).
                get(keyval, flag, ask, |found| *value = found as $value)
            }
        }
    };
}

kind!(
    comm_set_attr,
    MPI_Comm_set_attr,
    comm_get_attr,
    MPI_Comm_get_attr,
    comm,
    i64
);
kind!(
    type_set_attr,
    MPI_Type_set_attr,
    type_get_attr,
    MPI_Type_get_attr,
    datatype,
    i64
);
kind!(
    win_set_attr,
    MPI_Win_set_attr,
    win_get_attr,
    MPI_Win_get_attr,
    win,
    i64
);
kind!(
    attr_put,
    MPI_Attr_put,
    attr_get,
    MPI_Attr_get,
    comm,
    Integer
);

unsafe fn get(
    keyval: Integer,
    flag: *mut Integer,
    ask: impl FnOnce(*mut c_void, *mut c_int) -> c_int,
    give: impl FnOnce(i64),
) -> c_int {
    let (mut attribute, mut there) = (std::ptr::null_mut::<c_void>(), 0);
    let code = ask((&raw mut attribute).cast(), &raw mut there);
    if code != c::SUCCESS {
        return code;
    }
    // SAFETY: the flag is the program's; C has written an attribute of this key.
    unsafe {
        *flag = c::logical(there != 0);
        if there != 0 {
            give(predefined(keyval, attribute).unwrap_or_else(|| read(attribute)));
        }
    }
    code
}
