//! Attributes against the standard's life cycle, with functions that call back.

use super::*;
use ObjectKind::{Communicator, Datatype};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What was called: ("copy" or "delete", object, value).
type Calls = Arc<Mutex<Vec<(&'static str, u64, usize)>>>;

/// Records its calls; copies the value plus one unless it is a multiple of ten, and
/// refuses the value 13.
struct Recorder {
    calls: Calls,
    dropped: Arc<AtomicUsize>,
}

impl AttributeFunctions for Recorder {
    fn copy(&self, object: u64, _: KeyvalId, value: usize) -> Result<Option<usize>, i32> {
        self.calls.lock().unwrap().push(("copy", object, value));
        match value {
            13 => Err(-13),
            value => Ok((!value.is_multiple_of(10)).then_some(value + 1)),
        }
    }

    fn delete(&self, object: u64, _: KeyvalId, value: usize) -> Result<(), i32> {
        self.calls.lock().unwrap().push(("delete", object, value));
        if value == 13 { Err(-13) } else { Ok(()) }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// A table of keyvals, some made, and what their functions were called with.
struct Fixture {
    keyvals: KeyvalTable,
    keys: Vec<Arc<Keyval>>,
    calls: Calls,
    dropped: Arc<AtomicUsize>,
    object: AttributeTable,
}

fn fixture(keys: usize) -> Fixture {
    let (keyvals, calls) = (KeyvalTable::new(), Calls::default());
    let dropped = Arc::new(AtomicUsize::new(0));
    let keys = (0..keys)
        .map(|_| {
            let recorder = Recorder {
                calls: calls.clone(),
                dropped: dropped.clone(),
            };
            let id = keyvals.create(Communicator, Box::new(recorder));
            keyvals.find(Communicator, id).unwrap()
        })
        .collect();
    Fixture {
        keyvals,
        keys,
        calls,
        dropped,
        object: AttributeTable::new(Communicator),
    }
}

impl Fixture {
    fn calls(&self) -> Vec<(&'static str, u64, usize)> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

#[test]
fn setting_again_deletes_the_old_value_first() {
    let f = fixture(1);
    f.object.set(7, &f.keys[0], 1).unwrap();
    assert_eq!(f.calls(), []);
    f.object.set(7, &f.keys[0], 2).unwrap();
    assert_eq!(f.calls(), [("delete", 7, 1)]);
    assert_eq!(f.object.get(f.keys[0].id()), Some(2));
    f.object.delete(7, f.keys[0].id()).unwrap();
    assert_eq!(f.calls(), [("delete", 7, 2)]);
    assert_eq!(f.object.get(f.keys[0].id()), None);
    assert_eq!(f.object.delete(7, f.keys[0].id()), Ok(()));
    assert_eq!(f.calls(), []);
}

#[test]
fn a_failing_delete_function_leaves_the_value() {
    let f = fixture(2);
    let failed = Err(AttributeError::Function {
        keyval: f.keys[0].id(),
        code: -13,
    });
    f.object.set(1, &f.keys[0], 13).unwrap();
    f.object.set(1, &f.keys[1], 2).unwrap();
    for _ in 0..2 {
        assert_eq!(f.object.set(1, &f.keys[0], 5), failed);
        assert_eq!(f.object.delete(1, f.keys[0].id()), failed);
        assert_eq!(f.object.get(f.keys[0].id()), Some(13));
    }
    assert_eq!(f.object.delete_all(1), failed);
    assert_eq!(f.object.count(), 1);
}

#[test]
fn duplication_copies_what_the_functions_say() {
    let f = fixture(3);
    for (key, value) in f.keys.iter().zip([1, 20, 3]) {
        f.object.set(1, key, value).unwrap();
    }
    let duplicate = AttributeTable::new(Communicator);
    f.object.copy_all(1, &duplicate).unwrap();
    assert_eq!(f.calls(), [("copy", 1, 1), ("copy", 1, 20), ("copy", 1, 3)]);
    let values: Vec<_> = f.keys.iter().map(|key| duplicate.get(key.id())).collect();
    assert_eq!(values, [Some(2), None, Some(4)]);

    f.object.set(1, &f.keys[1], 13).unwrap();
    let duplicate = AttributeTable::new(Communicator);
    let failed = AttributeError::Function {
        keyval: f.keys[1].id(),
        code: -13,
    };
    assert_eq!(f.object.copy_all(1, &duplicate), Err(failed));
}

#[test]
fn freeing_deletes_the_last_set_first() {
    let f = fixture(3);
    for (key, value) in f.keys.iter().zip([1, 2, 3]) {
        f.object.set(1, key, value).unwrap();
    }
    f.object.set(1, &f.keys[0], 4).unwrap();
    f.calls();
    f.object.delete_all(9).unwrap();
    assert_eq!(
        f.calls(),
        [("delete", 9, 4), ("delete", 9, 3), ("delete", 9, 2)]
    );
    assert_eq!(f.object.count(), 0);
}

#[test]
fn attached_attributes_keep_a_freed_keyval_alive() {
    let mut f = fixture(1);
    let key = f.keys.pop().unwrap();
    let id = key.id();
    f.object.set(1, &key, 5).unwrap();
    drop(key);
    f.keyvals.free(Communicator, id).unwrap();
    let gone = AttributeError::NoSuchKeyval { keyval: id };
    assert_eq!(f.keyvals.free(Communicator, id), Err(gone));
    // Still found: its attribute must be read and deleted.
    assert_eq!(f.object.get(id), Some(5));
    assert!(f.keyvals.find(Communicator, id).is_ok());
    assert_eq!(f.dropped.load(Ordering::Relaxed), 0);
    f.object.delete(1, id).unwrap();
    assert_eq!(f.dropped.load(Ordering::Relaxed), 1);
    assert_eq!(f.keyvals.find(Communicator, id).unwrap_err(), gone);
}

#[test]
fn a_keyval_serves_its_kind_only() {
    let f = fixture(1);
    let keyval = f.keys[0].id();
    let wrong = AttributeError::WrongKind {
        keyval,
        made_for: Communicator,
        used_on: Datatype,
    };
    assert_eq!(
        AttributeTable::new(Datatype).set(1, &f.keys[0], 1),
        Err(wrong)
    );
    assert_eq!(f.keyvals.find(Datatype, keyval).unwrap_err(), wrong);
    assert_eq!(f.keyvals.free(Datatype, keyval), Err(wrong));
}

/// Does to its object, from within its functions, what `act` says.
struct Reentrant<F>(F);

impl<F> AttributeFunctions for Reentrant<F>
where
    F: Fn(&'static str, KeyvalId, usize) + Send + Sync,
{
    fn copy(&self, _: u64, keyval: KeyvalId, value: usize) -> Result<Option<usize>, i32> {
        (self.0)("copy", keyval, value);
        Ok(Some(value))
    }

    fn delete(&self, _: u64, keyval: KeyvalId, value: usize) -> Result<(), i32> {
        (self.0)("delete", keyval, value);
        Ok(())
    }
}

#[test]
fn functions_may_call_back() {
    let keyvals = Arc::new(KeyvalTable::new());
    let object = Arc::new(AttributeTable::new(Communicator));
    let deletions = Arc::new(AtomicUsize::new(0));
    let act = {
        let (keyvals, object) = (keyvals.clone(), object.clone());
        let deletions = deletions.clone();
        move |function, id, value| {
            if function == "copy" {
                return;
            }
            deletions.fetch_add(1, Ordering::Relaxed);
            // The value is still there, is not deleted a second time, and new
            // keyvals can be made.
            assert_eq!(object.get(id), Some(value));
            assert_eq!(object.delete(0, id), Ok(()));
            if value == 1 {
                let key = keyvals.find(Communicator, id).unwrap();
                object.set(0, &key, 100).unwrap();
            }
            let other = keyvals.create(Communicator, Box::new(Reentrant(|_, _, _| ())));
            keyvals.free(Communicator, other).unwrap();
        }
    };
    let id = keyvals.create(Communicator, Box::new(Reentrant(act)));
    let key = keyvals.find(Communicator, id).unwrap();

    // The function sets a new value while the old one is deleted: the new one stays.
    object.set(0, &key, 1).unwrap();
    object.delete(0, id).unwrap();
    assert_eq!(object.get(id), Some(100));
    assert_eq!(deletions.load(Ordering::Relaxed), 1);
    // Freeing the object takes it off too.
    object.delete_all(0).unwrap();
    assert_eq!(object.get(id), None);
    assert_eq!(deletions.load(Ordering::Relaxed), 2);
}

#[test]
fn a_copy_function_may_change_the_object_that_is_copied() {
    let object = Arc::new(AttributeTable::new(Communicator));
    let keyvals = KeyvalTable::new();
    let act = {
        let object = object.clone();
        move |function, id, _| {
            if function == "copy" {
                object.delete(0, id).unwrap();
            }
        }
    };
    let id = keyvals.create(Communicator, Box::new(Reentrant(act)));
    object
        .set(0, &keyvals.find(Communicator, id).unwrap(), 3)
        .unwrap();
    let duplicate = AttributeTable::new(Communicator);
    object.copy_all(0, &duplicate).unwrap();
    assert_eq!((object.get(id), duplicate.get(id)), (None, Some(3)));
}
