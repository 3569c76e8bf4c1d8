//! Budgets of requests that the settings can give callers.

use std::num::NonZeroU32;
use std::time::Duration;

use super::parse::parse_switch;
use super::values::Values;

/// How many requests may be sent in how much time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Requests.
    pub requests: NonZeroU32,
    /// The time.
    pub period: Duration,
}

impl Rate {
    /// So many requests in a minute; `None` if there are none.
    pub(super) fn in_a_minute(requests: i64) -> Option<Self> {
        Some(Self { requests: NonZeroU32::new(u32::try_from(requests).ok()?)?, period: MINUTE })
    }
}

/// Whose requests a budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// Those without a credential that proves a user, by network.
    Anonymous,
    /// Those of users, by user.
    Users,
    /// All, by user or network.
    Callers,
    /// All, by network.
    Networks,
    /// All, by the path that they ask for.
    Paths,
}

/// A budget of requests.
#[derive(Debug)]
pub struct Budget {
    /// Its name in headers, and what the names of its settings begin with.
    pub name: &'static str,
    /// Whose requests it counts.
    pub counts: Counts,
    /// True if it does not count the users whom the settings spare.
    pub spares: bool,
    /// The period, if one setting is its number of requests; `None` if there is a switch and two numbers.
    period: Option<Duration>,
    /// Which requests it counts.
    is_of: fn(&RequestTarget<'_>) -> bool,
}

/// The subject of a request, as budgets tell requests apart.
#[derive(Debug)]
pub struct RequestTarget<'r> {
    method: &'r str,
    /// The path in its parts.
    path: Vec<&'r str>,
    query: &'r str,
}

const MINUTE: Duration = Duration::from_mins(1);
const TEN_MINUTES: Duration = Duration::from_mins(10);

const fn throttle(name: &'static str, counts: Counts, is_of: fn(&RequestTarget<'_>) -> bool) -> Budget {
    Budget { name, counts, spares: false, period: None, is_of }
}

const fn limit(name: &'static str, counts: Counts, period: Duration, is_of: fn(&RequestTarget<'_>) -> bool) -> Budget {
    Budget { name, counts, spares: false, period: Some(period), is_of }
}

/// All budgets. A request is counted against each that it belongs to, so that the strictest wins.
pub const BUDGETS: &[Budget] = &[
    throttle("throttle_unauthenticated", Counts::Anonymous, |_| true),
    throttle("throttle_unauthenticated_api", Counts::Anonymous, is_api),
    throttle("throttle_unauthenticated_web", Counts::Anonymous, is_web),
    throttle("throttle_unauthenticated_files_api", Counts::Anonymous, is_files_api),
    throttle("throttle_unauthenticated_git_lfs", Counts::Anonymous, is_lfs),
    throttle("throttle_unauthenticated_deprecated_api", Counts::Anonymous, is_deprecated),
    throttle("throttle_authenticated_api", Counts::Users, is_api),
    throttle("throttle_authenticated_web", Counts::Users, is_web),
    throttle("throttle_authenticated_files_api", Counts::Users, is_files_api),
    throttle("throttle_authenticated_git_lfs", Counts::Users, is_lfs),
    throttle("throttle_authenticated_deprecated_api", Counts::Users, is_deprecated),
    throttle("throttle_protected_paths", Counts::Networks, is_protected),
    limit("notes_create_limit", Counts::Users, MINUTE, |asked| asked.creates(&["notes", "discussions"])),
    limit("issues_create_limit", Counts::Users, MINUTE, |asked| asked.creates(&["issues"])),
    limit("search_rate_limit", Counts::Users, MINUTE, is_search),
    limit("search_rate_limit_unauthenticated", Counts::Anonymous, MINUTE, is_search),
    limit("raw_blob_request_limit", Counts::Paths, MINUTE, is_raw),
    Budget { spares: true, ..limit("users_get_by_id_limit", Counts::Users, TEN_MINUTES, is_user) },
    limit("user_email_lookup_limit", Counts::Callers, MINUTE, is_email_lookup),
    limit("projects_api_rate_limit_unauthenticated", Counts::Anonymous, TEN_MINUTES, |asked| {
        asked.reads() && asked.path == ["api", "v4", "projects"]
    }),
];

impl Budget {
    /// The rate that the settings give it; `None` if they do not count.
    pub(super) fn rate(&self, values: &Values) -> Option<Rate> {
        let (requests, period) = match self.period {
            Some(period) => (values.number(self.name), period),
            None if values.switch(&format!("{}_enabled", self.name)) => (
                values.number(&format!("{}_requests_per_period", self.name)),
                seconds(values.number(&format!("{}_period_in_seconds", self.name))),
            ),
            None => return None,
        };
        Some(Rate { requests: NonZeroU32::new(u32::try_from(requests).ok()?)?, period })
    }

