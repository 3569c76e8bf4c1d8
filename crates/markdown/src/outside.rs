//! Pictures of other servers: the address from which a page loads each, and the servers from which it loads them.

use std::fmt::{Debug, Formatter};
use std::io::Write;

use base64::Engine as _;
use base64::alphabet::Alphabet;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, URL_SAFE};
use comrak::html::escape;
use flate2::Compression;
use flate2::write::{DeflateEncoder, ZlibEncoder};
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use url::{Host, Url};

/// The most pictures of other servers that a text shows. The others stay links.
const MOST: usize = 200;
/// The longest address of a picture, in bytes.
const LONGEST: usize = 2_000;
/// The longest tag of a picture, in bytes. The sanitiser drops tags that are longer than 10,000 bytes.
const LONGEST_TAG: usize = 9_000;
/// The bytes that the hosts without a proxy may take in the policy of a page. Those behind are loaded through the
/// proxy.
const LONGEST_HOSTS: usize = 2_000;

/// The longest diagram that is drawn, in bytes.
const LONGEST_DIAGRAM: usize = 50_000;
/// The longest address of the picture of a diagram, in bytes. Many servers refuse longer ones.
const LONGEST_DRAWN: usize = 4_000;

/// The diagrams that Kroki draws by itself.
const KROKI: [&str; 20] = [
    "bytefield",
    "c4plantuml",
    "d2",
    "dbml",
    "ditaa",
    "dot",
    "erd",
    "graphviz",
    "nomnoml",
    "pikchr",
    "plantuml",
    "structurizr",
    "svgbob",
    "symbolator",
    "tikz",
    "umlet",
    "vega",
    "vegalite",
    "wavedrom",
    "wireviz",
];
/// The diagrams that its part `blockdiag` draws.
const BLOCKDIAG: [&str; 6] = ["actdiag", "blockdiag", "nwdiag", "packetdiag", "rackdiag", "seqdiag"];

/// How texts show pictures of other servers. By default they do not: such a picture is a link, and a diagram is text.
#[derive(Default)]
pub struct OutsidePictures {
    proxy: Option<Proxy>,
    /// The address of a `PlantUML` server, without a slash at its end.
    plantuml: Option<String>,
    kroki: Option<Kroki>,
    sources: Vec<String>,
}

/// A Kroki server.
struct Kroki {
    /// Without a slash at its end.
    address: String,
    /// The parts that it has beside its own diagrams.
    parts: Vec<String>,
}

/// A server that fetches pictures, as Camo does.
struct Proxy {
    /// Without a slash at its end.
    address: String,
    key: Hmac<Sha1>,
    direct: Vec<DirectHost>,
}

/// A host whose pictures are not fetched through the proxy.
struct DirectHost {
    name: String,
    /// True if the hosts below it are meant, and not the host itself.
    is_above: bool,
}

impl Debug for OutsidePictures {
    /// Without the key.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("OutsidePictures").field("sources", &self.sources).finish_non_exhaustive()
    }
}

impl OutsidePictures {
    /// Shows pictures through the proxy at `address`, which knows `key`. Those of the hosts `direct` are loaded from
    /// there: `example.org` is a host, and `*.example.org` all hosts below it. Other patterns are passed over, because
    /// the policy of a page cannot name them. Without a key, or with an address that is none of the web, nothing
    /// changes.
    #[must_use]
    pub fn through(mut self, address: &str, key: &str, direct: &[String]) -> Self {
        let Some((url, origin)) = server(address) else { return self };
        let Some(key) = Some(key).filter(|key| !key.is_empty()) else { return self };
        let Ok(key) = Hmac::new_from_slice(key.as_bytes()) else { return self };
        self.sources.push(origin);
        let mut proxy = Proxy { address: without_slash(&url), key, direct: Vec::new() };
        let mut left = LONGEST_HOSTS;
        for host in direct.iter().filter_map(|pattern| DirectHost::parse(pattern)) {
            let source = host.source();
            let Some(rest) = left.checked_sub(source.len() + 1) else { break };
            left = rest;
            self.sources.push(source);
            proxy.direct.push(host);
        }
        self.proxy = Some(proxy);
        self
    }

    /// Lets the `PlantUML` server at `address` draw diagrams of that language. An address changes nothing if it is none of
    /// the web, or if it has a user, a password, a query or a fragment.
    #[must_use]
    pub fn with_plantuml(mut self, address: &str) -> Self {
        if let Some((url, origin)) = drawing_server(address) {
            self.plantuml = Some(without_slash(&url));
            self.sources.push(origin);
        }
        self
    }

    /// Lets the Kroki server at `address` draw diagrams. `parts` are the ones of `blockdiag`, `bpmn` and `excalidraw`
    /// that it has. An address changes nothing if it is none of the web, or if it has a user, a password, a query or a
    /// fragment.
    #[must_use]
    pub fn with_kroki(mut self, address: &str, parts: &[String]) -> Self {
        if let Some((url, origin)) = drawing_server(address) {
            self.kroki = Some(Kroki { address: without_slash(&url), parts: parts.to_vec() });
            self.sources.push(origin);
        }
        self
    }

    /// True if a server draws diagrams.
    pub(crate) fn draws(&self) -> bool {
        self.plantuml.is_some() || self.kroki.is_some()
    }

