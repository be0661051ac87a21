//! Keys of attributes that the program made, and the attributes of datatypes (MPI-5.0 section 7.7).
//!
//! Communicators keep their attributes themselves. Those of a datatype belong to its handle: predefined
//! datatypes have some too. A program's key is the keyval's number, moved behind the predefined keys.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_int;
use std::rc::Rc;
use std::sync::Arc;

use pamir_mpi::attribute::{
    AttributeError, AttributeFunctions, AttributeTable, Keyval, KeyvalId, KeyvalTable, ObjectKind,
};

use crate::constants::MPI_KEYVAL_INVALID;
use crate::error::{Error, ErrorClass, Result};
use crate::types::MPI_Datatype;

/// What keys of the program's begin behind.
const PREDEFINED: c_int = 0x1000;

/// The error of a failed attribute function is the program's own code.
impl From<AttributeError> for Error {
    #[cold]
    fn from(error: AttributeError) -> Self {
        match error {
            AttributeError::Function { code, .. } => Self::from_code(code, error.to_string()),
            _ => ErrorClass::Keyval.with(error.to_string()),
        }
    }
}

/// The key that the program has of a keyval.
pub fn key(keyval: KeyvalId) -> c_int {
    PREDEFINED.wrapping_add(keyval.0 as c_int)
}

/// Keys that the program made, and the attributes of datatypes by handle.
#[derive(Default)]
pub struct Attributes {
    keyvals: KeyvalTable,
    of_datatypes: RefCell<HashMap<usize, Rc<AttributeTable>>>,
}

impl Attributes {
    /// Makes a key for objects of one kind.
    pub fn create_key(&self, kind: ObjectKind, functions: Box<dyn AttributeFunctions>) -> c_int {
        key(self.keyvals.create(kind, functions))
    }

    /// The keyval of a key.
    ///
    /// # Errors
    ///
    /// `MPI_ERR_KEYVAL` for a predefined key, and for one of another kind or that does not exist.
    pub fn keyval(&self, kind: ObjectKind, key: c_int) -> Result<Arc<Keyval>> {
        let number = key.wrapping_sub(PREDEFINED);
        if number <= 0 {
            let what = match key {
                MPI_KEYVAL_INVALID => "MPI_KEYVAL_INVALID is no key",
                _ => "a predefined key cannot be set, deleted or freed, and others do not exist",
            };
            return Err(ErrorClass::Keyval.with(format!("key {key}: {what}")));
        }
        Ok(self.keyvals.find(kind, KeyvalId(number as u32))?)
    }

    /// Frees a key; attributes that have it keep its functions.
    ///
    /// # Errors
    ///
    /// As for [`Self::keyval`].
    pub fn free_key(&self, kind: ObjectKind, key: c_int) -> Result {
        let found = self.keyval(kind, key)?;
        Ok(self.keyvals.free(kind, found.id())?)
    }

    /// The attributes of a datatype, if it has had some.
    pub fn of_datatype(&self, datatype: MPI_Datatype) -> Option<Rc<AttributeTable>> {
        self.of_datatypes.borrow().get(&datatype.0).cloned()
    }

    /// The attributes of a datatype, which has some from now on.
    pub fn made_of_datatype(&self, datatype: MPI_Datatype) -> Rc<AttributeTable> {
        let mut all = self.of_datatypes.borrow_mut();
        let own = all
            .entry(datatype.0)
            .or_insert_with(|| Rc::new(AttributeTable::new(ObjectKind::Datatype)));
        own.clone()
    }

    /// Gives a duplicate what the copy functions make of a datatype's attributes.
    ///
    /// # Errors
    ///
    /// The code of the copy function that failed; the duplicate has no attributes then.
    pub fn copy_to_duplicate(&self, old: MPI_Datatype, new: MPI_Datatype) -> Result {
        let Some(attached) = self.of_datatype(old) else {
            return Ok(());
        };
        let copies = Rc::new(AttributeTable::new(ObjectKind::Datatype));
        let copied = attached.copy_all(old.0 as u64, &copies);
        if let Err(error) = copied {
            // The first error is the one to tell.
            let _ = copies.delete_all(new.0 as u64);
            return Err(error.into());
        }
        self.of_datatypes.borrow_mut().insert(new.0, copies);
        Ok(())
    }

    /// Deletes the attributes of a datatype whose handle is about to be freed.
    ///
    /// # Errors
    ///
    /// The code of the delete function that failed.
    pub fn delete_all_of_datatype(&self, datatype: MPI_Datatype) -> Result {
        let Some(attached) = self.of_datatype(datatype) else {
            return Ok(());
        };
        attached.delete_all(datatype.0 as u64)?;
        self.of_datatypes.borrow_mut().remove(&datatype.0);
        Ok(())
    }
}
