//! Posting work to a context, from any thread.
//!
//! Before: `PAMI_Context_post`. After: the next advance of the context runs it, in its thread
//! ("Parallel active messages": post puts instructions in the work queue, advance finds them).
//!
//! | the function returns | then |
//! |----------------------|------|
//! | `PAMI_EAGAIN`        | it is called again at the next advance |
//! | anything else        | it is done |
//!
//! The program's `pami_work_t` is not used: the queue has storage of its own.

use std::ffi::c_void;

use pamir_transport::context::work_queue::Progress;

use crate::context::{ContextObject, Held};
use crate::edge::handle::Object;
use crate::structures::Code;
use crate::structures::function::WorkCall;

/// Work that any thread may run: whoever advances the context that it was posted to.
struct Carried<F> {
    object: &'static ContextObject,
    work: F,
}

// SAFETY: what the work holds is used by whoever runs it alone, which has the context; who posts it
// does not keep any of it, and a program posts its cookie so that another thread uses it.
unsafe impl<F> Send for Carried<F> {}

impl<F: FnMut(Held) -> Progress> Carried<F> {
    fn run(&mut self) -> Progress {
        // SAFETY: whoever advances the context has it, and runs its work.
        (self.work)(unsafe { Held::new(self.object) })
    }
}

impl ContextObject {
    fn carry(&'static self, work: impl FnMut(Held) -> Progress + 'static) {
        let mut carried = Carried { object: self, work };
        self.work().post(move |_| carried.run());
    }

    /// Lets whoever advances this context next call a function of the program's, and again as long as it
    /// asks for that.
    pub fn post(&'static self, function: WorkCall, cookie: *mut c_void) {
        let context = self.handle().raw();
        self.carry(move |_| {
            if function.call(context, cookie) == Code::Again as i32 {
                Progress::Again
            } else {
                Progress::Done
            }
        });
    }

    /// Lets whoever advances this context next call `work`, which holds nothing that the calling
    /// thread goes on to use.
    pub fn post_once(&'static self, work: impl FnOnce(Held) + 'static) {
        let mut work = Some(work);
        self.carry(move |held| {
            if let Some(work) = work.take() {
                work(held);
            }
            Progress::Done
        });
    }
}
