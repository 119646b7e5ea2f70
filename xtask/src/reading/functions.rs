//! Measures functions: in Rust from the tokens, macros included; in shaders by their braces.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// One function with a body.
pub struct Function {
    pub name: String,
    /// Number of lines from its `fn` to its last brace.
    pub lines: usize,
    /// Whether an argument is a tuple, which has no name for its parts.
    pub takes_tuple: bool,
}

/// The functions in the tokens of a Rust file, including those within other functions and within macros.
pub fn of_rust(tokens: TokenStream) -> Vec<Function> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match (token, tokens.get(at + 1)) {
            (TokenTree::Group(group), _) => found.extend(of_rust(group.stream())),
            // A type like `fn(u8)` has no name.
            (TokenTree::Ident(word), Some(TokenTree::Ident(name))) if word == "fn" => {
                let body =
                    tokens[at..].iter().take_while(|token| token.to_string() != ";").find_map(block_end);
                found.extend(body.map(|end| Function {
                    name: name.to_string(),
                    lines: end - word.span().start().line + 1,
                    takes_tuple: arguments(&tokens[at + 2..]).is_some_and(|list| has_tuple(list.stream())),
                }));
            }
            _ => {}
        }
    }
    found
}

/// The list of arguments behind a function's name and generics.
fn arguments(tokens: &[TokenTree]) -> Option<&Group> {
    let (mut depth, mut last) = (0, ' ');
    for token in tokens {
        match token {
            TokenTree::Group(group) if depth == 0 => return Some(group),
            TokenTree::Punct(mark) => {
                depth += i32::from(mark.as_char() == '<');
                depth -= i32::from(mark.as_char() == '>' && last != '-');
                last = mark.as_char();
            }
            _ => last = ' ',
        }
    }
    None
}

/// Whether the pattern or the type of an argument is a tuple of two or more.
fn has_tuple(arguments: TokenStream) -> bool {
    // True where a pattern or a type begins.
    let mut begins = true;
    let (mut depth, mut last) = (0, ' ');
    for token in arguments {
        match &token {
            TokenTree::Group(group) if begins && group.delimiter() == Delimiter::Parenthesis => {
                if has_comma(group.stream()) {
                    return true;
                }
                begins = false;
            }
            TokenTree::Punct(mark) => {
                let mark = mark.as_char();
                depth += i32::from(mark == '<');
                depth -= i32::from(mark == '>' && last != '-');
                begins = depth == 0 && (",:".contains(mark) || (begins && "&'".contains(mark)));
                last = mark;
            }
            TokenTree::Ident(word) => begins &= *word == "mut" || last == '\'',
            _ => begins = false,
        }
        if !matches!(token, TokenTree::Punct(_)) {
            last = ' ';
        }
    }
    false
}

/// Whether a comma stands outside of all brackets.
fn has_comma(tokens: TokenStream) -> bool {
    let (mut depth, mut last) = (0, ' ');
    tokens.into_iter().any(|token| {
        let mark = if let TokenTree::Punct(mark) = token { mark.as_char() } else { ' ' };
        depth += i32::from(mark == '<');
        depth -= i32::from(mark == '>' && last != '-');
        last = mark;
        mark == ',' && depth == 0
    })
}

/// The last line of a token in braces.
fn block_end(token: &TokenTree) -> Option<usize> {
    let TokenTree::Group(group) = token else { return None };
    (group.delimiter() == Delimiter::Brace).then(|| group.span_close().end().line)
}

