//! Every limit on the work of a caller that an administrator can change. docs/limits.md explains them. One declaration, here or in
//! `limits/accounts.rs`, gives each limit its type, its default and the name under which `tenon.toml` sets it
//! (`[limits.push] commands = 1000`).

mod accounts;
mod contents;
mod declare;
mod info;
mod preset;
mod setting;

pub use self::accounts::{AccountLimits, MailLimits, OAuthLimits, PeopleLimits, SessionLimits};
pub use self::contents::{ContentLimits, QuotaLimits};
use self::declare::{Group, groups, limits};
use self::setting::{GIB, KIB, MIB};
pub use self::{info::LimitError, info::LimitInfo, setting::Milliseconds};

limits! {
    rates: RateLimits,
    sessions: SessionLimits,
    connections: ConnectionLimits,
    ssh: SshLimits,
    pools: PoolLimits,
    transfers: TransferLimits,
    bodies: BodyLimits,
    answers: AnswerLimits,
    git: GitLimits,
    push: PushLimits,
    reads: ReadLimits,
    pages: PageLimits,
    texts: TextLimits,
    highlight: HighlightLimits,
    jobs: JobLimits,
    hooks: HookLimits,
    releases: ReleaseLimits,
    services: ServiceLimits,
    streams: StreamLimits,
    accounts: AccountLimits,
    people: PeopleLimits,
    contents: ContentLimits,
    mail: MailLimits,
    oauth: OAuthLimits,
    quotas: QuotaLimits,
}

