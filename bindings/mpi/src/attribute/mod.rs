//! Attributes: values that an application attaches to communicators, datatypes
//! and windows, with functions that copy and delete them (MPI-5.0 section 7.7).
//!
//! A keyval is a key together with its functions. It lives as long as anyone
//! needs it: freeing it ends its use for new attributes by name, but those still
//! attached keep it alive until they are deleted.
//!
//! ```text
//! KeyvalTable   id -> Keyval       strong until freed, weak from then on
//! AttributeTable  [ (Keyval, value) ... ]   one in each object, in the order of setting
//!
//! an attribute's states:   set --delete, set again, free--> deleting --function succeeded--> gone
//!                           ^------------------------------ function failed ----'
//! ```
//!
//! The application's functions may call MPI again, on the same object and even
//! the same key. So no lock is held while one runs: the attribute is marked,
//! the lock released, the function called, and the lock taken again; a stamp,
//! new with each setting, tells whether the attribute is still the same one.
//! While it is marked, its value can be read, and no second deletion begins.
//! Dropping a keyval's functions is the application's code too, and happens
//! with no lock held.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Why an attribute could not be attached, found or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeError {
    /// A keyval that was never made, or has been freed and is attached nowhere (`MPI_ERR_KEYVAL`).
    #[error("keyval {} does not exist: create it first, and free it last", .keyval.0)]
    NoSuchKeyval {
        /// The id passed.
        keyval: KeyvalId,
    },
    /// A keyval made for another kind of object (`MPI_ERR_KEYVAL`).
    #[error("keyval {} is for a {made_for:?}: create one for a {used_on:?}", .keyval.0)]
    WrongKind {
        /// The keyval's id.
        keyval: KeyvalId,
        /// What it was made for.
        made_for: ObjectKind,
        /// What it was used on.
        used_on: ObjectKind,
    },
    /// The application's function failed; the code is what it returned.
    #[error("the copy or delete function of keyval {} returned error code {code}", .keyval.0)]
    Function {
        /// The keyval's id.
        keyval: KeyvalId,
        /// What the function returned.
        code: i32,
    },
}

/// The kinds of objects that attributes are attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A communicator.
    Communicator,
    /// A datatype.
    Datatype,
    /// A window.
    Window,
}

/// A keyval's number, never zero; the layer above makes its handle from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyvalId(pub u32);

/// A keyval's functions, with their extra state. `object` is the token that the
/// caller passed for the object; an error is the code that the function returned.
pub trait AttributeFunctions: Send + Sync {
    /// What to attach to a duplicate of `object`; `None` attaches nothing.
    ///
    /// # Errors
    ///
    /// The application's error code; the duplication fails.
    fn copy(&self, object: u64, keyval: KeyvalId, value: usize) -> Result<Option<usize>, i32>;

    /// Told that the attribute goes away.
    ///
    /// # Errors
    ///
    /// The application's error code; the attribute stays.
    fn delete(&self, object: u64, keyval: KeyvalId, value: usize) -> Result<(), i32>;
}

/// A key and its functions.
pub struct Keyval {
    id: KeyvalId,
    kind: ObjectKind,
    functions: Box<dyn AttributeFunctions>,
}

impl Keyval {
    /// The number.
    pub fn id(&self) -> KeyvalId {
        self.id
    }

    /// What the keyval may be used on.
    pub fn kind(&self) -> ObjectKind {
        self.kind
    }

    fn failed(&self, code: i32) -> AttributeError {
        AttributeError::Function {
            keyval: self.id,
            code,
        }
    }
}

impl fmt::Debug for Keyval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyval")
            .field("id", &self.id)
            .field("kind", &self.kind)
            .finish()
    }
}

/// Locks, also after a thread ended while holding the lock: every critical section
/// below leaves its data whole at each step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The process's keyvals, by number.
#[derive(Debug, Default)]
pub struct KeyvalTable {
    keyvals: Mutex<Keyvals>,
}

#[derive(Debug, Default)]
struct Keyvals {
    last: u32,
    entries: HashMap<KeyvalId, KeyvalEntry>,
}

/// A keyval as the table holds it.
#[derive(Debug)]
struct KeyvalEntry {
    /// Taken when the keyval is freed.
    held: Option<Arc<Keyval>>,
    alive: Weak<Keyval>,
}

