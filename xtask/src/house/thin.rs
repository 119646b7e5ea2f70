//! Refuses lines of jobs and of the command that touch samples: they read files, call a pipeline and write what it returns.

use crate::Failure;
use crate::reading::{names, sources, tokens};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::path::Path;

/// The folders whose code touches no sample.
const THIN: [&str; 2] = ["crates/veloxel/src/jobs", "crates/cli/src"];
/// Methods that return samples.
const GIVE_SAMPLES: [&str; 6] =
    ["samples", "samples_mut", "data", "data_mut", "components_vox", "components_vox_mut"];
/// Types of devices that hold samples.
const HOLD_SAMPLES: [&str; 4] = ["Buffer", "Field", "HostMemory", "Uploads"];
/// Types of the floor of methods that prepare samples, for which pipelines have requests.
const INSIDE: [&str; 6] =
    ["Frame", "ImagePair", "PairMethod", "PendingFlow", "PendingWindow", "WindowMethod"];

/// A line for each place that touches samples, tests left out.
///
/// # Errors
/// A source cannot be read.
pub fn refusals(root: &Path) -> Result<Vec<String>, Failure> {
    let mut refused = Vec::new();
    for folder in THIN {
        for file in sources::files(&root.join(folder), &["rs"])? {
            if sources::is_for_tests(&file) {
                continue;
            }
            let shown = file.strip_prefix(root).unwrap_or(&file).display();
            let found = touched(tokens::read(&file)?);
            refused.extend(found.into_iter().map(|touch| format!("{shown}:{}: {}", touch.line, touch.what)));
        }
    }
    Ok(refused)
}

/// One place that touches samples.
struct Touch {
    line: usize,
    what: String,
}

fn touched(tokens: TokenStream) -> Vec<Touch> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let line = token.span().start().line;
        let rest = &tokens[at..];
        let mut taken = 1;
        let mut whats = Vec::new();
        if let Some(import) = import(rest) {
            taken = import.tokens;
            whats.extend(import.paths.iter().filter_map(|path| refused_path(path)));
        } else if let Some(path) = path(rest) {
            // A `::` is two tokens.
            taken = path.len() * 3 - 2;
            whats.extend(refused_path(&path));
        }
        whats.extend(samples(&tokens[at..]));
        found.extend(whats.into_iter().map(|what| Touch { line, what }));
        if let TokenTree::Group(group) = token {
            found.extend(touched(group.stream()));
        }
        at += taken;
    }
    found
}

/// An import at the begin of some tokens.
struct Import {
    tokens: usize,
    paths: Vec<Vec<String>>,
}

fn import(tokens: &[TokenTree]) -> Option<Import> {
    if !matches!(&tokens[0], TokenTree::Ident(word) if word == "use") {
        return None;
    }
    let end =
        tokens.iter().position(|each| matches!(each, TokenTree::Punct(mark) if mark.as_char() == ';'))?;
    let item: syn::ItemUse = syn::parse2(tokens[..=end].iter().cloned().collect()).ok()?;
    let mut paths = Vec::new();
    names::imports(&item.tree, &mut Vec::new(), &mut |_, path| paths.push(path));
    Some(Import { tokens: end + 1, paths })
}

/// The path that begins here, if it begins with a crate of ours.
fn path(tokens: &[TokenTree]) -> Option<Vec<String>> {
    let word = |at: usize| match tokens.get(at) {
        Some(TokenTree::Ident(word)) => Some(word.to_string()),
        _ => None,
    };
    let is_colon =
        |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
    let mut path = vec![word(0).filter(|first| first.starts_with("veloxel_"))?];
    while is_colon(path.len() * 3 - 2) && is_colon(path.len() * 3 - 1) {
        path.push(word(path.len() * 3)?);
    }
    Some(path)
}

/// The reason why a job or the command may not name the target of the path.
fn refused_path(path: &[String]) -> Option<String> {
    let (first, last) = (path.first()?.as_str(), path.last()?.as_str());
    let shown = path.join("::");
    // The associated function of a type belongs to it.
    let is_type = |name: &String| name.starts_with(|first: char| first.is_uppercase());
    let reason = match first {
        "veloxel_kernels" => "kernels are for methods",
        "veloxel_gpu" | "veloxel" if HOLD_SAMPLES.contains(&last) => "buffers hold samples",
        "veloxel" if path.get(1).is_some_and(|module| module == "unstable") => {
            "the command stands on what is stable"
        }
        "veloxel_motion" | "veloxel" if path.iter().any(|each| INSIDE.contains(&each.as_str())) => {
            "it is for pipelines, which prepare samples"
        }
        "veloxel_motion" if !path.iter().any(is_type) => "types of requests and results alone may be named",
        _ => return None,
    };
    Some(format!("names `{shown}`: {reason}"))
}

