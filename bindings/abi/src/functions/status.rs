//! Reading and writing what a status records.
