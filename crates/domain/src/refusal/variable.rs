//! Why a variable is not found.

/// Why a variable is not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VariableRefusal {
    /// Several of that name have different scopes, and the request names none.
    #[error("There are multiple variables with provided parameters. Please use 'filter[environment_scope]'")]
    Ambiguous,
}
