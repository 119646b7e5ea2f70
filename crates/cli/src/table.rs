//! Numbers and aligned columns for people.

/// Three significant digits.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e6).contains(&magnitude) {
        return format!("{value:.1e}");
    }
    let decimals = (2 - magnitude.log10().floor() as i32).clamp(0, 4) as usize;
    format!("{value:.decimals$}")
}

/// `12.3 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", number(100.0 * share))
}

/// `1 thread`, `2 threads`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// `0.84 s` from milliseconds.
pub fn seconds(time_ms: f64) -> String {
    format!("{:.2} s", time_ms / 1e3)
}

/// Rows under a head, the first column to the left, numbers to the right.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|&h| h.to_owned()).collect()] }
    }
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
    /// Aligned, with a line under the head.
    pub fn text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |c: usize| {
            self.rows.iter().filter_map(|r| r.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (c, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let cell = if c == 0 { format!("{cell:<width$}") } else { format!("  {cell:>width$}") };
                line.push_str(&cell);
            }
            text.push_str(line.trim_end());
            text.push('\n');
            if number == 0 {
                text.push_str(&"─".repeat(widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1)));
                text.push('\n');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&["name", "value"]);
        table.row(vec!["α".into(), "1.25".into()]);
        table.row(vec!["longer".into(), "10.5".into()]);
        assert_eq!(table.text(), "name    value\n─────────────\nα        1.25\nlonger   10.5\n");
        assert_eq!(number(0.012345), "0.0123");
        assert_eq!(number(2.5e-7), "2.5e-7");
    }
}