    /// True if this request counts against it, if its caller does.
    #[must_use]
    pub fn is_of(&self, asked: &RequestTarget<'_>) -> bool {
        (self.is_of)(asked)
    }
}

pub(super) fn seconds(number: i64) -> Duration {
    Duration::from_secs(u64::try_from(number).unwrap_or(0))
}

impl<'r> RequestTarget<'r> {
    /// That of a request with this method, path and query.
    #[must_use]
    pub fn new(method: &'r str, path: &'r str, query: &'r str) -> Self {
        Self { method, path: path.split('/').filter(|part| !part.is_empty()).collect(), query }
    }

    /// True if it does not ask for a change.
    #[must_use]
    pub fn reads(&self) -> bool {
        matches!(self.method, "GET" | "HEAD" | "OPTIONS")
    }

    fn creates(&self, what: &[&str]) -> bool {
        self.method == "POST" && self.path.last().is_some_and(|last| what.contains(last))
    }

    /// True for Git over HTTP, which refuses what is pushed in words that its users read.
    fn is_of_git(&self) -> bool {
        let is_elsewhere = is_api(self) || self.path.contains(&"-");
        !is_elsewhere && matches!(self.path.as_slice(), [_, .., "git-upload-pack" | "git-receive-pack"])
    }

    /// True if it may change something while the server is in maintenance: it signs in or out, does what is demanded of a user
    /// before all else, refreshes a token, changes the application settings, or changes nothing in spite of its method.
    #[must_use]
    pub fn is_served_in_maintenance(&self) -> bool {
        self.reads()
            || matches!(
                self.path.as_slice(),
                ["api", _, "application", "settings"]
                    | ["api", _, "markdown"]
                    | ["admin", "application_settings"]
                    | ["users", "sign_in" | "sign_out" | "passkey" | "auth", ..]
                    | ["profile", "password"]
                    | ["profile", "two_factor_auth", ..]
                    | ["-", "users", "terms", "accept"]
                    | ["oauth", "token" | "introspect" | "revoke"]
            )
            || self.is_of_git()
            || is_lfs(self)
    }
}

fn is_api(asked: &RequestTarget<'_>) -> bool {
    asked.path.first() == Some(&"api")
}

/// True for large files, whose uploads are refused in maintenance in words that their users read.
fn is_lfs(asked: &RequestTarget<'_>) -> bool {
    let is_place = |parts: &[&str]| matches!(parts, [project, "info", "lfs"] if project.strip_suffix(".git").is_some());
    !is_api(asked) && asked.path.windows(3).any(is_place)
}

fn is_web(asked: &RequestTarget<'_>) -> bool {
    !is_api(asked) && !is_lfs(asked)
}

fn is_files_api(asked: &RequestTarget<'_>) -> bool {
    matches!(asked.path.as_slice(), ["api", _, "projects", _, "repository", "files", ..])
}

/// True for a group that is answered with its projects: clients should ask for the list of its projects instead.
fn is_deprecated(asked: &RequestTarget<'_>) -> bool {
    let declines = |part: &str| part.strip_prefix("with_projects=").and_then(parse_switch) == Some(false);
    asked.reads() && matches!(asked.path.as_slice(), ["api", _, "groups", _]) && !asked.query.split('&').any(declines)
}

fn is_protected(asked: &RequestTarget<'_>) -> bool {
    let is_sign_in = matches!(
        asked.path.as_slice(),
        ["users"]
            | ["users", "sign_in" | "passkey" | "auth" | "password" | "confirmation", ..]
            | ["oauth", "token"]
            | ["api", _, "session"]
    );
    asked.method == "POST" && is_sign_in
}

fn is_search(asked: &RequestTarget<'_>) -> bool {
    asked.reads()
        && matches!(
            asked.path.as_slice(),
            ["search"]
                | ["api", _, "search"]
                | ["api", _, "projects" | "groups", _, "search"]
                | ["api", _, "projects" | "groups", _, "-", "search"]
        )
}

