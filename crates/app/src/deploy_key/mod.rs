//! Deploy keys: SSH keys that open projects without belonging to an account.

mod change;
mod read;

pub use change::{EditDeployKey, NewDeployKey, create, delete, edit, enable};
pub use read::{KeyWithProjects, list, list_all, permit, show};

pub use tenon_domain::deploy_key::{DeployKey, EnabledKey};
pub use tenon_storage::project::ProjectWithNamespace;
