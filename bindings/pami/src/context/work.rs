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

use crate::context::ContextObject;
use crate::structures::Code;

/// A function of the program's, with what it gets.
struct Work {
    context: *mut c_void,
    function: unsafe extern "C" fn(*mut c_void, *mut c_void) -> i32,
    cookie: *mut c_void,
}

// SAFETY: the program posts the cookie so that another thread uses it; the context's object
// lives for ever, and whoever runs the work has it.
unsafe impl Send for Work {}

impl Work {
    fn run(&self) -> Progress {
        // SAFETY: the program gave function and cookie for this.
        let result = unsafe { (self.function)(self.context, self.cookie) };
        if result == Code::Again as i32 {
            Progress::Again
        } else {
            Progress::Done
        }
    }
}

/// Work that any thread may run: whoever advances the context that it was posted to.
struct Carried<F>(Option<F>);

// SAFETY: what the work holds is used by whoever runs it alone, which has the context; who posts it
// does not keep any of it.
unsafe impl<F> Send for Carried<F> {}

impl<F: FnOnce()> Carried<F> {
    fn run(&mut self) {
        if let Some(work) = self.0.take() {
            work();
        }
    }
}

impl ContextObject {
    /// Lets whoever advances this context next call a function of the program's, and again as long as it
    /// asks for that.
    pub fn post(
        &self,
        function: unsafe extern "C" fn(*mut c_void, *mut c_void) -> i32,
        cookie: *mut c_void,
    ) {
        let work = Work {
            context: self.handle(),
            function,
            cookie,
        };
        self.work().post(move |_| work.run());
    }

    /// Lets whoever advances this context next call `work`, which holds nothing that the calling
    /// thread goes on to use.
    pub fn post_once(&self, work: impl FnOnce() + 'static) {
        let mut carried = Carried(Some(work));
        self.work().post(move |_| {
            carried.run();
            Progress::Done
        });
    }
}
