//! Info objects: ordered (key, value) hints.
