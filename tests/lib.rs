//! Nothing: the tests live in the folders beside.
