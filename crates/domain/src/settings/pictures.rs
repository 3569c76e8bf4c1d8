//! Settings about pictures that other servers make or fetch for texts.

use super::values::Values;

/// A server that fetches pictures of other servers for browsers, as Camo does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureProxy {
    /// Its address.
    pub url: String,
    /// The key that signs addresses for it, sealed.
    pub sealed_key: String,
    /// The hosts whose pictures are not fetched through it; `*.` stands for the hosts below one.
    pub direct: Vec<String>,
}

impl PictureProxy {
    /// `None` if the proxy is off, or if its address or its key is missing.
    pub(super) fn of(values: &Values) -> Option<Self> {
        if !values.switch("asset_proxy_enabled") {
            return None;
        }
        let url = values.text("asset_proxy_url")?;
        let sealed_key = values.text("asset_proxy_secret_key")?;
        Some(Self { url, sealed_key, direct: values.list("asset_proxy_allowlist").unwrap_or_default() })
    }
}

/// The servers that draw diagrams of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagramServers {
    /// The address of a `PlantUML` server, if one is used.
    pub plantuml: Option<String>,
    /// A Kroki server, if one is used.
    pub kroki: Option<KrokiServer>,
}

/// A Kroki server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KrokiServer {
    /// Its address.
    pub url: String,
    /// The formats that it has beside its own: some of `blockdiag`, `bpmn` and `excalidraw`.
    pub formats: Vec<String>,
}

impl DiagramServers {
    pub(super) fn of(values: &Values) -> Self {
        let url = |switch, name| values.text(name).filter(|_| values.switch(switch));
        let formats = || values.list("kroki_formats").unwrap_or_default();
        Self {
            plantuml: url("diagram_enabled", "diagram_url"),
            kroki: url("kroki_enabled", "kroki_url").map(|url| KrokiServer { url, formats: formats() }),
        }
    }
}
