//! Project hooks (reference: issues-merge-requests-projects, section 9). Deliveries are another matter.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use tenon_domain::hook::{Hook, HookEvents, is_header_safe, parse_branch_filter};
use tenon_domain::id::HookId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::time::Timestamp;
use tenon_storage::hook;

use crate::access::{Reference, check_unmodified};
use crate::context::{Command, Query};
use crate::error::{AppError, Missing};

/// What a request says about a hook; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct HookChange {
    /// Where deliveries go.
    pub url: String,
    /// The secret sent along; empty clears. Stored sealed, never shown.
    pub token: Option<String>,
    /// Branches that pushes are limited to; empty for all.
    pub push_events_branch_filter: Option<String>,
    /// Whether the receiver's certificate is checked.
    pub enable_ssl_verification: Option<bool>,
    /// Pushes to branches.
    pub push_events: Option<bool>,
    /// Issues that everyone may read.
    pub issues_events: Option<bool>,
    /// Confidential issues.
    pub confidential_issues_events: Option<bool>,
    /// Merge requests.
    pub merge_requests_events: Option<bool>,
    /// Pushes of tags.
    pub tag_push_events: Option<bool>,
    /// Comments.
    pub note_events: Option<bool>,
    /// Comments on confidential issues.
    pub confidential_note_events: Option<bool>,
    /// Jobs.
    pub job_events: Option<bool>,
    /// Pipelines.
    pub pipeline_events: Option<bool>,
    /// Wiki pages.
    pub wiki_page_events: Option<bool>,
}

impl HookChange {
    fn apply(&self, hook: &mut Hook) -> Result<(), AppError> {
        hook.url.clone_from(&self.url);
        if let Some(filter) = &self.push_events_branch_filter {
            let invalid =
                |refusal: tenon_domain::hook::InvalidBranchFilter| AppError::Unprocessable(refusal.to_string());
            hook.push_events_branch_filter = parse_branch_filter(filter).map_err(invalid)?;
        }
        hook.enable_ssl_verification = self.enable_ssl_verification.unwrap_or(hook.enable_ssl_verification);
        let events = &mut hook.events;
        for (given, flag) in [
            (self.push_events, &mut events.push),
            (self.issues_events, &mut events.issues),
            (self.confidential_issues_events, &mut events.confidential_issues),
            (self.merge_requests_events, &mut events.merge_requests),
            (self.tag_push_events, &mut events.tag_push),
            (self.note_events, &mut events.note),
            (self.job_events, &mut events.job),
            (self.pipeline_events, &mut events.pipeline),
            (self.wiki_page_events, &mut events.wiki_page),
        ] {
            *flag = given.unwrap_or(*flag);
        }
        events.confidential_note = self.confidential_note_events.or(events.confidential_note);
        Ok(())
    }
}

/// Whether the caller may look after a project's hooks at all: asked before anything else of a request is (section 1.1).
pub fn permit(query: &mut Query<'_>, project: &Reference) -> Result<(), AppError> {
    query.project(project, ProjectAction::ManageHooks).map(|_found| ())
}

/// The hooks of a project, by id; maintainers only.
pub fn list(query: &mut Query<'_>, project: &Reference, page: PageRequest) -> Result<Page<Hook>, AppError> {
    let project = query.project(project, ProjectAction::ManageHooks)?.project.id;
    Ok(hook::list(&mut query.tx, project, page)?)
}

/// One hook of a project.
pub fn show(query: &mut Query<'_>, project: &Reference, id: HookId) -> Result<Hook, AppError> {
    let project = query.project(project, ProjectAction::ManageHooks)?.project.id;
    hook::find(&mut query.tx, project, id)?.ok_or(AppError::NotFound(Missing::Record))
}

/// Adds a hook.
pub fn create(command: &mut Command<'_>, project: &Reference, change: &HookChange) -> Result<Hook, AppError> {
    let project = command.query().project(project, ProjectAction::ManageHooks)?.project.id;
    let mut hook = Hook {
        id: HookId::new(0),
        project,
        url: String::new(),
        events: HookEvents::default(),
        push_events_branch_filter: None,
        enable_ssl_verification: true,
        created_at: command.now,
        updated_at: command.now,
    };
    check(command, change)?;
    change.apply(&mut hook)?;
    let sealed = sealed_token(command, change)?.flatten();
    hook.id = hook::insert(&mut command.tx, &hook, sealed.as_deref())?;
    Ok(hook)
}

/// Changes a hook; its address is given every time.
pub fn edit(command: &mut Command<'_>, project: &Reference, id: HookId, change: &HookChange) -> Result<Hook, AppError> {
    let mut hook = show(&mut command.query(), project, id)?;
    check(command, change)?;
    change.apply(&mut hook)?;
    hook.updated_at = command.now;
    hook::update(&mut command.tx, &hook)?;
    if let Some(token) = sealed_token(command, change)? {
        hook::set_token(&mut command.tx, id, token.as_deref())?;
    }
    Ok(hook)
}

