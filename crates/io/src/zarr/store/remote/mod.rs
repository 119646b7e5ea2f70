//! A store at an address, over http(s) or S3: a key is the path of an object.
//!
//! *Requests*: an object is asked for once, whole or not; parts of it (the chunks of a shard) by ranges. A failure of the server is asked
//! again four times within a minute, and a run that is to stop ends within a tenth of a second.
//! *S3*: the variables `AWS_…` say the endpoint, the region and the key; without a key requests are not signed, as public buckets allow.
//! *Limits*: read only; chunks come one after the other.

mod connector;

use super::{ReadAt, Value};
use crate::address::StoreAddress;
use crate::error::{IoError, Result};
use crate::film::shown_source;
use crate::read::context::Context;
use connector::Connector;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::http::HttpBuilder;
use object_store::path::Path as Key;
use object_store::{BackoffConfig, Error, GetResult, ObjectStore, ObjectStoreExt, RetryConfig};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use veloxel_core::Control;

/// How often a failure of the server is asked again, and for how long.
const RETRIES: usize = 4;
const RETRY_FOR: Duration = Duration::from_secs(60);
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
pub(crate) struct Remote {
    objects: Box<dyn ObjectStore>,
    /// What the keys of the store begin with.
    prefix: String,
    runtime: Runtime,
    control: Control,
    address: PathBuf,
}

impl Remote {
    /// A store at an address; nothing is asked yet.
    ///
    /// # Errors
    /// [`IoError::Unsupported`] for an address with a password; [`IoError::Open`].
    pub fn open(address: &StoreAddress, context: &Context) -> Result<Self> {
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
        let objects: Box<dyn ObjectStore> = if is_s3 {
            let is_said = SIGNING.iter().any(|name| std::env::var_os(name).is_some());
            let mut builder = AmazonS3Builder::from_env().with_bucket_name(host).with_retry(retries());
            if !is_said {
                builder = builder.with_skip_signature(true);
            }
            if builder.get_config_value(&AmazonS3ConfigKey::Region).is_none() {
                builder = builder.with_region("us-east-1");
            }
            Box::new(builder.with_http_connector(connector).build().map_err(fail)?)
        } else {
            let builder = HttpBuilder::new().with_url(root).with_retry(retries());
            Box::new(builder.with_http_connector(connector).build().map_err(fail)?)
        };
        let prefix = if is_s3 { key.to_owned() } else { String::new() };
        Ok(Self { objects, prefix, runtime, control: context.control().clone(), address: path.to_owned() })
    }

    /// The value of a key; none if there is no such object.
    ///
    /// # Errors
    /// [`IoError::Open`] with what the server says; [`IoError::Stopped`].
    pub fn value(&self, key: &str, context: &Context) -> Result<Option<Value<'_>>> {
        let path = Key::from(super::joined(&self.prefix, key));
        match self.wait(self.objects.get(&path)) {
            Ok(found) => {
                let length = found.meta.size;
                Ok(Some(Value::new(Object { store: self, path, length, whole: Some(found) }, length)))
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
        let path = Key::from(super::joined(&self.prefix, node));
        let Ok(found) = self.wait(self.objects.list_with_delimiter(Some(&path))) else { return Vec::new() };
        let names = found.common_prefixes.iter().filter_map(|own| own.filename().map(str::to_owned));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// Waits for an answer as long as the run goes on.
    fn wait<T>(&self, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Failure> {
        let mut answer = Box::pin(answer);
        loop {
            let waited = self.runtime.block_on(async { timeout(ASK_EVERY, &mut answer).await });
            match waited {
                Ok(found) => return found.map_err(Failure::Server),
                Err(_) => self.control.check().map_err(|_| Failure::Stopped)?,
            }
        }
    }
}

/// Why there is no answer.
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
                let text = format!(
                    "{error} (a part of a shard was asked for, and some servers send whole files alone)"
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
            Failure::Server(error) => Self::other(error),
            Failure::Stopped => Self::from(std::io::ErrorKind::Interrupted),
        }
    }
}

fn retries() -> RetryConfig {
    RetryConfig { backoff: BackoffConfig::default(), max_retries: RETRIES, retry_timeout: RETRY_FOR }
}

/// An object of a store.
struct Object<'a> {
    store: &'a Remote,
    path: Key,
    length: u64,
    /// The answer of the server, which has all of it.
    whole: Option<GetResult>,
}

impl ReadAt for Object<'_> {
    fn read_at(&mut self, place: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        let count = buffer.len() as u64;
        let is_whole = place == 0 && count == self.length;
        let bytes = match self.whole.take().filter(|_| is_whole) {
            Some(found) => self.store.wait(found.bytes())?,
            None => {
                let part = self.store.objects.get_range(&self.path, place..place + count);
                self.store.wait(part).map_err(Failure::of_part)?
            }
        };
        if bytes.len() != buffer.len() {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        buffer.copy_from_slice(&bytes);
        Ok(())
    }
}
