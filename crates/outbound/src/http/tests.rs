//! Which addresses are called, and how receivers end that do not answer.

use super::*;

#[tokio::test]
async fn a_name_of_a_local_address_is_not_called() {
    let found = |local_allowed| {
        let name = "localhost".parse();
        let own = Arc::default();
        async move { Checked { local_allowed, own }.resolve(name.ok()?).await.ok().map(Iterator::count) }
    };
    assert_eq!(found(false).await, None);
    assert!(found(true).await.is_some_and(|count| count > 0));
}

fn client() -> Client {
    let own = OwnAddresses::new("https://git.example.org", &["9.9.9.9".parse().unwrap()]);
    Client::new(Bounds { time: Duration::from_secs(1), response: 100 }, own).unwrap()
}

#[test]
fn a_redirect_to_a_local_address_or_to_the_server_itself_is_not_followed() {
    let from = Url::parse("https://hooks.example.com/in").unwrap();
    let next = |location: &'static str| {
        let headers = HeaderMap::from_iter([(LOCATION, HeaderValue::from_static(location))]);
        redirect_of(307, &headers, &from).unwrap()
    };
    for location in [
        "http://127.0.0.1/",
        "//169.254.169.254/latest",
        "https://git.example.org/",
        "http://9.9.9.9:9000/",
        "file:///etc/passwd",
    ] {
        let url = next(location);
        assert!(matches!(client().check(&url, false), Err(SendError::Blocked { .. })), "{location}");
    }
    assert!(client().check(&next("/else"), false).is_ok());
    assert!(client().check(&next("http://127.0.0.1/"), true).is_ok());
}

/// Answers one request with a redirect to `location`, or with 200 if there is none. Yields the port.
async fn answering(location: Option<String>) -> u16 {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut next = location;
        loop {
            let (mut connection, _) = listener.accept().await.unwrap();
            let _read = connection.read(&mut [0; 4096]).await.unwrap();
            let head = match next.take() {
                Some(location) => format!("307 x\r\nlocation: {location}"),
                None => "200 x".to_owned(),
            };
            let answer = format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            connection.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    port
}

#[tokio::test]
async fn a_trusted_receiver_may_be_local_but_may_not_redirect_into_the_local_network() {
    let inner = answering(None).await;
    for (location, want) in [
        (None, Some(200)),
        (Some("/else".to_owned()), Some(200)),
        (Some(format!("http://127.0.0.1:{inner}/")), None),
        (Some("http://169.254.169.254/latest".to_owned()), None),
    ] {
        let port = answering(location.clone()).await;
        let request = Post {
            url: format!("http://127.0.0.1:{port}/"),
            headers: Vec::new(),
            body: String::new(),
            local_allowed: false,
            verify: true,
        };
        let answer = client().post_to_trusted(&request).await;
        assert_eq!(answer.as_ref().ok().map(|answer| answer.status), want, "{location:?}: {answer:?}");
        if want.is_none() {
            assert!(matches!(answer, Err(SendError::Blocked { .. })), "{location:?}");
        }
        assert!(matches!(client().post(&request).await, Err(SendError::Blocked { .. })));
    }
}

#[tokio::test]
async fn a_name_of_the_servers_own_address_is_not_called() {
    let post = Post {
        url: "https://git.example.org/".to_owned(),
        headers: Vec::new(),
        body: String::new(),
        local_allowed: false,
        verify: true,
    };
    assert!(matches!(client().post(&post).await, Err(SendError::Blocked { .. })));
}

#[test]
fn a_name_that_also_stands_for_a_local_address_is_not_called() {
    let checked = Checked { local_allowed: false, own: Arc::new(OwnAddresses::new("", &["9.9.9.9".parse().unwrap()])) };
    let found = |addresses: &[&str]| {
        let addresses = addresses.iter().map(|address| SocketAddr::new(address.parse().unwrap(), 0)).collect();
        checked.permitted(addresses).ok().map(Iterator::count)
    };
    assert_eq!(found(&["8.8.8.8", "2606:4700::1111"]), Some(2));
    // A name that stood for a public address a moment ago is checked anew for each connection.
    for lie in ["127.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "9.9.9.9"] {
        assert_eq!((found(&[lie]), found(&["8.8.8.8", lie])), (None, None), "{lie}");
    }
}

/// A receiver that takes a request and does this with it. Yields its address.
async fn receiving(answer: &'static [u8], again: bool) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let _read = connection.read(&mut [0; 4096]).await.unwrap();
        while connection.write_all(answer).await.is_ok() && again {
            tokio::task::yield_now().await;
        }
        // The connection stays open.
        std::future::pending::<()>().await;
    });
    url
}

fn to_local(url: &str) -> Post {
    Post {
        url: url.to_owned(),
        headers: Vec::new(),
        body: "{}".to_owned(),
        local_allowed: true,
        verify: true,
    }
}

#[tokio::test]
async fn a_receiver_that_hangs_is_left_after_the_time_of_one_call() {
    for answer in [&b""[..], b"HTTP/1.1 200 OK\r\n"] {
        let begun = std::time::Instant::now();
        let called = client().post(&to_local(&receiving(answer, false).await)).await;
        assert!(matches!(called, Err(SendError::Timeout(_))), "{called:?}");
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}

#[tokio::test]
async fn who_has_sent_a_status_has_answered() {
    let unfinished = receiving(b"HTTP/1.1 500 x\r\ncontent-length: 50\r\n\r\nbegun", false).await;
    let answer = client().post(&to_local(&unfinished)).await.unwrap();
    assert_eq!((answer.status, answer.body.as_str()), (500, "begun"));
    let broken = receiving(b"HTTP/1.1 204 x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nno chunk", false).await;
    assert_eq!(client().post(&to_local(&broken)).await.unwrap().status, 204);
}

#[tokio::test]
async fn of_an_answer_without_an_end_only_the_beginning_is_read() {
    let endless = receiving(b"HTTP/1.1 200 OK\r\n\r\nmore and more and more", true).await;
    let answer = client().post(&to_local(&endless)).await.unwrap();
    assert_eq!((answer.status, answer.body.len()), (200, 100));
}

#[tokio::test]
async fn headers_without_an_end_are_no_answer() {
    let endless = receiving(b"HTTP/1.1 200 OK\r\nx-a: b\r\n", true).await;
    let called = client().post(&to_local(&endless)).await;
    assert!(matches!(called, Err(SendError::Failed(_) | SendError::Timeout(_))), "{called:?}");
}
