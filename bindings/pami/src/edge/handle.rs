//! Handles of objects.
//!
//! Before: an object was made that is never freed. After: each call finds the object behind a handle, if its mark
//! says that it lives.
//!
//! Only C and the objects make handles: whoever hands one in vouches that it is NULL, or was given out for an
//! object of its type. Calls that end an object ask for less ([`Handle::get_unvouched`]): programs that take a list for what
//! it lists do so there.

use std::ffi::c_void;
use std::marker::PhantomData;

use crate::edge::mark::{self, Mark};
use crate::refusal::Refusal;

/// An object that C has a handle of. It is never freed.
pub trait Object: Sized + 'static {
    /// What its mark has while it lives.
    const LIVING: u64;
    /// What refusals call it.
    const KIND: &'static str;

    /// Where its mark stands in it, in bytes.
    const MARK_AT: usize;

    /// Its mark.
    fn mark(&self) -> &Mark;

    /// Whether it is not destroyed.
    #[inline(always)]
    fn is_living(&self) -> bool {
        self.mark().is(Self::LIVING)
    }

    /// Its handle.
    #[inline(always)]
    fn handle(&self) -> Handle<Self> {
        Handle(std::ptr::from_ref(self).cast_mut().cast(), PhantomData)
    }
}

/// An object's handle, or NULL.
#[repr(transparent)]
pub struct Handle<T>(*mut c_void, PhantomData<fn() -> T>);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Handle<T> {}

impl<T> Handle<T> {
    /// That of nothing.
    pub const NULL: Self = Self(std::ptr::null_mut(), PhantomData);

    /// As a pointer.
    #[inline(always)]
    pub fn raw(self) -> *mut c_void {
        self.0
    }

    /// Whether it is NULL.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl<T: Object> Handle<T> {
    /// The object, if it lives.
    #[inline(always)]
    pub fn living(self) -> Option<&'static T> {
        // SAFETY: NULL, or an object that is never freed.
        let object = unsafe { self.0.cast::<T>().as_ref() };
        object.filter(|object| object.is_living())
    }

    /// The object.
    ///
    /// # Errors
    ///
    /// [`Refusal::Handle`] where it does not live.
    #[inline(always)]
    pub fn get(self) -> Result<&'static T, Refusal> {
        self.living().ok_or_else(missing::<T>)
    }

    /// The object, of a handle that may be anything: it is looked for among all that there were.
    ///
    /// # Errors
    ///
    /// As for [`Self::get`].
    pub fn get_unvouched(self) -> Result<&'static T, Refusal> {
        if mark::stands_at(self.0.addr().wrapping_add(T::MARK_AT)) {
            self.get()
        } else {
            Err(missing::<T>())
        }
    }
}

/// No living object is behind a handle.
#[cold]
pub fn missing<T: Object>() -> Refusal {
    Refusal::Handle {
        argument: T::KIND,
        kind: T::KIND,
    }
}