impl KeyvalTable {
    /// A table without keyvals.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new keyval (`MPI_Comm_create_keyval` and its like).
    pub fn create(&self, kind: ObjectKind, functions: Box<dyn AttributeFunctions>) -> KeyvalId {
        let mut keyvals = lock(&self.keyvals);
        let id = loop {
            keyvals.last = keyvals.last.wrapping_add(1).max(1);
            let id = KeyvalId(keyvals.last);
            if !keyvals.entries.contains_key(&id) {
                break id;
            }
        };
        let keyval = Arc::new(Keyval {
            id,
            kind,
            functions,
        });
        let alive = Arc::downgrade(&keyval);
        keyvals.entries.insert(
            id,
            KeyvalEntry {
                held: Some(keyval),
                alive,
            },
        );
        id
    }

    /// Frees a keyval (`MPI_Comm_free_keyval` and its like). Where it is attached, it lives on.
    ///
    /// # Errors
    ///
    /// [`AttributeError::WrongKind`]; [`AttributeError::NoSuchKeyval`], also where it was freed before.
    pub fn free(&self, kind: ObjectKind, id: KeyvalId) -> Result<(), AttributeError> {
        self.find(kind, id)?;
        let held = {
            let mut keyvals = lock(&self.keyvals);
            let held = keyvals
                .entries
                .get_mut(&id)
                .and_then(|entry| entry.held.take());
            // Those that were freed earlier and have ended since are forgotten here.
            keyvals
                .entries
                .retain(|_, entry| entry.alive.strong_count() > 0);
            held
        };
        match held {
            Some(_) => Ok(()),
            None => Err(AttributeError::NoSuchKeyval { keyval: id }),
        }
    }

    /// The keyval of a number, also a freed one as long as it is attached somewhere:
    /// its attributes must be found and deleted.
    ///
    /// # Errors
    ///
    /// [`AttributeError::NoSuchKeyval`], [`AttributeError::WrongKind`].
    pub fn find(&self, kind: ObjectKind, id: KeyvalId) -> Result<Arc<Keyval>, AttributeError> {
        let found = lock(&self.keyvals)
            .entries
            .get(&id)
            .and_then(|entry| entry.alive.upgrade());
        let keyval = found.ok_or(AttributeError::NoSuchKeyval { keyval: id })?;
        if keyval.kind != kind {
            let made_for = keyval.kind;
            return Err(AttributeError::WrongKind {
                keyval: id,
                made_for,
                used_on: kind,
            });
        }
        Ok(keyval)
    }
}

/// The attributes of one object.
#[derive(Debug)]
pub struct AttributeTable {
    kind: ObjectKind,
    attributes: Mutex<Attributes>,
}

#[derive(Debug, Default)]
struct Attributes {
    last_stamp: u64,
    /// In the order of setting.
    list: Vec<Attribute>,
}

#[derive(Clone, Debug)]
struct Attribute {
    keyval: Arc<Keyval>,
    value: usize,
    /// Differs between any two settings in this object.
    stamp: u64,
    /// The delete function runs, or is about to.
    deleting: bool,
}

impl Attributes {
    fn position(&self, keyval: KeyvalId) -> Option<usize> {
        self.list
            .iter()
            .position(|attribute| attribute.keyval.id == keyval)
    }

    /// Attaches a value behind all others, and gives the attribute it replaces.
    fn put(&mut self, keyval: &Arc<Keyval>, value: usize) -> Option<Attribute> {
        let replaced = self
            .position(keyval.id)
            .map(|place| self.list.remove(place));
        self.last_stamp += 1;
        let (keyval, stamp) = (keyval.clone(), self.last_stamp);
        self.list.push(Attribute {
            keyval,
            value,
            stamp,
            deleting: false,
        });
        replaced
    }

    /// Marks the attribute at a place, and gives what the delete function needs.
    fn mark(&mut self, place: usize) -> Attribute {
        self.list[place].deleting = true;
        self.list[place].clone()
    }
}

impl AttributeTable {
    /// A table without attributes, which allocates nothing, for an object of a kind.
    pub fn new(kind: ObjectKind) -> Self {
        Self {
            kind,
            attributes: Mutex::default(),
        }
    }

