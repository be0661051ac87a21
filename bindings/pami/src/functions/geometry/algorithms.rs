//! The algorithms of a geometry, as C asks for them.
//!
//! Before: a geometry and a kind of operation. After: the program has the lists of algorithms, and what is
//! said of each.

use std::ffi::c_void;

use pamir_transport::collective::geometry::Members;
use pamir_transport::selection::Situation;

use crate::context::made::is_job_oversubscribed;
use crate::geometry::algorithms::{Algorithm, Listed, kind_of, lists};
use crate::geometry::geometry_of;
use crate::refusal::{Refusal, answer};
use crate::structures::Code;
use crate::structures::metadata::Metadata;

/// # Safety
///
/// `geometry` is a geometry's handle; `lists_lengths` has room for two numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Geometry_algorithms_num(
    geometry: *mut c_void,
    coll_type: u32,
    lists_lengths: *mut usize,
) -> Code {
    let count = || {
        // SAFETY: the caller vouches for the handle.
        let geometry = unsafe { geometry_of(geometry)? }.geometry()?;
        let kind = kind_of(coll_type)?;
        if lists_lengths.is_null() {
            let argument = "lists_lengths";
            return Err(Refusal::Null { argument });
        }
        for (index, list) in lists(&geometry, kind).iter().enumerate() {
            // SAFETY: the caller vouches for the room.
            unsafe { *lists_lengths.add(index) = list.len() };
        }
        Ok(())
    };
    answer(count())
}

/// Where a list goes that C asks for.
struct Room {
    algorithms: *mut usize,
    metadata: *mut Metadata,
    count: usize,
}

impl Room {
    /// # Safety
    ///
    /// Both are NULL, or have room for `count` values.
    unsafe fn fill(
        self,
        list: &[Listed],
        describe: impl Fn(&Listed) -> (Algorithm, Metadata),
    ) -> Result<(), Refusal> {
        if self.count > list.len() {
            let (asked, listed) = (self.count, list.len());
            return Err(Refusal::TooManyAlgorithms { asked, listed });
        }
        if self.count > 0 && self.algorithms.is_null() {
            let argument = "algs";
            return Err(Refusal::Null { argument });
        }
        for (index, listed) in list[..self.count].iter().enumerate() {
            let (algorithm, metadata) = describe(listed);
            // SAFETY: the caller vouches for the room.
            unsafe {
                *self.algorithms.add(index) = algorithm.word();
                if !self.metadata.is_null() {
                    *self.metadata.add(index) = metadata;
                }
            }
        }
        Ok(())
    }
}

/// # Safety
///
/// `geometry` is a geometry's handle; `algs0` has room for `num0` algorithms, and `mdata0`, unless
/// it is NULL, for as many descriptions; so have `algs1` and `mdata1` for `num1`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Geometry_algorithms_query(
    geometry: *mut c_void,
    colltype: u32,
    algs0: *mut usize,
    mdata0: *mut Metadata,
    num0: usize,
    algs1: *mut usize,
    mdata1: *mut Metadata,
    num1: usize,
) -> Code {
    let list = || {
        // SAFETY: the caller vouches for the handle.
        let object = unsafe { geometry_of(geometry)? };
        let (geometry, kind) = (object.geometry()?, kind_of(colltype)?);
        let [always, conditional] = lists(&geometry, kind);
        let oversubscribed = is_job_oversubscribed(geometry.client);
        let describe = |asked: bool| {
            let situation = Situation::new(geometry.size(), true).oversubscribed(oversubscribed);
            move |listed: &Listed| {
                let algorithm = Algorithm::listed(object, kind, listed);
                (
                    algorithm,
                    Metadata::new(kind, listed.name, asked, situation),
                )
            }
        };
        let room = |algorithms, metadata, count| Room {
            algorithms,
            metadata,
            count,
        };
        // SAFETY: the caller vouches for the room of both.
        unsafe {
            room(algs0, mdata0, num0).fill(&always, describe(false))?;
            room(algs1, mdata1, num1).fill(&conditional, describe(true))
        }
    };
    answer(list())
}
