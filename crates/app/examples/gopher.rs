//! A second front end beside the REST API: Gopher (RFC 1436) over public projects, with nothing but `tenon-app`.
//!
//! `cargo run --package tenon-app --example gopher -- 127.0.0.1:7070`, then `curl gopher://127.0.0.1:7070`. It serves a
//! project of its own, in a temporary folder.

#![expect(clippy::print_stdout, reason = "its output is for the terminal")]

use std::error::Error;
use std::fmt::Write as _;
use std::net::{IpAddr, SocketAddr};

use tenon_app::error::AppError;
use tenon_app::identity::Identity;
use tenon_app::project::{self, CreateProject, ListProjects, ProjectSettings};
use tenon_app::repository::{self, Content, FileAction, FileActionKind, ListTree, NewCommit};
use tenon_app::{App, KEY_LENGTH, Parts, Reference, RootCredentials, first_start};
use tenon_domain::id::UserId;
use tenon_domain::visibility::Visibility;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The longest request that is read.
const MAX_SELECTOR: u64 = 4096;

/// The largest file that is shown.
const MAX_FILE: u64 = 1 << 20;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let app = App::new(Parts::in_folder(folder.path(), "https://git.example.org", &[7; KEY_LENGTH])?)?;
    first_start(&app, RootCredentials::default())?;
    fill(&app).await?;

    let listener = TcpListener::bind(std::env::args().nth(1).as_deref().unwrap_or("127.0.0.1:7070")).await?;
    let server = listener.local_addr()?;
    println!("gopher://{server}");
    loop {
        let (stream, client) = listener.accept().await?;
        // A client that breaks off costs its own answer only.
        let app = app.clone();
        drop(tokio::spawn(async move { serve(&app, stream, client.ip(), server).await }));
    }
}

/// Makes a public project with two files.
async fn fill(app: &App) -> Result<(), AppError> {
    let root = Identity::user(UserId::new(1));
    let request = CreateProject {
        name: Some("Engine".to_owned()),
        settings: ProjectSettings { visibility: Some(Visibility::Public), ..ProjectSettings::default() },
        ..CreateProject::default()
    };
    let made = app.write(&root, |command| project::create(command, request)).await?;
    let file = |path: &str, content: &str| FileAction {
        kind: FileActionKind::Create,
        path: path.to_owned(),
        previous_path: None,
        content: Some(content.into()),
        last_commit_id: None,
        executable: None,
    };
    let commit = NewCommit {
        branch: "main".to_owned(),
        message: "Describe the engine".to_owned(),
        actions: vec![file("README", "It computes.\n"), file("parts/crank", "Turn it.\n")],
        ..NewCommit::default()
    };
    repository::create_commit(app, &root, Reference::Path(made.brief.full_path), commit, false).await?;
    Ok(())
}

/// Answers one request: a line, to which the answer is a menu or a file.
async fn serve(app: &App, mut stream: TcpStream, client: IpAddr, server: SocketAddr) -> std::io::Result<()> {
    let mut line = String::new();
    BufReader::new((&mut stream).take(MAX_SELECTOR)).read_line(&mut line).await?;
    // The spending for this client is counted against its network, as over HTTP.
    let app = app.used_by(app.client_of(None, Some(client)));
    let answer = match answer(&app, line.trim_end(), server).await {
        Ok(answer) => answer,
        Err(error) => format!("3{error}\t\t{}\t{}\r\n.\r\n", server.ip(), server.port()).into_bytes(),
    };
    stream.write_all(&answer).await?;
    stream.shutdown().await
}

/// A selector is empty, or `dir:<project>:<path>`, or `file:<project>:<path>`.
async fn answer(app: &App, selector: &str, server: SocketAddr) -> Result<Vec<u8>, AppError> {
    let reader = Identity::anonymous();
    let mut menu = String::new();
    let mut entry = |kind: char, name: &str, selector: &str| {
        // Writing into a string does not fail.
        _ = write!(menu, "{kind}{name}\t{selector}\t{}\t{}\r\n", server.ip(), server.port());
    };
    let mut parts = selector.splitn(3, ':');
    match (parts.next(), parts.next(), parts.next()) {
        (Some("dir"), Some(path), Some(below)) => {
            let request = ListTree { path: Some(below.to_owned()), ..ListTree::default() };
            let tree = repository::tree(app, &reader, Reference::Path(path.to_owned()), request).await?;
            for found in tree.items {
                match found.kind {
                    "tree" => entry('1', &found.name.to_string(), &format!("dir:{path}:{}", found.path)),
                    "blob" => entry('0', &found.name.to_string(), &format!("file:{path}:{}", found.path)),
                    _ => {}
                }
            }
        }
        (Some("file"), Some(path), Some(below)) => {
            let (project, head) = (Reference::Path(path.to_owned()), "HEAD".to_owned());
            let file = repository::file(app, &reader, project, below.to_owned(), head, MAX_FILE).await?;
            return Ok(match file.content {
                Content::Whole(bytes) => bytes,
                Content::Large(_) => b"The file is too large.\n".to_vec(),
            });
        }
        _ => {
            let request = ListProjects { simple: true, ..ListProjects::default() };
            for found in app.read(&reader, |query| project::list(query, request)).await?.items {
                entry('1', &found.brief.full_name, &format!("dir:{}:", found.brief.full_path));
            }
        }
    }
    menu.push_str(".\r\n");
    Ok(menu.into_bytes())
}