groups! {
    /// Requests over time.
    RateLimits {
        /// Requests that callers without an account may send at once from one address (IPv6: one /64). 0 counts none.
        count anonymous_burst = 1_000;
        /// Requests a second that such an address may send after that.
        count anonymous_per_second = 50;
        /// Wrong passwords for one account name, before further attempts wait.
        count sign_in_burst_per_account = 10;
        /// Wrong passwords from one address, before further attempts wait.
        count sign_in_burst_per_address = 30;
        /// Time after which one more attempt is allowed, for an account name and for an address.
        seconds sign_in_pause = 10;
        /// Wrong codes that one account may enter, of its second factor or of devices, before further attempts wait.
        count code_burst_per_account = 10;
        /// Time after which one more code may be tried for that account.
        seconds code_pause = 60;
        /// Accounts for which users may sign up at once from one address (IPv6: one /64). Attempts with valid fields count.
        count sign_ups_per_address = 10;
        /// Time after which one more such attempt is allowed.
        seconds sign_up_pause = 360;
        /// Links to reset a password that may be asked for at once from one address (IPv6: one /64).
        count password_resets_per_address = 10;
        /// Links that may be asked for at once for one e-mail address, whether or not it is an account's.
        count password_resets_per_account = 5;
        /// Time after which one more link may be asked for, from an address and for an e-mail address.
        seconds password_reset_pause = 720;
        /// Invitations by mail that one user may send at once.
        count invitations_per_user = 50;
        /// Time after which that user may send one more.
        seconds invitation_pause = 72;
        /// Invitations that one e-mail address may be sent at once, by all users.
        count invitations_per_address = 5;
        /// Time after which that address may be sent one more.
        seconds invitation_address_pause = 21_600;
        /// Devices that may ask for codes at once from one address (IPv6: one /64).
        count devices_per_address = 60;
        /// Time after which one more device may do so.
        seconds device_pause = 5;
        /// Sign-ins with a passkey or at a provider that may begin at once from one address (IPv6: one /64).
        count challenges_per_address = 100;
        /// Time after which one more may begin there.
        seconds challenge_pause = 2;
    }

    /// Connections that clients hold open.
    ConnectionLimits {
        /// Connections of all clients at once; half of them before a user is proved on them.
        count all = 16_384;
        /// Connections without a user from one address (IPv6: one /64) at once, and of one user. Those of trusted proxies are not counted by address.
        count per_network = 2_048;
    }

    /// Git over SSH.
    SshLimits {
        /// Connections of all clients at once; half of them before a key is proved on them.
        count connections = 1_024;
        /// Connections without a proved key from one address (IPv6: one /64) at once, and of one user.
        count connections_per_network = 128;
        /// Time in which a client has to prove a key.
        seconds login = 30;
        /// Keys that a client may offer on one connection.
        count keys = 10;
        /// Commands at once on one connection.
        count commands = 10;
        /// Time for which a connection is kept on which no command runs.
        seconds idle = 60;
        /// Time that a client has to begin its next request of a fetch; by versions 0 and 1 of Git's protocol, to end the last.
        seconds before_request = 120;
        /// Time that a client has between the list of refs and what it pushes, in which it runs its own hooks.
        seconds before_push = 900;
    }

    /// Threads that do the work of requests, and the requests that wait for them.
    PoolLimits {
        /// Requests that wait in front of one pool.
        count waiting = 1_024;
        /// Requests of one client that wait in front of one pool.
        count waiting_per_client = 128;
        /// Short questions to Git at once.
        count git = 6;
        /// Long questions to Git at once: blame, statistics, comparisons, search, filtered lists, refs that have a commit.
        count git_long = 4;
        /// Passwords that are hashed at once.
        count passwords = 2;
        /// Texts at once of which is found what they name, before they are stored; half of them for one client.
        count texts = 2;
        /// Parts of pushes that are inflated and checked at once; half of them for one client.
        count inspectors = 2;
    }

    /// Fetches, pushes and other transfers of unknown length.
    TransferLimits {
        /// Fetches of signed-in callers at once, for each core.
        count fetches_per_core = 2;
        /// Fetches of anonymous callers at once, for each core.
        count anonymous_fetches_per_core = 2;
        /// Pushes at once, for each core.
        count pushes_per_core = 1;
        /// Archives and raw diffs of signed-in callers at once, for each core.
        count downloads_per_core = 2;
        /// Archives and raw diffs of anonymous callers at once, for each core.
        count anonymous_downloads_per_core = 2;
        /// LFS objects that are received at once; an eighth of them for one user.
        count lfs_uploads = 32;
        /// LFS objects that are sent to signed-in callers at once, and as many to anonymous callers; half of them for one client.
        count lfs_downloads = 32;
        /// Time that a caller waits for a permit.
        seconds patience = 20;
        /// Time that a client is waited for until it has sent or taken `transfers.least_per_window` more, in both directions.
        seconds rate_window = 30;
        /// Bytes for which the client is waited for that long.
        bytes least_per_window = 30 * KIB;
        /// Time that a push may pause in all for what it has sent beyond the least rate: Git compresses large objects.
        seconds push_pause = 300;
        /// Time that one transfer may take in all.
        seconds whole = 3_600;
        /// Bytes of one request to fetch, which is received before it takes a permit.
        bytes fetch_request = 10 * MIB;
        /// Bytes that each byte of a request in gzip may decode to, beyond as many as a request to fetch may have.
        count gzip_ratio = 20;
        /// Bytes on disk of all pushes that are being received; three times the largest push at least.
        bytes spool = 6 * GIB;
        /// Bytes on disk of all requests to fetch of anonymous callers that are being received.
        bytes anonymous_spool = 256 * MIB;
    }

    /// Bodies of requests that are received.
    BodyLimits {
        /// Bytes of a body from a caller that has not proved a credential.
        bytes anonymous = 64 * KIB;
        /// Bytes of a body of an ordinary request.
        bytes ordinary = MIB;
        /// Bytes of all bodies that are being received and no larger than an anonymous one; a quarter for one client.
        bytes small_in_flight = 64 * MIB;
        /// Bytes of all larger bodies that are being received.
        bytes in_flight = 256 * MIB;
        /// Bytes of all larger bodies of one client that are being received.
        bytes in_flight_per_client = 128 * MIB;
        /// Uploads at once; half of them for one user.
        count uploads = 8;
    }

    /// Bodies of answers that are sent.
    AnswerLimits {
        /// Bytes of all answers that are held in memory.
        bytes in_flight = 256 * MIB;
        /// Bytes of all answers to one client that are held in memory.
        bytes in_flight_per_client = 64 * MIB;
        /// Attachments and pictures that are read at once.
        count file_reads = 8;
        /// Bytes of a large answer that the client has to read each second, after the first minute.
        bytes least_per_second = 64 * KIB;
        /// Bytes of a file that is answered as JSON.
        bytes json_file = 10 * MIB;
    }

    /// Processes of Git.
    GitLimits {
        /// Memory of one process that reads.
        bytes memory = 512 * MIB;
        /// Memory of one process that serves a fetch or receives a push or an import.
        bytes transfer_memory = GIB;
        /// Memory of one process that packs a repository.
        bytes maintenance_memory = 2 * GIB;
        /// Processor time of one process that reads.
        seconds cpu = 60;
        /// Processor time of one process of a fetch, a push or an import.
        seconds transfer_cpu = 1_800;
        /// Processor time of one process that packs a repository.
        seconds maintenance_cpu = 3_600;
        /// Time that one process may work whose task has no time of its own, its waiting included.
        seconds wall = 30;
        /// Processes that have answered questions about objects and wait for more, of all repositories. 0 keeps none.
        count kept = 8;
        /// Processes of one repository that wait for more questions.
        count kept_per_repository = 4;
        /// Time that a process waits for the next question before it ends.
        seconds kept_idle = 60;
        /// Time that a process works for those who borrow it before it ends; a quarter of `git.cpu` at most.
        seconds kept_work = 15;
        /// Bytes that a process answers before it ends.
        bytes kept_bytes = 256 * MIB;
    }

    /// The limits of one push.
    PushLimits {
        /// Bytes of the list of refs and push options.
        bytes commands_size = 8 * MIB;
        /// Refs that one push moves.
        count commands = 50_000;
        /// Options that one push carries.
        count options = 100;
        /// Objects of one pack.
        count objects = 10_000_000;
        /// Bytes of one pack, as sent.
        bytes pack = 2 * GIB;
        /// Bytes of all objects of one pack, unpacked.
        bytes unpacked = 16 * GIB;
        /// Bytes that each byte of a pack may unpack to, beyond the first 64 MiB.
        count unpack_ratio = 250;
        /// Bytes of one commit or tag.
        bytes commit = MIB;
        /// Bytes of one directory.
        bytes tree = 8 * MIB;
        /// Bytes of one file.
        bytes blob = 512 * MIB;
        /// Files that one commit changes against its first parent.
        count files_per_commit = 100_000;
        /// Files that all commits of a push or an import change against their first parents, each counted as often as it is changed.
        count files = 20_000_000;
        /// Time that one process may work which checks a push or an import, its waiting included, and that its directories are
        /// compared.
        seconds judge_time = 300;
    }

    /// The limits of one read of a repository.
    ReadLimits {
        /// Bytes of answers of Git that are remembered, for all repositories together. 0 remembers none.
        bytes remembered = 64 * MIB;
        /// Commits of a history that the server follows itself, in the graph of commits; of a longer one, Git is asked.
        count walked_commits = 100_000;
        /// Time that a list of commits waits for its total. It is counted on, and remembered for the next answer.
        milliseconds count_patience = 300;
        /// Lines of a file that are blamed at once; more are asked for by ranges.
        count blame_lines = 10_000;
        /// Entries of a directory that is listed with everything below it.
        count tree_entries = 200_000;
        /// Files of a commit that are counted for its statistics.
        count stats_files = 1_000;
        /// Files of all commits of a page that are counted for their statistics.
        count stats_files_per_page = 10_000;
        /// Bytes of a patch of which the id is computed.
        bytes patch_id = 8 * MIB;
        /// Bytes of a commit's message that are answered.
        bytes message = 64 * KIB;
        /// Bytes of a label's description that are answered as HTML.
        bytes label_html = 4 * KIB;
        /// Bytes of descriptions that a page of releases answers as HTML.
        bytes release_html = MIB;
        /// Bytes of a regular expression that names are matched with.
        bytes pattern = 256;
        /// Memory of such an expression when it is compiled.
        bytes compiled_pattern = MIB;
    }

    /// Pages for people.
    PageLimits {
        /// Bytes of a file whose text a page shows.
        bytes text = 512 * KIB;
        /// Lines of a file that a page shows.
        count lines = 10_000;
        /// Lines of all differences that a page shows.
        count diff_lines = 5_000;
        /// Time in which the page of a directory looks for the last commits of its entries.
        milliseconds last_commits = 150;
        /// Blocks of code in texts that have colours on one page.
        count fences = 100;
        /// Bytes of all these blocks together.
        bytes fence_bytes = 128 * KIB;
        /// Time in which a page compares the words of lines; a fifth of it for one file.
        milliseconds words = 100;
    }

    /// The processor time that texts of users may take. A text that takes longer is shown as it was written, and a note
    /// says so.
    TextLimits {
        /// For formatting one text; and for finding what it names, before it is stored: after that it names nothing.
        milliseconds one = 1_000;
        /// For all texts of one page or answer of the API; and for what all texts of one request name.
        milliseconds page = 2_500;
        /// For all texts that one client reads, at once. Anonymous callers from one address (IPv6: one /64) are one client.
        milliseconds client = 20_000;
        /// Time that the client gets back of that each second.
        milliseconds client_refill = 250;
    }

    /// The process that finds the colours of code.
    HighlightLimits {
        /// Time that the highlighter may work on one file before it is killed.
        seconds file = 2;
        /// Time that a page waits for the colours of a file, or of blocks of code, of at most `awaited` bytes; 60 ms for others.
        milliseconds first = 2_000;
        /// Bytes of a file, or of blocks of code, for whose colours a page waits longer.
        bytes awaited = 128 * KIB;
        /// Time that the highlighter waits for the next file before it ends.
        seconds idle = 300;
        /// Memory of the highlighter. With more than a quarter of that, a new process gets the next file.
        bytes memory = 512 * MIB;
        /// Processor time of the highlighter. After a quarter of that, a new process gets the next file.
        seconds cpu = 60;
        /// Bytes of colours that are remembered, for all repositories together. 0 remembers none.
        bytes remembered = 32 * MIB;
        /// Files that wait for their colours; a quarter of them of one client.
        count waiting = 512;
        /// Bytes of all files that wait. One client has at most as much of that as it leaves free.
        bytes waiting_bytes = 16 * MIB;
        /// Times the highlighter may end within ten minutes: half by one client (all anonymous are one), a quarter by one repository.
        count failures = 20;
    }

    /// Jobs.
    JobLimits {
        /// Runners of short jobs: those that only change rows or files.
        count short_runners = 2;
        /// Runners of jobs that start processes of Git, such as those that follow a push.
        count git_runners = 2;
        /// Runners of forks.
        count fork_runners = 1;
        /// Runners of imports.
        count import_runners = 2;
        /// Runners of maintenance.
        count maintenance_runners = 1;
        /// Runners of mail: as many mails are sent at once.
        count mail_runners = 2;
        /// Imports of one user at once.
        count imports_per_user = 1;
        /// Hooks that are called at once.
        count hook_runners = 32;
        /// Hooks of the projects of one user that are called at once.
        count hooks_per_user = 8;
        /// Time to list the refs of a repository that is imported.
        seconds import_list = 60;
        /// Time to fetch a repository that is imported.
        seconds import_fetch = 3_600;
        /// Bytes a second that the server of an import has to send, within twice `transfers.rate_window`.
        bytes import_bytes_per_second = 10 * KIB;
    }

    /// Calls of hooks.
    HookLimits {
        /// Hooks of one project, and of the whole server.
        count per_project = 100;
        /// Time for one call, with all its redirects.
        seconds call = 10;
        /// Bytes of a response that are read and kept.
        bytes response = 8 * KIB;
        /// Bytes of what one call sends. A larger event is not sent.
        bytes body = 25 * MIB;
        /// Events of one project that wait until their bodies are made. Further ones are dropped, and the log says so.
        count kept_events = 10_000;
        /// Bytes of events of one project, and of the whole server. The oldest delivered or parked ones go; else new ones are dropped.
        bytes kept_bytes = GIB;
        /// Days after which events and their deliveries are removed.
        count kept_days = 7;
        /// Hooks that are tested, or events that are sent again, at the request of users at once.
        count tests_at_once = 8;
    }

    /// The limits of one release.
    ReleaseLimits {
        /// Links of one release.
        count links = 100;
        /// Milestones of one release.
        count milestones = 100;
    }

    /// Services (integrations) of projects.
    ServiceLimits {
        /// Bytes of a setting of one line, and of a URL.
        bytes line = 2 * KIB;
        /// Bytes of a longer setting.
        bytes text = 16 * KIB;
        /// Recipients of one service.
        count recipients = 100;
        /// Mails that one service sends within a day.
        count mails = 5_000;
        /// Mails of all services that one user causes within a day.
        count mails_per_user = 2_000;
        /// Characters of what a user has written that a message to a chat repeats.
        count chat_text = 3_000;
        /// Bytes of the difference that a mail about a push shows.
        bytes mail_diff = 256 * KIB;
    }

    /// Streams of events.
    StreamLimits {
        /// Streams of all callers at once.
        count all = 4_096;
        /// Streams of one user.
        count per_user = 20;
        /// Streams from one address (IPv6: one /64).
        count per_network = 1_024;
        /// Projects that one stream names.
        count projects = 100;
        /// Events that one step of a stream reads for its client.
        count step = 20;
        /// Time for which a client may leave what was sent to it.
        seconds patience = 60;
        /// Time after which a stream ends, and the client connects again.
        seconds whole = 3_600;
    }
}

#[cfg(test)]
mod tests;
