//! Line plots as SVG text that takes its colours from the page: readable on light, on dark and on paper.

use crate::number;

/// One plot of one or more curves.
#[derive(Debug, Clone, Default)]
pub struct LinePlot {
    /// Title above the plot.
    pub title: String,
    /// The quantity to the right.
    pub x_label: String,
    /// The quantity upwards.
    pub y_label: String,
    /// How the quantity to the right is spaced.
    pub x_scale: Scale,
    /// How the quantity upwards is spaced.
    pub y_scale: Scale,
    /// The curves, drawn in this order.
    pub series: Vec<Series>,
    /// Stretches of the x axis with a name over them.
    pub bands: Vec<Band>,
    /// Values that the y axis must include.
    pub y_include: Vec<f64>,
}

/// Size of a plot's text relative to the plot: a page scales plots to its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Half of the page.
    Half,
    /// A third of the page.
    Third,
}

/// How an axis is spaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal ratios; values that are not above 0 are left out.
    Logarithmic,
}

/// One curve; a point that is not finite interrupts it.
#[derive(Debug, Clone)]
pub struct Series {
    /// Its name in the legend; without one it is not listed.
    pub name: String,
    /// Its colour.
    pub ink: Ink,
    /// Its line.
    pub line: Line,
    /// `(x, y)` in the order of drawing.
    pub points: Vec<(f64, f64)>,
}

/// A colour that the page's style sheet defines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ink {
    /// One of the page's six plot colours, from 0.
    Numbered(usize),
    /// Between the first (0) and the second (1) plot colour: ordered curves.
    Between(f64),
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// A solid line with a dot at each point.
    Dotted,
    /// A solid line.
    Solid,
    /// A dashed line, for bounds and references.
    Dashed,
}

/// A named stretch of the x axis.
#[derive(Debug, Clone)]
pub struct Band {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// Text above the band.
    pub name: String,
}

const LEFT: f64 = 72.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 44.0;

/// The map from data values to the drawing.
struct Frame {
    x: [f64; 2],
    y: [f64; 2],
    x_scale: Scale,
    y_scale: Scale,
    /// Right and lower end of the area in which curves are drawn.
    right: f64,
    bottom: f64,
}

impl Frame {
    fn page_x(&self, x: f64) -> f64 {
        LEFT + (scaled(self.x_scale, x) - self.x[0]) / (self.x[1] - self.x[0]) * (self.right - LEFT)
    }
    fn page_y(&self, y: f64) -> f64 {
        let share = (scaled(self.y_scale, y) - self.y[0]) / (self.y[1] - self.y[0]);
        self.bottom - share * (self.bottom - TOP)
    }
}

fn scaled(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Logarithmic if value > 0.0 => value.log10(),
        Scale::Logarithmic => f64::NAN,
    }
}

/// What is written beside the axes of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AxisLabels<'a> {
    /// Below the horizontal axis.
    pub x: &'a str,
    /// Beside the vertical axis.
    pub y: &'a str,
}

impl LinePlot {
    /// A plot with equal steps and without bands.
    pub fn new(title: &str, labels: AxisLabels<'_>, series: Vec<Series>, y_include: &[f64]) -> Self {
        let (title, x_label, y_label) = (title.to_owned(), labels.x.to_owned(), labels.y.to_owned());
        Self { title, x_label, y_label, series, y_include: y_include.to_vec(), ..Self::default() }
    }

    /// Whether the plot has no point to draw.
    pub fn is_empty(&self) -> bool {
        self.frame(Format::Half).is_none()
    }

    /// The `<svg>` element; empty text without a point.
    pub(crate) fn to_svg(&self, format: Format) -> String {
        let Some(frame) = self.frame(format) else { return String::new() };
        let (width, height) = (frame.right + RIGHT, frame.bottom + BOTTOM);
        let [x_label, y_label] = [&self.x_label, &self.y_label].map(|label| escape(label));
        let content = self.bands_svg(&frame) + &self.axes_svg(&frame, [&x_label, &y_label]);
        let curves: String = self.series.iter().map(|series| series_svg(series, &frame)).collect();
        format!(
            r#"<svg class="plot" viewBox="0 0 {width} {height}" role="img" aria-label="{y_label} over {x_label}">{content}{curves}</svg>"#
        )
    }

