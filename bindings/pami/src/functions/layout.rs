//! The C functions on types.
//!
//! Before: a program's calls. After: the table of types ([`crate::layout`]) has what they made.
//!
//! Sizes of C that move a cursor, offset and stride, may be negative: they wrap around, as C's
//! own arithmetic with them does.

use std::ffi::c_void;

use crate::edge::attributes::query;
use crate::layout::element::Element;
use crate::layout::transform::{Place, transform};
use crate::layout::{self, Layout, layout_of};
use crate::refusal::{Refusal, answer};
use crate::structures::configuration::attribute;
use crate::structures::{Code, Configuration, DataFunction, Type, Value};

fn null(argument: &'static str) -> Refusal {
    Refusal::Null { argument }
}

/// # Safety
///
/// `type_` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Type_create(type_: *mut Type) -> Code {
    if type_.is_null() {
        return answer(Err(null("type")));
    }
    // SAFETY: the caller vouches for the address.
    unsafe { *type_ = layout::create() };
    Code::Success
}

/// Adds blocks to a type that is being built.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_add_simple(
    type_: Type,
    bytes: usize,
    offset: usize,
    count: usize,
    stride: usize,
) -> Code {
    answer(layout::build(type_, Element::Mixed, |builder| {
        Ok(builder.add_simple(bytes, offset as i64, count, stride as i64)?)
    }))
}

/// Adds elements of a complete type to one that is being built.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_add_typed(
    type_: Type,
    subtype: Type,
    offset: usize,
    count: usize,
    stride: usize,
) -> Code {
    let add = || {
        let subtype = layout_of(subtype, "subtype")?;
        layout::build(type_, subtype.element, |builder| {
            Ok(builder.add_typed(&subtype.program, offset as i64, count, stride as i64)?)
        })
    };
    answer(add())
}

/// Completes a type.
#[unsafe(no_mangle)]
pub extern "C" fn PAMI_Type_complete(type_: Type, atom_size: usize) -> Code {
    answer(layout::complete(type_, atom_size))
}

/// # Safety
///
/// `type_` is readable and writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Type_destroy(type_: *mut Type) -> Code {
    let destroy = || {
        // SAFETY: the caller vouches for the address.
        let handle = unsafe { type_.as_mut() }.ok_or_else(|| null("type"))?;
        layout::destroy(*handle)?;
        *handle = std::ptr::null_mut();
        Ok(())
    };
    answer(destroy())
}

/// # Safety
///
/// The configuration has `num_configs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Type_query(
    type_: Type,
    configuration: *mut Configuration,
    num_configs: usize,
) -> Code {
    let ask = || {
        let layout = layout_of(type_, "type")?;
        let known = |name| {
            let intval = match name {
                attribute::TYPE_DATA_SIZE => layout.program.bytes(),
                attribute::TYPE_DATA_EXTENT => layout.program.extent() as usize,
                attribute::TYPE_ATOM_SIZE => layout.atom_bytes,
                _ => return None,
            };
            Some(Value { intval })
        };
        // SAFETY: the caller vouches for the entries.
        unsafe { query("type", configuration, num_configs, known) }
    };
    answer(ask())
}

/// # Safety
///
/// `address` and `size` are writable; the bytes are read only, until the type is destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Type_serialize(
    type_: Type,
    address: *mut *mut c_void,
    size: *mut usize,
) -> Code {
    let serialize = || {
        let layout = layout_of(type_, "type")?;
        if address.is_null() || size.is_null() {
            return Err(null("address or size"));
        }
        let code = layout.code();
        // SAFETY: the caller vouches for both; the table keeps the layout until it is destroyed.
        unsafe {
            *address = code.as_ptr().cast_mut().cast();
            *size = code.len();
        }
        Ok(())
    };
    answer(serialize())
}

/// # Safety
///
/// `type_` is writable; `address` is readable for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Type_deserialize(
    type_: *mut Type,
    address: *mut c_void,
    size: usize,
) -> Code {
    let deserialize = || {
        if type_.is_null() || address.is_null() {
            return Err(null("type or address"));
        }
        // SAFETY: the caller vouches for the bytes.
        let code = unsafe { std::slice::from_raw_parts(address.cast::<u8>(), size) };
        let made = layout::insert(Layout::from_code(code)?);
        // SAFETY: the caller vouches for the address.
        unsafe { *type_ = made };
        Ok(())
    };
    answer(deserialize())
}

/// # Safety
///
/// Both types' layouts, applied to the addresses, reach good memory for `size` bytes from their
/// offsets on, and do not overlap; the function takes what it is given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn PAMI_Type_transform_data(
    source: *mut c_void,
    source_type: Type,
    source_offset: usize,
    target: *mut c_void,
    target_type: Type,
    target_offset: usize,
    size: usize,
    function: DataFunction,
    cookie: *mut c_void,
) -> Code {
    let from = Place {
        type_: source_type,
        address: source.cast(),
        offset: source_offset,
    };
    let to = Place {
        type_: target_type,
        address: target.cast(),
        offset: target_offset,
    };
    // SAFETY: as the caller vouches.
    answer(unsafe { transform(&from, &to, size, (function, cookie)) })
}
