//! Values that programs cache on communicators and datatypes.
