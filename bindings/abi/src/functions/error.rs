//! Error handlers, classes, codes and strings.
