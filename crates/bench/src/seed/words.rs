//! The names of people, groups, projects and labels, and the words that issues are written in.

pub(super) const FIRST_NAMES: &[&str] = &[
    "Ada", "Aino", "Amara", "Anton", "Bilal", "Clara", "Daniel", "Dilan", "Elena", "Emil", "Farid", "Greta", "Hana",
    "Henrik", "Ines", "Ivo", "Jonas", "Julia", "Kofi", "Lena", "Liam", "Mara", "Mehmet", "Mira", "Nadia", "Noah",
    "Olga", "Oskar", "Paula", "Pavel", "Rosa", "Samir", "Sofia", "Tariq", "Tove", "Uma", "Viktor", "Wei", "Yara",
    "Zoran",
];

pub(super) const LAST_NAMES: &[&str] = &[
    "Almeida",
    "Andersen",
    "Bauer",
    "Becker",
    "Costa",
    "Demir",
    "Dubois",
    "Fischer",
    "Garcia",
    "Hansen",
    "Horvat",
    "Ivanova",
    "Jansen",
    "Kaya",
    "Kowalski",
    "Larsen",
    "Lopez",
    "Meyer",
    "Moreau",
    "Nakamura",
    "Novak",
    "Okafor",
    "Olsen",
    "Papadopoulos",
    "Petrov",
    "Rossi",
    "Schmidt",
    "Silva",
    "Tanaka",
    "Virtanen",
    "Wagner",
    "Weber",
    "Yilmaz",
    "Zhang",
];

pub(super) const TEAMS: &[&str] = &[
    "Accounts",
    "Analytics",
    "Billing",
    "Catalogue",
    "Checkout",
    "Clinic",
    "Commerce",
    "Delivery",
    "Devices",
    "Documents",
    "Energy",
    "Fleet",
    "Identity",
    "Insurance",
    "Inventory",
    "Learning",
    "Logistics",
    "Maps",
    "Media",
    "Messaging",
    "Mobile",
    "Payments",
    "Planning",
    "Platform",
    "Quality",
    "Research",
    "Robotics",
    "Safety",
    "Search",
    "Storage",
    "Support",
    "Telemetry",
    "Tooling",
    "Transit",
    "Weather",
];

pub(super) const KINDS: &[&str] = &[
    "adapter",
    "agent",
    "archive",
    "backend",
    "bridge",
    "broker",
    "client",
    "collector",
    "console",
    "converter",
    "dashboard",
    "exporter",
    "firmware",
    "frontend",
    "gateway",
    "importer",
    "indexer",
    "library",
    "monitor",
    "parser",
    "pipeline",
    "planner",
    "proxy",
    "registry",
    "reports",
    "rules",
    "scheduler",
    "schema",
    "service",
    "simulator",
    "tests",
    "toolkit",
    "tracker",
    "worker",
];

pub(super) const TAGS: &[&str] = &[
    "backend",
    "deprecated",
    "docs",
    "experimental",
    "frontend",
    "infrastructure",
    "internal-tool",
    "library",
    "mobile",
    "production",
    "research",
    "template",
];

pub(super) const VERBS: &[&str] = &["Collects", "Cleans", "Publishes", "Checks", "Simulates", "Archives", "Routes"];

pub(super) const OBJECTS: &[&str] = &[
    "invoices",
    "sensor readings",
    "sign-ins",
    "shipments",
    "contracts",
    "map tiles",
    "test results",
    "messages",
    "appointments",
    "spare parts",
    "price lists",
    "alerts",
];

pub(super) const PURPOSES: &[&str] = &[
    "for the whole company",
    "for partners",
    "every night",
    "before the monthly report",
    "with as little memory as possible",
    "and keeps a trail of every change",
    "on small devices",
    "and replaces the old spreadsheet",
];