/// The name at the begin of the tokens that gives or holds samples.
fn samples(tokens: &[TokenTree]) -> Option<String> {
    match tokens {
        [TokenTree::Punct(dot), TokenTree::Ident(method), TokenTree::Group(call), ..]
            if ".:".contains(dot.as_char())
                && call.delimiter() == Delimiter::Parenthesis
                && GIVE_SAMPLES.iter().any(|each| method == each) =>
        {
            Some(format!("calls `{method}()`: a pipeline does what needs samples"))
        }
        [TokenTree::Group(slice), ..]
            if slice.delimiter() == Delimiter::Bracket && is_sample(slice.stream()) =>
        {
            Some("takes a slice of samples, `[f32]`".to_owned())
        }
        [TokenTree::Ident(list), TokenTree::Punct(open), of, ..]
            if list == "Vec" && open.as_char() == '<' && is_sample(of.clone().into()) =>
        {
            Some("holds samples, `Vec<f32>`".to_owned())
        }
        _ => None,
    }
}

fn is_sample(tokens: TokenStream) -> bool {
    tokens.to_string() == "f32"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        let tokens = source.parse().expect("the text should be Rust");
        touched(tokens).into_iter().map(|touch| format!("{}: {}", touch.line, touch.what)).collect()
    }

    fn assert_refused(source: &str, part: &str) {
        let found = found(source);
        assert!(found.len() == 1 && found[0].contains(part), "{source}: {found:?}");
    }

    #[test]
    fn samples_are_found_wherever_they_are_touched() {
        assert_refused("fn f() {\n    let a = v.data()[0];\n}", "2: calls `data()`");
        assert_refused("fn f() { g(|v| Volume::data_mut(v)) }", "`data_mut()`");
        assert_refused("fn f(a: &[f32]) {}", "[f32]");
        assert_refused("struct A { b: Option<Vec<f32>> }", "Vec<f32>");
        for free in ["v.data_file();", "let data = a.data;", "fn f(a: [f32; 3], b: &[u8]) {}", "fn data() {}"]
        {
            assert_eq!(found(free), Vec::<String>::new(), "{free}");
        }
    }

    #[test]
    fn what_prepares_samples_is_not_named() {
        assert_refused("use veloxel_kernels::image::warp::Interpolation;", "kernels are for methods");
        assert_refused("use veloxel_gpu::{Buffer, Device};", "`veloxel_gpu::Buffer`: buffers");
        assert_refused(
            "use veloxel_motion::{Method, steps::{Frame, Border}};",
            "`veloxel_motion::steps::Frame`",
        );
        assert_refused("use veloxel_motion::{Extras, voxel_map};", "`veloxel_motion::voxel_map`: types");
        assert_refused(
            "fn f() { veloxel_motion::over::sample_vox(1) }",
            "`veloxel_motion::over::sample_vox`",
        );
        assert_refused("use veloxel_motion as motion;", "types of requests");
        assert_refused("use veloxel::unstable::mesh::CleanMesh;", "stands on what is stable");
        assert_refused("use veloxel::method::Frame;", "for pipelines");
        for free in [
            "use veloxel_motion::{Extras, METHODS};",
            "veloxel_motion::FlowExtras::new()",
            "use veloxel_gpu::Device;",
        ] {
            assert_eq!(found(free), Vec::<String>::new(), "{free}");
        }
    }

    #[test]
    fn what_only_tests_compile_is_free() {
        let source = "#[cfg(test)] mod tests { use veloxel_kernels::a; fn f() { v.data(); } }";
        let file = tempfile::NamedTempFile::new().expect("a temporary file should be possible");
        std::fs::write(file.path(), source).expect("should be writable");
        let tokens = tokens::read(file.path()).ok().expect("the file should be readable");
        assert!(touched(tokens).is_empty());
    }
}