    /// The named curves with their colours, as `(style, dashed, name)`.
    pub(crate) fn legend(&self) -> Vec<(String, bool, String)> {
        let named = self.series.iter().filter(|s| !s.name.is_empty());
        named.map(|s| (ink(s.ink), s.line == Line::Dashed, s.name.clone())).collect()
    }

    fn frame(&self, format: Format) -> Option<Frame> {
        let points = || self.series.iter().flat_map(|s| &s.points);
        let bands = self.bands.iter().flat_map(|b| [b.from, b.to]);
        let x = range(points().map(|p| p.0).chain(bands).map(|x| scaled(self.x_scale, x)))?;
        let included = self.y_include.iter().copied();
        let mut y = range(points().map(|p| p.1).chain(included).map(|y| scaled(self.y_scale, y)))?;
        if self.y_scale == Scale::Logarithmic {
            y = [y[0].floor(), y[1].ceil().max(y[0].floor() + 1.0)];
        } else {
            let margin = 0.06 * (y[1] - y[0]).max(1e-9 * y[1].abs().max(1e-3));
            // a curve of lengths or shares keeps its floor at 0
            y = [if y[0] == 0.0 { 0.0 } else { y[0] - margin }, y[1] + margin];
        }
        let x = if x[1] > x[0] { x } else { [x[0] - 0.5, x[0] + 0.5] };
        let (width, height) = match format {
            Format::Half => (560.0, 300.0),
            Format::Third => (390.0, 270.0),
        };
        let (x_scale, y_scale) = (self.x_scale, self.y_scale);
        Some(Frame { x, y, x_scale, y_scale, right: width - RIGHT, bottom: height - BOTTOM })
    }

    fn bands_svg(&self, frame: &Frame) -> String {
        let mut svg = String::new();
        for (i, band) in self.bands.iter().enumerate() {
            let (from, to) = (frame.page_x(band.from.max(frame.x[0])), frame.page_x(band.to.min(frame.x[1])));
            let class = if i % 2 == 0 { "band even" } else { "band odd" };
            let (width, height) = (to - from, frame.bottom - TOP);
            svg += &format!(
                r#"<rect class="{class}" x="{from:.1}" y="{TOP}" width="{width:.1}" height="{height}"/>"#
            );
            // a name needs about 6 units a letter
            if band.name.chars().count() as f64 * 6.2 < width {
                let (x, y, name) = (0.5 * (from + to), TOP - 7.0, escape(&band.name));
                svg += &format!(r#"<text class="band-name" x="{x:.1}" y="{y}">{name}</text>"#);
            }
        }
        svg
    }

    fn axes_svg(&self, frame: &Frame, [x_label, y_label]: [&str; 2]) -> String {
        let (right, bottom) = (frame.right, frame.bottom);
        let mut svg = String::new();
        for (y, label) in y_ticks(frame) {
            let page = frame.page_y(y);
            let (x, y) = (LEFT - 8.0, page + 4.0);
            svg += &format!(
                r#"<path class="grid" d="M{LEFT} {page:.1}H{right}"/><text class="y-tick" x="{x}" y="{y:.1}">{label}</text>"#
            );
        }
        for (x, label) in self.x_ticks(frame) {
            let (page, y) = (frame.page_x(x), bottom + 19.0);
            svg += &format!(
                r#"<path class="tick" d="M{page:.1} {bottom}v5"/><text class="x-tick" x="{page:.1}" y="{y}">{label}</text>"#
            );
        }
        let (middle_x, middle_y, below) = (0.5 * (LEFT + right), 0.5 * (TOP + bottom), bottom + BOTTOM - 6.0);
        svg + &format!(
            r#"<path class="axis" d="M{LEFT} {bottom}H{right}"/><text class="label" x="{middle_x}" y="{below}">{x_label}</text><text class="label" transform="translate(12 {middle_y}) rotate(-90)">{y_label}</text>"#
        )
    }

    fn x_ticks(&self, frame: &Frame) -> Vec<(f64, String)> {
        if self.x_scale == Scale::Logarithmic {
            let decades = frame.x[0].floor() as i32..=frame.x[1].ceil() as i32;
            let ticks = decades.flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(e)));
            let inside = |x: &f64| (frame.x[0]..=frame.x[1]).contains(&x.log10());
            return ticks.filter(inside).map(|x| (x, number::text(x))).collect();
        }
        let ticks = number::ticks(frame.x[0], frame.x[1], ((frame.right - LEFT) / 45.0) as usize);
        // Frames and iterations have no halves.
        let is_whole =
            self.series.iter().flat_map(|s| &s.points).all(|(x, _)| !x.is_finite() || x.fract() == 0.0);
        labelled(ticks.into_iter().filter(|x| !is_whole || x.fract() == 0.0).collect())
    }
}