/// Removes a hook.
pub fn delete(
    command: &mut Command<'_>,
    project: &Reference,
    id: HookId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let hook = show(&mut command.query(), project, id)?;
    check_unmodified(hook.updated_at, unmodified_since)?;
    Ok(hook::delete(&mut command.tx, id)?)
}

/// The token to store: `None` where none was sent, `Some(None)` where it is to be cleared.
#[expect(clippy::option_option, reason = "absent, cleared and set are three answers")]
fn sealed_token(command: &Command<'_>, change: &HookChange) -> Result<Option<Option<String>>, AppError> {
    match change.token.as_deref() {
        None => Ok(None),
        Some("") => Ok(Some(None)),
        Some(token) => {
            let sealed = command.app.vault().seal(command.app.entropy(), token).map_err(AppError::internal)?;
            Ok(Some(Some(sealed)))
        }
    }
}

fn check(command: &mut Command<'_>, change: &HookChange) -> Result<(), AppError> {
    let local_allowed = command.query().settings()?.allow_local_requests_from_hooks_and_services;
    if !is_target(&change.url, local_allowed) {
        return Err(AppError::Unprocessable("Invalid url given".to_owned()));
    }
    let token = change.token.as_deref().unwrap_or_default();
    if token.len() > MAX_URL || !is_header_safe(token) {
        return Err(AppError::invalid("token", "must be short and without line breaks"));
    }
    Ok(())
}

/// The longest address and token of a hook, in bytes.
const MAX_URL: usize = 2048;

/// Whether `text` is an address that the server may call. A host that is a name is checked again, resolved, at each
/// delivery; one that is a number is judged here.
fn is_target(text: &str, local_allowed: bool) -> bool {
    if text.len() > MAX_URL || text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return false;
    }
    let Ok(url) = url::Url::parse(text) else { return false };
    // Who is to be called with a password has a token for that.
    if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
        return false;
    }
    match url.host() {
        None => false,
        Some(_) if local_allowed => true,
        Some(url::Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            !(name == "localhost" || name.ends_with(".localhost") || name == "localhost.localdomain")
        }
        Some(url::Host::Ipv4(address)) => is_public(IpAddr::V4(address)),
        Some(url::Host::Ipv6(address)) => is_public(IpAddr::V6(address)),
    }
}

/// Whether an address is reached over the internet, and not inside the server's own network (abuse case 37).
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_broadcast()
                || v4.is_documentation()
                || v4.is_multicast()
                || v4 == Ipv4Addr::UNSPECIFIED
                || a == 0
                || a >= 240
                || (a == 100 && (64..128).contains(&b))
                || (a == 192 && b == 0 && c == 0)
                || (a == 198 && (18..20).contains(&b)))
        }
        IpAddr::V6(v6) => {
            let [first, second, ..] = v6.segments();
            if let Some(v4) = v6.to_ipv4_mapped().or_else(|| nat64(v6)) {
                return is_public(IpAddr::V4(v4));
            }
            // Global unicast, less what only wraps other addresses or documents them.
            let is_global = first & 0xe000 == 0x2000;
            let is_special = first == 0x2002 || (first == 0x2001 && (second < 0x0200 || second == 0x0db8));
            is_global && !is_special
        }
    }
}

/// The IPv4 address behind a NAT64 one.
fn nat64(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_http_addresses_are_targets() {
        for good in ["http://example.org/hook", "https://example.org:8443/x?y=z", "http://[2606:4700::1111]/"] {
            assert!(is_target(good, false), "{good}");
        }
        for bad in [
            "",
            "example.org",
            "ftp://example.org",
            "gopher://example.org",
            "file:///etc/passwd",
            "http://",
            "http://example.org/\r\nX-Evil: 1",
            "http://localhost/",
            "http://localhost./",
            "http://x.localhost/",
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0.0.0.0/",
            "http://10.1.2.3/",
            "http://172.16.0.1/",
            "http://192.168.1.1/",
            "http://169.254.169.254/",
            "http://100.64.0.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[fc00::1]/",
            "http://[fe80::1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[64:ff9b:1::7f00:1]/",
            "http://[::7f00:1]/",
            "http://[fec0::1]/",
            "http://[2001:0:7f00:1::]/",
            "http://localhost.localdomain/",
            "http://user:pw@example.org/",
        ] {
            assert!(!is_target(bad, false), "{bad}");
        }
        assert!(is_target("http://127.0.0.1:9000/", true));
        assert!(!is_target("file:///etc/passwd", true));
    }
}