/// The functions of a WGSL or CUDA text: blocks outside of other functions that follow a list of parameters.
pub fn of_shader(text: &str) -> Vec<Function> {
    let mut found = Vec::new();
    // What stands since the last block or semicolon, and the number of its last line.
    let mut head = String::new();
    // The function around, and how many blocks are open in it.
    let mut open: Option<(Function, usize)> = None;
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or(line);
        for mark in code.chars() {
            match (mark, &mut open) {
                ('{', Some((_, depth))) => *depth += 1,
                ('{', None) => {
                    if let Some((name, lines_above)) = name_of_function(&head) {
                        let function = Function { name, lines: number - lines_above, takes_tuple: false };
                        open = Some((function, 1));
                    }
                }
                ('}', Some((_, depth))) => *depth -= 1,
                _ => {}
            }
            if ";{}".contains(mark) { head.clear() } else { head.push(mark) }
        }
        head.push('\n');
        if let Some((function, _)) = open.take_if(|(_, depth)| *depth == 0) {
            // So far `lines` held the number of the first.
            found.push(Function { lines: number + 1 - function.lines, ..function });
        }
    }
    found
}

/// The name before the last list of parameters, and the number of lines between it and the end.
fn name_of_function(head: &str) -> Option<(String, usize)> {
    let is_name = |mark: char| mark.is_alphanumeric() || mark == '_';
    let start = match head.find("fn ") {
        Some(word) => word + 3,
        None => {
            let parameters = head.rfind('(')?;
            head[..parameters].rfind(|mark| !is_name(mark))? + 1
        }
    };
    let name: String = head[start..].chars().take_while(|mark| is_name(*mark)).collect();
    (!head.contains("struct ")).then(|| (name, head[start..].matches('\n').count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(functions: &[Function]) -> Vec<(&str, usize)> {
        functions.iter().map(|function| (function.name.as_str(), function.lines)).collect()
    }

    #[test]
    fn functions_of_rust_are_measured_from_their_first_line() {
        let text = "/// Text.\n#[inline]\nfn a(\n) -> [u8; 2] {\n    fn within() {}\n}\n\
                    trait T { fn none(f: fn(u8)); fn b() {\n} }\nmade! { fn c() {\n\n} }\n";
        let found = of_rust(text.parse().expect("the text should be Rust"));
        assert_eq!(shown(&found), [("a", 4), ("within", 1), ("b", 2), ("c", 3)]);
    }

    #[test]
    fn tuples_as_arguments_are_found() {
        let takes = |text: &str| {
            of_rust(text.parse().expect("the text should be Rust")).iter().all(|each| each.takes_tuple)
        };
        assert!(takes("fn a((b, c): (u8, u8)) {}"));
        assert!(takes("fn a<T: Fn(u8) -> u8>(&self, b: T, c: &(u8, T)) {}"));
        assert!(takes("fn a(c: &'a mut (u8, u8)) {}"));
        assert!(takes("fn a(Some(x): Option<u8>, b: Named, mut c: (u8, u8)) {}"));
        for text in [
            "fn a(b: u8, c: Vec<(u8, u8)>, d: impl Fn(u8, u8) -> (u8, u8)) -> (u8, u8) {}",
            "fn a([b, c]: [u8; 2], d: fn(u8, u8), e: (), f: &(dyn Fn(u8) -> Result<u8, u8> + Sync)) {}",
            "fn a(self, Pair { b, c }: Pair<'_>) { let d: (u8, u8) = (b, c); }",
        ] {
            assert!(!takes(text), "{text}");
        }
    }

    #[test]
    fn functions_of_shaders_are_measured_by_their_braces() {
        let wgsl = "struct A { b: u32, }\n@compute @workgroup_size(64)\nfn main(@builtin(a) id: u32) {\n    \
                    // {\n    if (x) { y(); }\n}\nfn f(a: u32) -> u32 { return a; }\n";
        assert_eq!(shown(&of_shader(wgsl)), [("main", 4), ("f", 1)]);
        let cuda = "namespace kernel {\nstruct __align__(16) Pack { float v[4]; };\n\
                    extern \"C\" __global__ void __launch_bounds__(THREADS, 2) relax(\n    float* a\n) {\n  for (;;) {\n  }\n}\n}\n";
        assert_eq!(shown(&of_shader(cuda)), [("relax", 6)]);
    }
}