fn series_svg(series: &Series, frame: &Frame) -> String {
    let style = ink(series.ink);
    let (mut path, mut dots) = (String::new(), String::new());
    let mut command = 'M';
    for &(x, y) in &series.points {
        let (page_x, page_y) = (frame.page_x(x), frame.page_y(y));
        if !(page_x.is_finite() && page_y.is_finite()) {
            command = 'M';
            continue;
        }
        path += &format!("{command}{page_x:.1} {page_y:.1}");
        command = 'L';
        if series.line == Line::Dotted {
            let (x, y) = (number::text(x), number::text(y));
            dots += &format!(
                r#"<circle class="dot" style="--ink:{style}" cx="{page_x:.1}" cy="{page_y:.1}" r="3"><title>{x}: {y}</title></circle>"#
            );
        }
    }
    let class = if series.line == Line::Dashed { "curve dashed" } else { "curve" };
    format!(r#"<path class="{class}" style="--ink:{style}" d="{path}"/>{dots}"#)
}

fn y_ticks(frame: &Frame) -> Vec<(f64, String)> {
    match frame.y_scale {
        Scale::Linear => labelled(number::ticks(frame.y[0], frame.y[1], 5)),
        Scale::Logarithmic => {
            let (low, high) = (frame.y[0] as i32, frame.y[1] as i32);
            let step = ((high - low) / 6).max(1) as usize;
            (low..=high).step_by(step).map(|e| (10f64.powi(e), number::power_of_ten(e))).collect()
        }
    }
}

/// Ticks of one step with their numbers.
fn labelled(ticks: Vec<f64>) -> Vec<(f64, String)> {
    let step = if let [a, b, ..] = ticks[..] { b - a } else { 1.0 };
    ticks.into_iter().map(|t| (t, number::tick_text(t, step))).collect()
}

fn ink(ink: Ink) -> String {
    match ink {
        Ink::Numbered(i) => format!("var(--plot-{})", i % 6),
        Ink::Between(share) => {
            format!("color-mix(in oklab, var(--plot-1) {:.0}%, var(--plot-0))", 100.0 * share.clamp(0.0, 1.0))
        }
    }
}

/// Smallest and largest finite value.
fn range(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.filter(|v| v.is_finite()).fold(None, |found, v| match found {
        None => Some([v, v]),
        Some([low, high]) => Some([low.min(v), high.max(v)]),
    })
}

/// Text escaped for an element or an attribute.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(y_scale: Scale, points: &[(f64, f64)]) -> LinePlot {
        let series = Series {
            name: "a < b".into(),
            ink: Ink::Numbered(0),
            line: Line::Dotted,
            points: points.to_vec(),
        };
        LinePlot { y_scale, series: vec![series], ..LinePlot::default() }
    }

    #[test]
    fn larger_is_higher_and_further_right() {
        let frame = plot(Scale::Linear, &[(0.0, 1.0), (4.0, 3.0)]).frame(Format::Half).unwrap();
        assert!(frame.page_x(4.0) > frame.page_x(0.0) && frame.page_y(3.0) < frame.page_y(1.0));
    }

    #[test]
    fn a_gap_interrupts_the_curve() {
        let svg = plot(Scale::Linear, &[(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0)]).to_svg(Format::Third);
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn decades_bound_a_logarithmic_axis() {
        let plot = plot(Scale::Logarithmic, &[(0.0, 1.0), (1.0, 0.0), (2.0, 2e-4)]);
        let labels: Vec<String> =
            y_ticks(&plot.frame(Format::Half).unwrap()).into_iter().map(|t| t.1).collect();
        assert_eq!(labels, ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"]);
        assert!(!plot.to_svg(Format::Half).contains("NaN"));
    }

    #[test]
    fn nothing_draws_nothing() {
        assert!(plot(Scale::Linear, &[(0.0, f64::NAN)]).is_empty());
        assert_eq!(plot(Scale::Logarithmic, &[(0.0, 0.0)]).to_svg(Format::Half), "");
    }
}
