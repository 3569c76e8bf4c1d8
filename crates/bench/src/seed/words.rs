//! What people, groups and projects are called.

pub(super) const FIRST_NAMES: &[&str] = &[
    "Ada", "Aino", "Amara", "Anton", "Bilal", "Clara", "Daniel", "Dilan", "Elena", "Emil", "Farid", "Greta", "Hana",
    "Henrik", "Ines", "Ivo", "Jonas", "Julia", "Kofi", "Lena", "Liam", "Mara", "Mehmet", "Mira", "Nadia", "Noah",
    "Olga", "Oskar", "Paula", "Pavel", "Rosa", "Samir", "Sofia", "Tariq", "Tove", "Uma", "Viktor", "Wei", "Yara",
    "Zoran",
];

pub(super) const LAST_NAMES: &[&str] = &[
    "Almeida", "Andersen", "Bauer", "Becker", "Costa", "Demir", "Dubois", "Fischer", "Garcia", "Hansen", "Horvat",
    "Ivanova", "Jansen", "Kaya", "Kowalski", "Larsen", "Lopez", "Meyer", "Moreau", "Nakamura", "Novak", "Okafor",
    "Olsen", "Papadopoulos", "Petrov", "Rossi", "Schmidt", "Silva", "Tanaka", "Virtanen", "Wagner", "Weber", "Yilmaz",
    "Zhang",
];

pub(super) const TEAMS: &[&str] = &[
    "Accounts", "Analytics", "Billing", "Catalogue", "Checkout", "Clinic", "Commerce", "Delivery", "Devices",
    "Documents", "Energy", "Fleet", "Identity", "Insurance", "Inventory", "Learning", "Logistics", "Maps", "Media",
    "Messaging", "Mobile", "Payments", "Planning", "Platform", "Quality", "Research", "Robotics", "Safety", "Search",
    "Storage", "Support", "Telemetry", "Tooling", "Transit", "Weather",
];

pub(super) const KINDS: &[&str] = &[
    "adapter", "agent", "archive", "backend", "bridge", "broker", "client", "collector", "console", "converter",
    "dashboard", "exporter", "firmware", "frontend", "gateway", "importer", "indexer", "library", "monitor", "parser",
    "pipeline", "planner", "proxy", "registry", "reports", "rules", "scheduler", "schema", "service", "simulator",
    "tests", "toolkit", "tracker", "worker",
];

pub(super) const TAGS: &[&str] = &[
    "backend", "deprecated", "docs", "experimental", "frontend", "infrastructure", "internal-tool", "library",
    "mobile", "production", "research", "template",
];

pub(super) const VERBS: &[&str] = &["Collects", "Cleans", "Publishes", "Checks", "Simulates", "Archives", "Routes"];

pub(super) const OBJECTS: &[&str] = &[
    "invoices", "sensor readings", "sign-ins", "shipments", "contracts", "map tiles", "test results", "messages",
    "appointments", "spare parts", "price lists", "alerts",
];

pub(super) const PURPOSES: &[&str] = &[
    "for the whole company", "for partners", "every night", "before the monthly report", "with as little memory as possible",
    "and keeps a trail of every change", "on small devices", "and replaces the old spreadsheet",
];
