//! A store at an address, over http(s) or S3: a key is the path of an object.
//!
//! *Requests*: an object is asked for once, whole or not; parts of it (the chunks of a shard) by ranges. A failure of the server is asked
//! again four times within a minute, and a run that is to stop ends within a tenth of a second.
//! *S3*: the variables `AWS_…` say the endpoint, the region and the key; without a key requests are not signed, as public buckets allow.
//! *Several at a time*: [`ahead`] asks for the chunks of a box eight at once, an object's parts together; [`upload`] sends eight at once.

mod ahead;
mod connector;
mod object;
mod parts;
mod upload;

use super::Value;
use crate::address::StoreAddress;
use crate::error::{IoError, Result};
use crate::film::shown_source;
use crate::read::context::Context;
use ahead::Ahead;
use connector::Connector;
use object::Object;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::http::HttpBuilder;
use object_store::path::Path as Key;
use object_store::{BackoffConfig, Error, ObjectStore, ObjectStoreExt, RetryConfig};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tokio::time::timeout;
use veloxel_core::Control;

pub(crate) use parts::PartObjects;
pub(crate) use upload::{Upload, check_address, check_address_writable};

/// Requests that wait for their answers at once.
pub(super) const AT_ONCE: usize = 8;

/// How often a failure of the server is asked again, and for how long.
const RETRIES: usize = 4;
const RETRY_FOR: Duration = Duration::from_secs(60);
/// How long requests that are under way may take to end once one has failed, so that nothing comes after what was sent is removed.
const SETTLE: Duration = Duration::from_secs(1);
/// Between two questions whether to go on.
const ASK_EVERY: Duration = Duration::from_millis(100);
/// Variables of which one is set where requests are to be signed, or not, by choice.
const SIGNING: [&str; 5] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SKIP_SIGNATURE",
];

/// The objects of a store at an address.
#[derive(Debug)]
pub(crate) struct Remote {
    objects: Arc<dyn ObjectStore>,
    /// What the keys of the store begin with.
    prefix: String,
    runtime: Runtime,
    control: Control,
    address: PathBuf,
    ahead: Ahead,
}

impl Remote {
    /// A store at an address; nothing is asked yet. The control says while it waits for answers whether to go on.
    ///
    /// # Errors
    /// [`IoError::Unsupported`] for an address with a password; [`IoError::Open`].
    pub fn open(address: &StoreAddress, control: &Control) -> Result<Self> {
        let root = &address.root;
        let path = Path::new(root);
        let (scheme, rest) = root.split_once("://").unwrap_or_default();
        let (host, key) = rest.split_once('/').unwrap_or_default();
        if host.contains('@') {
            let hint =
                "leave them out: for S3 the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY hold them";
            return Err(IoError::unsupported(
                &shown_source(path),
                "an address with a name and a password",
                hint,
            ));
        }
        let fail = |error: Error| IoError::open(path)(std::io::Error::other(error));
        let runtime = Builder::new_current_thread().enable_all().build().map_err(IoError::open(path))?;
        let connector = Connector::new().map_err(IoError::open(path))?;
        let is_s3 = scheme.eq_ignore_ascii_case("s3");
        let objects: Arc<dyn ObjectStore> = if is_s3 {
            let is_said = SIGNING.iter().any(|name| std::env::var_os(name).is_some());
            let mut builder = AmazonS3Builder::from_env().with_bucket_name(host).with_retry(retries());
            if !is_said {
                builder = builder.with_skip_signature(true);
            }
            if builder.get_config_value(&AmazonS3ConfigKey::Region).is_none() {
                builder = builder.with_region("us-east-1");
            }
            Arc::new(builder.with_http_connector(connector).build().map_err(fail)?)
        } else {
            let builder = HttpBuilder::new().with_url(root).with_retry(retries());
            Arc::new(builder.with_http_connector(connector).build().map_err(fail)?)
        };
        let prefix = if is_s3 { key.to_owned() } else { String::new() };
        let (control, address, ahead) = (control.clone(), path.to_owned(), Ahead::default());
        Ok(Self { objects, prefix, runtime, control, address, ahead })
    }

