//! The buffers of a scene: in the same file, in its JSON, or in files beside it.

use crate::error::Result;
use crate::read::context::Context;
use crate::write::detached;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::borrow::Cow;

/// Buffers of a scene; each may be a file that is opened.
const MOST_BUFFERS: usize = 1 << 12;

/// Every buffer; `binary` is the first, where it has no address of its own.
pub(super) fn read<'a>(
    json: &Value,
    binary: Option<&'a [u8]>,
    context: &Context,
) -> Result<Vec<Cow<'a, [u8]>>> {
    let buffers = json["buffers"].as_array().map_or(&[][..], Vec::as_slice);
    let expected = format!("at most {MOST_BUFFERS}");
    context.require(buffers.len() <= MOST_BUFFERS, "buffers of a scene", expected, buffers.len())?;
    let read = |(nth, buffer): (usize, &Value)| match (buffer["uri"].as_str(), binary) {
        (Some(address), _) => at_address(address, context).map(Cow::Owned),
        (None, Some(binary)) if nth == 0 => Ok(Cow::Borrowed(binary)),
        (None, _) => Err(context.malformed(format!("buffer {nth}"), "the name of a file", "none")),
    };
    buffers.iter().enumerate().map(read).collect()
}

fn at_address(address: &str, context: &Context) -> Result<Vec<u8>> {
    if let Some(data) = address.strip_prefix("data:") {
        let coded = data.split_once(";base64,").map(|(_, coded)| coded);
        let coded = coded.ok_or_else(|| context.unsupported("a buffer that is not base64", "write it so"))?;
        context.claim(coded.len() as u64)?;
        return STANDARD.decode(coded).map_err(|error| context.malformed("a buffer", "base64", error));
    }
    let what = format!("a buffer at {address}");
    context.support(!address.contains("://"), what, "put it into a file beside this one")?;
    detached::open(&unescaped(address), context)?.take_rest(context)
}

/// The names of files that a scene keeps its buffers in.
pub(in crate::formats) fn files(json: &Value) -> Vec<String> {
    let addresses =
        json["buffers"].as_array().into_iter().flatten().filter_map(|buffer| buffer["uri"].as_str());
    addresses.filter(|address| !address.starts_with("data:")).map(unescaped).collect()
}

/// `%20` and its like as what they stand for (RFC 3986, section 2.1); others stay as they are.
fn unescaped(address: &str) -> String {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let (bytes, mut name, mut at) = (address.as_bytes(), Vec::with_capacity(address.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let pair = (bytes.get(at + 1).and_then(digit), bytes.get(at + 2).and_then(digit));
        if let (b'%', (Some(high), Some(low))) = (byte, pair) {
            name.push((16 * high + low) as u8);
            at += 3;
        } else {
            name.push(byte);
            at += 1;
        }
    }
    String::from_utf8(name).unwrap_or_else(|_| address.to_owned())
}
