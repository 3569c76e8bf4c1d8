//! The addresses from which pages offer to clone a project.

use tenon_app::App;
use tenon_app::project::ProjectBrief;
use tenon_domain::settings::GitAccess;

/// The addresses at which something answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CloneAddresses {
    pub(crate) http: Option<String>,
    pub(crate) ssh: Option<String>,
}

impl CloneAddresses {
    /// Those of a project: over the protocols that the settings allow and this server serves.
    pub(crate) fn of(app: &App, brief: &ProjectBrief) -> Self {
        let only = app.known_settings().enabled_git_access_protocol;
        let offers = |over: GitAccess| only.is_none_or(|only| only == over);
        Self {
            http: offers(GitAccess::Http).then(|| brief.http_url.clone()),
            ssh: (offers(GitAccess::Ssh) && app.serves_ssh()).then(|| brief.ssh_url.clone()),
        }
    }

    /// Those of the wiki of a project.
    pub(crate) fn of_wiki(app: &App, brief: &ProjectBrief) -> Self {
        let wiki = |address: String| address.strip_suffix(".git").map(|path| format!("{path}.wiki.git"));
        let Self { http, ssh } = Self::of(app, brief);
        Self { http: http.and_then(wiki), ssh: ssh.and_then(wiki) }
    }

    /// The address that commands name; empty if there is none.
    pub(crate) fn first(&self) -> String {
        self.http.clone().or_else(|| self.ssh.clone()).unwrap_or_default()
    }
}
