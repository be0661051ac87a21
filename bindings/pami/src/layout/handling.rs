//! What handles data that is not just copied: a function of the program's, or a predefined one.
//!
//! `PAMI_DATA_SUM` and its like combine the data that comes with what is there, element by element,
//! for a type all of whose data is elements of one predefined type. At the origin they are refused:
//! a packet holds nothing that data could be combined with.
//!
//! Before: a data function and a layout. After: [`crate::layout::end::End`] has it called for whole atoms.

use std::ffi::c_void;

use pamir_transport::collective::Reduction;

use crate::layout::Layout;
use crate::layout::reducer::Reducer;
use crate::refusal::Refusal;
use crate::structures::DataFunction;
use crate::structures::function::DataCall;
use crate::structures::variables::copies;

/// What handles data that is not just copied.
#[derive(Clone, Copy, Debug)]
pub enum Handling {
    /// A function of the program's.
    Own {
        /// The function.
        function: DataCall,
        /// Its last argument.
        cookie: *mut c_void,
    },
    /// A predefined function, on elements of a predefined type.
    Predefined(Reducer),
}

impl Handling {
    /// What handles data that comes to memory of a layout; nothing where it is copied.
    ///
    /// # Errors
    ///
    /// [`Refusal::MixedElements`] for a predefined function on a layout whose data is not of one
    /// predefined type, and [`Refusal::Operation`] where it is not defined on that.
    pub fn of(
        function: DataFunction,
        cookie: *mut c_void,
        layout: &Layout,
    ) -> Result<Option<Self>, Refusal> {
        let function = match function {
            Some(function) if !copies(Some(function)) => function,
            _ => return Ok(None),
        };
        if !function.is_number() {
            return Ok(Some(Self::Own { function, cookie }));
        }
        let element = layout.element.type_().ok_or(Refusal::MixedElements)?;
        let reducer = Reducer::new(Some(function), element, cookie, true)?;
        Ok(Some(Self::Predefined(reducer)))
    }

    /// What handles data on its way from memory of a layout.
    ///
    /// # Errors
    ///
    /// [`Refusal::CombinesNothing`] for a predefined function.
    pub fn of_origin(
        function: DataFunction,
        cookie: *mut c_void,
        layout: &Layout,
    ) -> Result<Option<Self>, Refusal> {
        match Self::of(function, cookie, layout)? {
            Some(Self::Predefined(_)) => Err(Refusal::CombinesNothing),
            handling => Ok(handling),
        }
    }

    /// What `layout`'s data is handled a multiple of, in bytes.
    pub fn atom_bytes(&self, layout: &Layout) -> usize {
        match self {
            Self::Own { .. } => layout.atom_bytes,
            Self::Predefined(reducer) => reducer.element_bytes(),
        }
    }
}
