//! Datatypes against an oracle that walks type maps byte by byte.

pub(super) mod oracle;
mod properties;
