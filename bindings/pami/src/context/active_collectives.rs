//! What a context knows of active-message collectives: the members' functions, and operations whose answers it awaits.
//!
//! Before: `PAMI_AMCollective_dispatch_set`, or an operation that asks for answers. After: what comes finds its
//! function, or the operation that it answers ([`crate::collective::active`]).

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::c_void;
use std::rc::Rc;

use pamir_transport::active::Receive;

use crate::refusal::Refusal;
use crate::structures::function::MemberCall;
use crate::structures::kind::TransferKind;
use crate::structures::{Code, DataFunction, Type};

/// What a member's function is, with what it gets.
#[derive(Clone, Copy)]
pub struct Registration {
    /// Of the type that its kind has.
    pub function: MemberCall,
    /// Its argument.
    pub cookie: *mut c_void,
}

/// What one member answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Who answers.
    pub rank: usize,
    /// Whether there is an answer.
    pub answered: bool,
    /// Bytes of data.
    pub bytes: usize,
}

/// Tells the program how an operation has ended.
pub type Told = Box<dyn FnOnce(Code)>;

/// What the own member of an operation's origin says of it.
pub struct OwnPart {
    /// The data function of a reduction, and the type of the data that it combines.
    pub function: Option<(DataFunction, Type)>,
    /// Who is told when the operation has ended, in place of whom the call names.
    pub told: Option<Told>,
    /// Why the own data cannot be had.
    pub refusal: Option<Refusal>,
}

/// An operation that started here and has not ended.
pub trait Awaiting {
    /// An answer has come; where it goes.
    fn answer(self: Rc<Self>, answer: Answer) -> Receive;

    /// The own member has been called.
    fn own_part(&self, part: OwnPart);
}

/// What a context knows of active-message collectives.
#[derive(Default)]
pub struct ActiveCollectives {
    functions: RefCell<HashMap<(TransferKind, usize), Registration>>,
    /// Operations that were started here, and whose answers or own part are awaited.
    awaited: RefCell<HashMap<u64, Rc<dyn Awaiting>>>,
    /// How many there have been.
    started: Cell<u64>,
}

impl ActiveCollectives {
    /// A kind's dispatch id has a function from now on.
    pub fn set(&self, kind: TransferKind, dispatch: usize, registration: Registration) {
        let mut functions = self.functions.borrow_mut();
        functions.insert((kind, dispatch), registration);
    }

    /// The function of a kind's dispatch id.
    pub fn function(&self, kind: TransferKind, dispatch: usize) -> Option<Registration> {
        self.functions.borrow().get(&(kind, dispatch)).copied()
    }

    /// The number of the next operation that starts here.
    pub fn next_key(&self) -> u64 {
        self.started.set(self.started.get() + 1);
        self.started.get()
    }

    /// The operation with a key awaits answers, or its own part, from now on.
    pub fn await_answers(&self, key: u64, operation: Rc<dyn Awaiting>) {
        self.awaited.borrow_mut().insert(key, operation);
    }

    /// The operation with a key, if it awaits any.
    pub fn awaited(&self, key: u64) -> Option<Rc<dyn Awaiting>> {
        self.awaited.borrow().get(&key).cloned()
    }

    /// All has come.
    pub fn forget(&self, key: u64) {
        self.awaited.borrow_mut().remove(&key);
    }
}