    /// The value of a key; none if there is no such object.
    ///
    /// # Errors
    /// [`IoError::Open`] with what the server says; [`IoError::Stopped`].
    pub fn value(&self, key: &str, context: &Context) -> Result<Option<Value<'_>>> {
        if let Some(found) = self.ahead.take(key) {
            return Ok(found.map(|bytes| Value::new(std::io::Cursor::new(bytes.clone()), bytes.len() as u64)));
        }
        let path = self.key(key);
        match self.wait(self.objects.get(&path)) {
            Ok(found) => {
                let length = found.meta.size;
                Ok(Some(Value::new(Object::new(self, path, found), length)))
            }
            Err(Failure::Server(Error::NotFound { .. })) => Ok(None),
            Err(failure) => {
                context.check()?;
                Err(IoError::open(&self.address.join(key))(failure.into()))
            }
        }
    }

    /// The names of what lies directly below a node, in order, where the server lists them.
    pub fn names_below(&self, node: &str) -> Vec<String> {
        if self.prefix.is_empty() {
            return Vec::new();
        }
        let path = self.key(node);
        let Ok(found) = self.wait(self.objects.list_with_delimiter(Some(&path))) else { return Vec::new() };
        let names = found.common_prefixes.iter().filter_map(|own| own.filename().map(str::to_owned));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// The key of an object by its key in the store.
    fn key(&self, key: &str) -> Key {
        Key::from(super::joined(&self.prefix, key))
    }

    /// Waits for an answer as long as the run goes on.
    fn wait<T>(&self, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Failure> {
        self.until(answer)?.map_err(Failure::Server)
    }

    fn until<T>(&self, answer: impl Future<Output = T>) -> Result<T, Failure> {
        let mut answer = Box::pin(answer);
        loop {
            let waited = self.runtime.block_on(async { timeout(ASK_EVERY, &mut answer).await });
            match waited {
                Ok(found) => return Ok(found),
                Err(_) => self.control.check().map_err(|_| Failure::Stopped)?,
            }
        }
    }

    /// Sends requests, [`AT_ONCE`] of which wait for their answers at once, and hands each answer out as it comes. After the first failure
    /// no more are sent, and those that are under way have [`SETTLE`] to end.
    fn each<T: Send + 'static, R>(
        &self,
        requests: impl Iterator<Item = R>,
        answered: impl FnMut(T),
    ) -> Result<(), Failure>
    where
        R: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let mut running = JoinSet::new();
        let done = self.send_each(&mut running, requests, answered);
        if done.is_err() {
            let settled = async { while running.join_next().await.is_some() {} };
            let _ = self.runtime.block_on(async { timeout(SETTLE, settled).await });
        }
        done
    }

    fn send_each<T: Send + 'static, R>(
        &self,
        running: &mut JoinSet<Result<T, Error>>,
        mut requests: impl Iterator<Item = R>,
        mut answered: impl FnMut(T),
    ) -> Result<(), Failure>
    where
        R: Future<Output = Result<T, Error>> + Send + 'static,
    {
        loop {
            while running.len() < AT_ONCE
                && let Some(request) = requests.next()
            {
                running.spawn_on(request, self.runtime.handle());
            }
            let Some(answer) = self.until(running.join_next())? else { return Ok(()) };
            let answer = answer.map_err(|error| Error::Generic { store: "", source: error.into() });
            answered(answer.and_then(|answer| answer).map_err(Failure::Server)?);
        }
    }
}

/// Why there is no answer.
#[derive(Debug)]
enum Failure {
    Server(Error),
    /// The run is to stop.
    Stopped,
}

impl Failure {
    /// The failure where a part of an object was asked for.
    fn of_part(self) -> std::io::Error {
        match self {
            Self::Server(error) => {
                let said = one_line(&error);
                let text = format!(
                    "{said} (a part of a shard was asked for, and some servers send whole files alone)"
                );
                std::io::Error::other(text)
            }
            Self::Stopped => self.into(),
        }
    }
}

impl From<Failure> for std::io::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Server(error) => Self::other(one_line(&error)),
            Failure::Stopped => Self::from(std::io::ErrorKind::Interrupted),
        }
    }
}

/// What a server says, which may be a page.
fn one_line(error: &Error) -> String {
    let text = error.to_string();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

fn retries() -> RetryConfig {
    RetryConfig { backoff: BackoffConfig::default(), max_retries: RETRIES, retry_timeout: RETRY_FOR }
}
