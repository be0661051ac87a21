//! User-defined operations (`MPI_Op_create`, MPI-5.0 section 6.9.5).
//!
//! The function itself lives in the layer above, which knows C's calling
//! convention and datatype handles; here it is a trait object. The datatype
//! argument is an opaque token that goes through unread.
//!
//! A function registered with `MPI_Op_create` takes its count as a C `int`:
//! such a function says so with [`UserFunction::maximum_count`], and
//! [`UserOperation::combine`] calls it as often as it takes.

use std::fmt;
use std::sync::Arc;

/// A function that combines elements, supplied by the application.
pub trait UserFunction: Send + Sync {
    /// `inout[i] = incoming[i] op inout[i]` for `i` in `0..count`.
    ///
    /// # Safety
    ///
    /// Both pointers are valid for `count` elements of the datatype that the token
    /// `datatype` stands for (its lower bound may be negative), `inout` for
    /// writing, and the two buffers do not overlap.
    unsafe fn call(&self, incoming: *const u8, inout: *mut u8, count: i64, datatype: u64);

    /// The most elements one call takes.
    fn maximum_count(&self) -> i64 {
        i64::MAX
    }

    /// What a binding of another language wants its function to be given besides.
    fn set_argument(&self, _argument: usize) {}
}

/// A user-defined operation. Cloning is cheap, and keeps the function alive:
/// an operation in progress is not disturbed by `MPI_Op_free`.
#[derive(Clone)]
pub struct UserOperation {
    function: Arc<dyn UserFunction>,
    commutative: bool,
}

impl UserOperation {
    /// An operation that calls `function`, which is taken to be associative;
    /// `commutative` says whether operands may also change places.
    pub fn new(function: Arc<dyn UserFunction>, commutative: bool) -> Self {
        Self {
            function,
            commutative,
        }
    }

    /// The function.
    pub fn function(&self) -> &dyn UserFunction {
        &*self.function
    }

    /// Whether operands may change places.
    pub fn is_commutative(&self) -> bool {
        self.commutative
    }

    /// `inout[i] = incoming[i] op inout[i]` for `count` elements that lie
    /// `extent_bytes` apart (which may be negative or zero, as for any datatype).
    ///
    /// # Safety
    ///
    /// As [`UserFunction::call`]: both pointers are valid for `count` elements of
    /// the datatype, `inout` for writing, and they do not overlap.
    pub unsafe fn combine(
        &self,
        incoming: *const u8,
        inout: *mut u8,
        count: usize,
        extent_bytes: isize,
        datatype: u64,
    ) {
        let most = usize::try_from(self.function.maximum_count())
            .unwrap_or(1)
            .max(1);
        let mut done = 0;
        while done < count {
            let now = most.min(count - done);
            let offset = (done as isize).wrapping_mul(extent_bytes);
            // SAFETY: the caller vouches for `count` elements `extent_bytes` apart, so the
            // `now` elements that start `done` elements further on are among them.
            unsafe {
                self.function.call(
                    incoming.wrapping_offset(offset),
                    inout.wrapping_offset(offset),
                    now as i64,
                    datatype,
                );
            }
            done += now;
        }
    }
}

impl fmt::Debug for UserOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserOperation")
            .field("function", &Arc::as_ptr(&self.function).cast::<()>())
            .field("commutative", &self.commutative)
            .finish()
    }
}

impl PartialEq for UserOperation {
    /// The same operation: made by one call of `new`, then cloned.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.function, &other.function) && self.commutative == other.commutative
    }
}

impl Eq for UserOperation {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// Sums bytes, and remembers how it was called.
    struct ByteSum {
        most: i64,
        calls: Mutex<Vec<(i64, u64)>>,
    }

    impl UserFunction for ByteSum {
        unsafe fn call(&self, incoming: *const u8, inout: *mut u8, count: i64, datatype: u64) {
            self.calls.lock().unwrap().push((count, datatype));
            for i in 0..count as usize {
                // SAFETY: the caller vouches for `count` elements.
                unsafe { *inout.add(i) = (*inout.add(i)).wrapping_add(*incoming.add(i)) };
            }
        }

        fn maximum_count(&self) -> i64 {
            self.most
        }
    }

    #[test]
    fn a_large_count_is_split_into_calls_the_function_can_take() {
        let function = Arc::new(ByteSum {
            most: 4,
            calls: Mutex::default(),
        });
        let operation = UserOperation::new(function.clone(), false);
        let incoming: Vec<u8> = (0..10).collect();
        let mut inout = vec![100u8; 10];
        // SAFETY: both vectors have ten bytes.
        unsafe { operation.combine(incoming.as_ptr(), inout.as_mut_ptr(), 10, 1, 77) };
        assert_eq!(inout, (100..110).collect::<Vec<u8>>());
        assert_eq!(*function.calls.lock().unwrap(), [(4, 77), (4, 77), (2, 77)]);
    }

    #[test]
    fn no_element_means_no_call() {
        let function = Arc::new(ByteSum {
            most: i64::MAX,
            calls: Mutex::default(),
        });
        let operation = UserOperation::new(function.clone(), true);
        // SAFETY: no element is touched.
        unsafe { operation.combine(std::ptr::null(), std::ptr::null_mut(), 0, 8, 0) };
        assert!(function.calls.lock().unwrap().is_empty());
        assert!(operation.is_commutative());
    }
}
