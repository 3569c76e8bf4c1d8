//! Questions to a server that an administrator has named, whose answers the program itself reads.

use reqwest::Method;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use url::Url;

use super::{Answer, BODY_TIME, Client, SendError, failure, host};

/// A question.
#[derive(Debug, Clone)]
pub struct Fetch<'a> {
    /// The address.
    pub url: &'a str,
    /// An address that the administrator has named. Only its host may be in the server's own network.
    pub named: &'a str,
    /// The fields of a form, if it is sent.
    pub form: Option<String>,
    /// The header `Authorization`.
    pub authorization: Option<String>,
    /// The most bytes of an answer.
    pub most: usize,
}

impl Client {
    /// Asks, and reads the whole answer. Redirects are not followed: the answer is then that of the redirect.
    ///
    /// # Errors
    /// If no whole answer comes within the time of a call, or if it is too long.
    pub async fn fetch(&self, asked: &Fetch<'_>) -> Result<Answer, SendError> {
        let bound = self.bounds.time + BODY_TIME;
        tokio::time::timeout(bound, self.ask(asked)).await.unwrap_or(Err(SendError::Timeout(bound)))
    }

    async fn ask(&self, asked: &Fetch<'_>) -> Result<Answer, SendError> {
        let parsed = |text: &str| Url::parse(text).map_err(|_invalid| SendError::Invalid("its address is not a URL"));
        let (url, named) = (parsed(asked.url)?, parsed(asked.named)?);
        let local_allowed = host(&url) == host(&named);
        self.check(&url, local_allowed)?;
        let [public, local] = &self.clients;
        let [_, client] = if local_allowed { local } else { public };
        let method = if asked.form.is_some() { Method::POST } else { Method::GET };
        let mut building = client.request(method, url.clone()).header(ACCEPT, "application/json");
        if let Some(authorization) = &asked.authorization {
            let mut value = HeaderValue::from_str(authorization)
                .map_err(|_invalid| SendError::Invalid("a header holds a line break"))?;
            value.set_sensitive(true);
            building = building.header(AUTHORIZATION, value);
        }
        if let Some(form) = &asked.form {
            building = building.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form.clone());
        }
        let mut answer = building.send().await.map_err(|error| failure(&error, &url))?;
        let status = answer.status().as_u16();
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| failure(&error, &url))? {
            if body.len() + chunk.len() > asked.most {
                return Err(SendError::Failed("the answer is too long".to_owned()));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Answer { status, headers: Vec::new(), body: String::from_utf8_lossy(&body).into_owned() })
    }
}