fn is_raw(asked: &RequestTarget<'_>) -> bool {
    let is_of_snippet = |rest: &[&str]| matches!(rest, [_, "raw"]) || matches!(rest, [_, "files", .., "raw"]);
    let is_of_api = match asked.path.as_slice() {
        ["api", _, "projects", _, "repository", "files" | "blobs", _, "raw"] => true,
        ["api", _, "snippets", rest @ ..] | ["api", _, "projects", _, "snippets", rest @ ..] => is_of_snippet(rest),
        _ => false,
    };
    let is_of_pages = || !is_api(asked) && asked.path.iter().skip(2).any(|part| *part == "raw");
    asked.reads() && (is_of_api || is_of_pages())
}

fn is_user(asked: &RequestTarget<'_>) -> bool {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    asked.reads() && matches!(asked.path.as_slice(), ["api", _, "users", id] if is_number(id))
}

fn is_email_lookup(asked: &RequestTarget<'_>) -> bool {
    let has_address = |part: &str| {
        part.strip_prefix("search=").is_some_and(|text| text.contains('@') || text.to_lowercase().contains("%40"))
    };
    asked.reads() && matches!(asked.path.as_slice(), ["api", _, "users"]) && asked.query.split('&').any(has_address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budgets(method: &str, path: &str, query: &str) -> Vec<&'static str> {
        let asked = RequestTarget::new(method, path, query);
        let of = BUDGETS.iter().filter(|budget| budget.counts != Counts::Anonymous && budget.is_of(&asked));
        of.map(|budget| budget.name).collect()
    }

    #[test]
    fn requests_belong_to_budgets() {
        let (api, web) = ("throttle_authenticated_api", "throttle_authenticated_web");
        for (method, path, query, want) in [
            ("GET", "//api/v4/projects", "", vec![api]),
            ("GET", "/api/v4/projects/1/repository/files/a%2Fb", "", vec![api, "throttle_authenticated_files_api"]),
            (
                "GET",
                "/api/v4/projects/1/repository/files/a/raw",
                "",
                vec![api, "throttle_authenticated_files_api", "raw_blob_request_limit"],
            ),
            ("GET", "/group/tool/-/raw/main/a", "", vec![web, "raw_blob_request_limit"]),
            ("PUT", "/group/tool.git/info/lfs/objects/1/2", "", vec!["throttle_authenticated_git_lfs"]),
            ("GET", "/group/tool/info/lfs/objects/1", "", vec![web]),
            ("POST", "/users/sign_in", "", vec![web, "throttle_protected_paths"]),
            ("GET", "/users/sign_in", "", vec![web]),
            ("POST", "/api/v4/projects/1/issues", "", vec![api, "issues_create_limit"]),
            ("GET", "/api/v4/projects/1/issues", "", vec![api]),
            ("POST", "/group/tool/-/issues/1/notes", "", vec![web, "notes_create_limit"]),
            ("GET", "/api/v4/projects/1/search", "", vec![api, "search_rate_limit"]),
            ("GET", "/api/v4/users/12", "", vec![api, "users_get_by_id_limit"]),
            ("GET", "/api/v4/users", "page=2&search=a%40b.test", vec![api, "user_email_lookup_limit"]),
            ("GET", "/api/v4/users", "search=a", vec![api]),
            ("GET", "/api/v4/groups/a%2Fb", "", vec![api, "throttle_authenticated_deprecated_api"]),
            ("GET", "/api/v4/groups/1", "with_projects=true", vec![api, "throttle_authenticated_deprecated_api"]),
            ("GET", "/api/v4/groups/1", "statistics=true&with_projects=false", vec![api]),
            ("PUT", "/api/v4/groups/1", "", vec![api]),
            ("GET", "/api/v4/groups", "", vec![api]),
        ] {
            assert_eq!(budgets(method, path, query), want, "{method} {path}?{query}");
        }
    }

    #[test]
    fn little_is_changed_in_maintenance() {
        for (method, path, want) in [
            ("GET", "/api/v4/projects", true),
            ("PUT", "/api/v4/application/settings", true),
            ("POST", "/admin/application_settings", true),
            ("POST", "/users/sign_in", true),
            ("POST", "/a/b.git/git-upload-pack", true),
            ("POST", "/a/b.git/info/lfs/objects/batch", true),
            ("POST", "/profile/two_factor_auth/codes", true),
            ("PUT", "/profile/password", true),
            ("POST", "/-/users/terms/accept", true),
            ("POST", "/profile", false),
            ("POST", "/api/v4/projects", false),
            ("POST", "/api/v4/projects/1/repository/files/git-upload-pack", false),
            ("DELETE", "/api/v4/projects/1", false),
            ("POST", "/users", false),
        ] {
            assert_eq!(RequestTarget::new(method, path, "").is_served_in_maintenance(), want, "{method} {path}");
        }
    }
}
