//! The texts that a Rust source holds as strings, without its documentation.

use proc_macro2::{TokenStream, TokenTree};

/// One string of a source.
pub struct Literal {
    pub text: String,
    /// The line on which it begins.
    pub line: usize,
}

/// Macros whose documentation the program prints, as help and schemas.
const PRINTED: [&str; 2] = ["parameters", "choices"];

/// The strings in the tokens, in their order, including those of attributes. Documentation counts only within [`PRINTED`]
/// macros.
pub fn of(tokens: TokenStream) -> Vec<Literal> {
    let mut found = Vec::new();
    collect(tokens, Docs::LeftOut, &mut found);
    found
}

#[derive(Clone, Copy, PartialEq)]
enum Docs {
    LeftOut,
    Taken,
}

fn collect(tokens: TokenStream, docs: Docs, found: &mut Vec<Literal>) {
    let mut inside = docs;
    let mut last_word = String::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                if docs == Docs::Taken || !is_doc(&group.stream()) {
                    collect(group.stream(), inside, found);
                }
                inside = docs;
            }
            TokenTree::Ident(word) => last_word = word.to_string(),
            TokenTree::Punct(mark) => {
                if mark.as_char() == '!' && PRINTED.contains(&last_word.as_str()) {
                    inside = Docs::Taken;
                }
            }
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.push(Literal { text: text.value(), line: literal.span().start().line });
                }
            }
        }
    }
}

/// Whether the inside of brackets is that of `#[doc = "…"]`, which `///` stands for.
fn is_doc(attribute: &TokenStream) -> bool {
    let mut tokens = attribute.clone().into_iter();
    matches!(
        (tokens.next(), tokens.next()),
        (Some(TokenTree::Ident(word)), Some(TokenTree::Punct(mark))) if word == "doc" && mark.as_char() == '='
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        let tokens = source.parse().expect("the text should be Rust");
        of(tokens).into_iter().map(|literal| literal.text).collect()
    }

    #[test]
    fn strings_are_found_in_functions_macros_and_attributes() {
        let source =
            "fn f() { g(\"a\"); format!(\"b {x}\") }\nconst C: &str = r#\"c\"#; #[error(\"d\")] struct E;";
        assert_eq!(texts(source), ["a", "b {x}", "c", "d"]);
        assert_eq!(texts("const B: &[u8] = b\"bytes\";"), Vec::<String>::new());
    }

    #[test]
    fn documentation_counts_where_it_is_printed() {
        assert_eq!(texts("//! b\n/// a\nfn f() {}"), Vec::<String>::new());
        assert_eq!(texts("parameters! { /// a\nalpha: f32 = 1 }\n/// c\nfn f() {}"), [" a"]);
    }
}