    /// Attaches a value (`MPI_Comm_set_attr` and its like). Where the key has a value,
    /// its delete function is called with it first.
    ///
    /// # Errors
    ///
    /// [`AttributeError::WrongKind`]; [`AttributeError::Function`], and the old value stays.
    pub fn set(
        &self,
        object: u64,
        keyval: &Arc<Keyval>,
        value: usize,
    ) -> Result<(), AttributeError> {
        if keyval.kind != self.kind {
            let (made_for, used_on) = (keyval.kind, self.kind);
            return Err(AttributeError::WrongKind {
                keyval: keyval.id,
                made_for,
                used_on,
            });
        }
        let old = {
            let mut attributes = lock(&self.attributes);
            match attributes.position(keyval.id) {
                Some(place) if !attributes.list[place].deleting => Some(attributes.mark(place)),
                _ => None,
            }
        };
        if let Some(old) = old {
            self.call_delete(object, &old)?;
        }
        let replaced = lock(&self.attributes).put(keyval, value);
        drop(replaced);
        Ok(())
    }

    /// The value of a key (`MPI_Comm_get_attr` and its like), if it has one.
    pub fn get(&self, keyval: KeyvalId) -> Option<usize> {
        let attributes = lock(&self.attributes);
        attributes
            .position(keyval)
            .map(|place| attributes.list[place].value)
    }

    /// How many attributes are attached.
    pub fn count(&self) -> usize {
        lock(&self.attributes).list.len()
    }

    /// Deletes an attribute (`MPI_Comm_delete_attr` and its like), if it is attached and not
    /// being deleted already.
    ///
    /// # Errors
    ///
    /// [`AttributeError::Function`], and the attribute stays.
    pub fn delete(&self, object: u64, keyval: KeyvalId) -> Result<(), AttributeError> {
        let marked = {
            let mut attributes = lock(&self.attributes);
            match attributes.position(keyval) {
                Some(place) if !attributes.list[place].deleting => attributes.mark(place),
                _ => return Ok(()),
            }
        };
        self.delete_marked(object, marked)
    }

    /// Deletes all attributes, last set first: the object is about to be freed.
    /// Attributes that a delete function sets meanwhile are deleted too.
    ///
    /// # Errors
    ///
    /// [`AttributeError::Function`]; that attribute and those set before it stay.
    pub fn delete_all(&self, object: u64) -> Result<(), AttributeError> {
        loop {
            let marked = {
                let mut attributes = lock(&self.attributes);
                match attributes
                    .list
                    .iter()
                    .rposition(|attribute| !attribute.deleting)
                {
                    Some(place) => attributes.mark(place),
                    None => return Ok(()),
                }
            };
            self.delete_marked(object, marked)?;
        }
    }

    /// Attaches to `duplicate` what the copy functions make of this object's
    /// attributes, in the order of setting. `object` is this object's token.
    ///
    /// # Errors
    ///
    /// [`AttributeError::Function`]; `duplicate` then has the attributes copied
    /// before, for the caller to delete with [`delete_all`](Self::delete_all).
    pub fn copy_all(&self, object: u64, duplicate: &Self) -> Result<(), AttributeError> {
        let attached = lock(&self.attributes).list.clone();
        for Attribute {
            keyval,
            value,
            deleting,
            ..
        } in attached
        {
            if deleting {
                continue;
            }
            let copy = keyval.functions.copy(object, keyval.id, value);
            if let Some(value) = copy.map_err(|code| keyval.failed(code))? {
                let replaced = lock(&duplicate.attributes).put(&keyval, value);
                drop(replaced);
            }
        }
        Ok(())
    }

    /// Calls the delete function of a marked attribute and removes it.
    fn delete_marked(&self, object: u64, marked: Attribute) -> Result<(), AttributeError> {
        self.call_delete(object, &marked)?;
        let removed = {
            let mut attributes = lock(&self.attributes);
            match attributes.position(marked.keyval.id) {
                // Otherwise the function has set a new value, which stays.
                Some(place) if attributes.list[place].stamp == marked.stamp => {
                    Some(attributes.list.remove(place))
                }
                _ => None,
            }
        };
        drop(removed);
        Ok(())
    }

    /// Calls the delete function of a marked attribute; takes the mark back where it fails.
    fn call_delete(&self, object: u64, marked: &Attribute) -> Result<(), AttributeError> {
        let keyval = &marked.keyval;
        keyval
            .functions
            .delete(object, keyval.id, marked.value)
            .map_err(|code| {
                let mut attributes = lock(&self.attributes);
                if let Some(place) = attributes.position(keyval.id)
                    && attributes.list[place].stamp == marked.stamp
                {
                    attributes.list[place].deleting = false;
                }
                keyval.failed(code)
            })
    }
}

#[cfg(test)]
mod tests;
