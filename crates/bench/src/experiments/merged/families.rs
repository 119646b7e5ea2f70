//! Families of figures: names that differ in one number, as `64³, GPU: warp` and `128³, GPU: warp`, are the points of one curve.

use crate::experiments::MachineRole;

/// What a name is without the role of its machine: figures of all roles are drawn in one plot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlainName {
    /// The name without its role.
    pub text: String,
    /// The role; none where the name has none, or where it is a ratio of two.
    pub role: Option<MachineRole>,
}

impl PlainName {
    pub fn of(name: &str) -> Self {
        let found = MachineRole::ALL.into_iter().find_map(|role| {
            let word = format!(", {}", role.name());
            let start = name.find(&word)?;
            let rest = &name[start + word.len()..];
            let is_role = rest.is_empty() || rest.starts_with(':') || rest.starts_with(',');
            is_role.then(|| Self { text: format!("{}{rest}", &name[..start]), role: Some(role) })
        });
        found.unwrap_or_else(|| Self { text: name.to_owned(), role: None })
    }
}

/// A name with one of its numbers taken out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    /// The name, with `N` in the number's place.
    pub family: String,
    /// The number; for `640×480` the product.
    pub number: f64,
}

/// The name as a member of a family for each of its numbers. Digits that belong to a word, as in `C1060`, are none.
pub(super) fn members(name: &str) -> Vec<Member> {
    let mut all = Vec::new();
    let mut from = 0;
    while let Some(start) = name[from..].find(|c: char| c.is_ascii_digit()).map(|at| from + at) {
        let is_in_word = name[..start].ends_with(|c: char| c.is_ascii_alphabetic() || c == '.');
        let first = digits(&name[start..]);
        let second = name[start + first..].strip_prefix('×').map(digits).filter(|&length| length > 0);
        let end = start + first + second.map_or(0, |length| '×'.len_utf8() + length);
        let factors = name[start..end].split('×').filter_map(|factor| factor.parse::<f64>().ok());
        if !is_in_word && !name[end..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            let family = format!("{}N{}", &name[..start], &name[end..]);
            all.push(Member { family, number: factors.product() });
        }
        from = end;
    }
    all
}

/// Length of the number that a text begins with (bytes): digits, and a fraction behind a point.
fn digits(text: &str) -> usize {
    let whole = text.bytes().take_while(u8::is_ascii_digit).count();
    let fraction =
        text[whole..].strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    if fraction > 0 { whole + 1 + fraction } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(name: &str) -> Vec<(String, f64)> {
        members(name).into_iter().map(|member| (member.family, member.number)).collect()
    }

    #[test]
    fn every_number_of_a_name_may_be_the_one_that_varies() {
        assert_eq!(
            pairs("48³: R 10, 15 taps"),
            [("N³: R 10, 15 taps", 48.0), ("48³: R N, 15 taps", 10.0), ("48³: R 10, N taps", 15.0)]
                .map(|(family, number)| (family.to_owned(), number))
        );
        assert_eq!(
            pairs("flow, 640×480, 0.5 px"),
            [("flow, N, 0.5 px".to_owned(), 307_200.0), ("flow, 640×480, N px".to_owned(), 0.5)]
        );
    }

    #[test]
    fn digits_of_words_are_no_numbers() {
        assert!(members("a run on C1060 with f16 and 2nd order").is_empty());
        assert_eq!(pairs("ends in 7."), [("ends in N.".to_owned(), 7.0)]);
    }

    #[test]
    fn a_role_is_taken_out_but_not_a_ratio_of_two() {
        let plain = PlainName::of("48³, all threads: warp");
        assert_eq!(plain, PlainName { text: "48³: warp".to_owned(), role: Some(MachineRole::AllThreads) });
        assert_eq!(PlainName::of("48³, GPU").role, Some(MachineRole::Gpu));
        let ratio = "48³, all threads over 1 thread";
        assert_eq!(PlainName::of(ratio), PlainName { text: ratio.to_owned(), role: None });
    }
}
