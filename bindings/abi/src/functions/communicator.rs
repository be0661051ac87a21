//! Communicators: inquiry, construction, destruction, names and hints.