/// Names and colours, the same ones in every project, as in a company with rules for that.
pub(super) const LABELS: [(&str, &str); 12] = [
    ("accessibility", "#5CB85C"),
    ("backend", "#0033CC"),
    ("bug", "#D9534F"),
    ("documentation", "#44AD8E"),
    ("feature", "#428BCA"),
    ("frontend", "#A295D6"),
    ("maintenance", "#7F8C8D"),
    ("performance", "#F0AD4E"),
    ("regression", "#CC0033"),
    ("security", "#AD4363"),
    ("support", "#69D100"),
    ("to be discussed", "#34495E"),
];

/// The words that hold sentences together, the most frequent first.
pub(super) const FILLERS: &str = "\
    the to a is in and of when it for not with this on that be are after we should by from as but if can no was";

/// The words for the subjects of issues, roughly the most frequent first.
pub(super) const SUBJECTS: &str = "\
    error page user request file list server test button issue project update value change field token message login \
    search form data name link table report query result response account session code image timeout cache index \
    filter export import permission email header cookie password window screen version release upgrade database \
    column record row key constraint migration schema backup restore transaction lock worker queue job schedule \
    retry limit memory process thread connection socket port address proxy client browser mobile desktop tablet \
    download upload attachment document folder archive template theme colour layout margin border icon menu dialog \
    sidebar footer panel tooltip dropdown checkbox label input editor preview toolbar shortcut keyboard mouse cursor \
    scroll select delete create rename move copy paste sort group merge split compare validate render parse format \
    encode decode encrypt decrypt compress extract convert compile install configure deploy monitor measure trace \
    debug log warning notice exception failure crash freeze hang leak overflow deadlock regression duplicate \
    conflict mismatch missing broken wrong empty invalid unknown slow stale hidden visible disabled enabled optional \
    required default custom global local public private remote internal external temporary permanent partial \
    complete previous current next first second last single double large small long short early late daily weekly \
    monthly yearly morning evening midnight customer supplier partner employee manager administrator visitor member \
    owner author reviewer assignee reporter invoice payment order shipment delivery contract discount currency \
    amount total balance receipt refund voucher product article catalogue stock price tax country language \
    translation locale timezone calendar holiday date hour minute deadline reminder notification subscription \
    newsletter comment mention reaction discussion feedback survey dashboard chart graph legend axis metric counter \
    gauge histogram alert threshold sensor device firmware driver battery signal antenna camera printer scanner \
    display speaker microphone cable adapter network router gateway firewall domain certificate signature secret \
    vault policy role scope audit compliance consent privacy retention region cluster node container volume disk \
    partition snapshot replica shard leader follower election heartbeat latency throughput bandwidth buffer stream \
    packet payload protocol endpoint webhook callback event listener handler middleware plugin module package \
    library dependency registry manifest artifact pipeline stage runner branch commit tag repository checkout \
    submodule patch rollback milestone board iteration estimate priority severity category topic section chapter \
    paragraph sentence character string number integer decimal boolean array object property attribute parameter \
    argument function method class interface struct variant pattern match loop iterator recursion pointer reference \
    allocation garbage collector scheduler interrupt kernel emulator simulator fixture assertion coverage benchmark \
    profile hotspot bottleneck workaround investigation reproduction diagnosis symptom cause solution proposal \
    decision requirement specification acceptance scenario story persona journey prototype wireframe mockup \
    animation transition gesture orientation contrast accessibility readability typography ligature emoji avatar \
    banner thumbnail gallery carousel playlist episode subtitle bookmark favourite history draft revision approval \
    rejection escalation handover training guideline checklist tutorial glossary widget toggle spinner placeholder \
    breadcrumb pagination watermark barcode terminal keypad hinge bracket pallet warehouse courier itinerary ticket \
    passenger timetable depot vehicle odometer mileage turbine meter inverter thermostat valve";

/// The prefixes of rarer words, put before a subject.
pub(super) const PREFIXES: [&str; 8] = ["re", "un", "pre", "sub", "multi", "non", "auto", "over"];