    /// The address of the picture of a diagram; `None` if no server draws it, or if it is too long.
    pub(crate) fn diagram(&self, language: &str, text: &str) -> Option<String> {
        if text.trim().is_empty() || text.len() > LONGEST_DIAGRAM {
            return None;
        }
        let address = match (&self.plantuml, &self.kroki) {
            (Some(plantuml), _) if language == "plantuml" => format!("{plantuml}/png/{}", for_plantuml(text)?),
            (_, Some(kroki)) if kroki.draws(language) => {
                let kind = if language == "dot" { "graphviz" } else { language };
                format!("{}/{kind}/svg/{}", kroki.address, for_kroki(text)?)
            }
            _ => return None,
        };
        (address.len() <= LONGEST_DRAWN).then_some(address)
    }

    /// The servers from which pages load such pictures, as sources of a content security policy.
    #[must_use]
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// The address from which the picture at `url` is loaded, and the address that it was written with if that is
    /// another one; `None` if it is not shown. `base` is the address of this server.
    fn address(&self, url: &str, base: Option<&str>) -> Option<(String, Option<String>)> {
        let proxy = self.proxy.as_ref()?;
        let base = base.and_then(|base| Url::parse(base).ok());
        let starts_with = |start: &str| url.get(..start.len()).is_some_and(|is| is.eq_ignore_ascii_case(start));
        let names_server = ["//", "http://", "https://"].into_iter().any(starts_with);
        let url = names_server.then(|| Url::options().base_url(base.as_ref()).parse(url))?.ok()?;
        if !url.has_host() || url.as_str().len() > LONGEST {
            return None;
        }
        let is_own = base.is_some_and(|base| base.origin() == url.origin());
        if is_own || (url.port().is_none() && proxy.direct.iter().any(|host| host.is_of(&url))) {
            return Some((url.into(), None));
        }
        let mut mac = proxy.key.clone();
        mac.update(url.as_str().as_bytes());
        let (digest, of) = (hex::encode(mac.finalize().into_bytes()), hex::encode(url.as_str()));
        Some((format!("{}/{digest}/{of}", proxy.address), Some(url.into())))
    }
}

/// The address of a server of the web, and its origin as a source of a content security policy; `None` if a policy
/// cannot name it.
fn server(address: &str) -> Option<(Url, String)> {
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let origin = url.origin().ascii_serialization();
    // A host may have a `;`, which would end the directive.
    let is_plain = origin.chars().all(|c| c.is_ascii_alphanumeric() || "-.:/[]_".contains(c));
    is_plain.then_some((url, origin))
}

/// As [`server`]; `None` also if the address has more than a host, a port and a path. Each reader of a page would see the
/// password. What is added to the path would become a part of the query or of the fragment.
fn drawing_server(address: &str) -> Option<(Url, String)> {
    server(address).filter(|(url, _)| {
        let names_user = !url.username().is_empty() || url.password().is_some();
        !names_user && url.query().is_none() && url.fragment().is_none()
    })
}

fn without_slash(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

impl Kroki {
    fn draws(&self, language: &str) -> bool {
        let part = if BLOCKDIAG.contains(&language) { "blockdiag" } else { language };
        KROKI.contains(&language) || self.parts.iter().any(|has| has == part)
    }
}

/// A text as `PlantUML` has it in addresses: compressed without a header, in 64 letters of its own, and filled up with
/// zeros.
fn for_plantuml(text: &str) -> Option<String> {
    const LETTERS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).ok()?;
    let mut bytes = encoder.finish().ok()?;
    bytes.resize(bytes.len().next_multiple_of(3), 0);
    let letters = Alphabet::new(LETTERS).ok()?;
    Some(GeneralPurpose::new(&letters, NO_PAD).encode(bytes))
}

/// A text as Kroki has it in addresses.
fn for_kroki(text: &str) -> Option<String> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).ok()?;
    Some(URL_SAFE.encode(encoder.finish().ok()?))
}

impl DirectHost {
    /// `None` if a policy cannot name the hosts of this pattern.
    fn parse(pattern: &str) -> Option<Self> {
        let (is_above, name) = match pattern.strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, pattern),
        };
        let Ok(Host::Domain(name)) = Host::parse(name) else { return None };
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
        (is_plain && !name.is_empty()).then_some(Self { name, is_above })
    }

    fn source(&self) -> String {
        if self.is_above { format!("*.{}", self.name) } else { self.name.clone() }
    }

    fn is_of(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        if !self.is_above {
            return host == self.name;
        }
        host.strip_suffix(self.name.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
    }
}

/// The pictures of other servers in one text.
pub(crate) struct PicturesOfText<'a> {
    outside: Option<&'a OutsidePictures>,
    base: Option<&'a str>,
    left: usize,
}

impl<'a> PicturesOfText<'a> {
    pub(crate) fn new(outside: Option<&'a OutsidePictures>, base: Option<&'a str>) -> Self {
        Self { outside, base, left: MOST }
    }

    /// The tag that shows the picture at `url`, with more attributes that are written already; `None` if it is not
    /// shown.
    pub(crate) fn tag(&mut self, url: &str, attributes: &str) -> Option<String> {
        let left = self.left.checked_sub(1)?;
        let (address, written) = self.outside?.address(url, self.base)?;
        let mut tag = format!("<img src=\"{}\"{attributes}", escaped(&address));
        if let Some(written) = written {
            tag.push_str(&format!(" data-canonical-src=\"{}\"", escaped(&written)));
        }
        tag.push('>');
        (tag.len() <= LONGEST_TAG).then(|| {
            self.left = left;
            tag
        })
    }
}

/// A text as the value of an attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    // Writing into a string does not fail.
    escape(&mut escaped, text).unwrap_or_default();
    escaped
}
