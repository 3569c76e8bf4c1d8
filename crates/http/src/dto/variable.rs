//! Variables as JSON.

use serde::Serialize;
use tenon_app::variable::VariableView;
use utoipa::ToSchema;

/// A variable of a project, of a group or of the whole server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VariableDto {
    /// `env_var` or `file`.
    variable_type: &'static str,
    key: String,
    /// The value. Null if it is hidden.
    value: Option<String>,
    /// True if no answer has the value. Variables of the whole server do not have the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<bool>,
    /// True if only jobs of protected branches and tags get it.
    protected: bool,
    /// True if logs of jobs do not show the value.
    masked: bool,
    /// True if `$NAME` in the value is not replaced.
    raw: bool,
    /// The environments whose jobs get it. Variables of the whole server do not have the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    environment_scope: Option<String>,
    description: Option<String>,
}

impl From<VariableView> for VariableDto {
    fn from(view: VariableView) -> Self {
        let variable = view.variable;
        let is_contained = variable.container.is_some();
        Self {
            variable_type: variable.kind.as_str(),
            key: variable.key,
            value: view.value.map(|value| value.expose().to_owned()),
            hidden: is_contained.then_some(variable.hidden),
            protected: variable.protected,
            masked: variable.masked,
            raw: variable.raw,
            environment_scope: is_contained.then_some(variable.environment_scope),
            description: variable.description,
        }
    }
}
