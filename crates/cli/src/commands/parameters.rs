//! `veloxel parameters`: every parameter of a method, as a list here and below the long help of the commands that take it.

use crate::{Outcome, Run, print, print_json};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use veloxel::Dimension;
use veloxel::method::{DenseMethodEntry, METHODS};
use veloxel::parameters::{
    MethodEntry, MethodParameters, ParameterChoice, ParameterDeclaration, ParameterKind, ParameterValues,
    shown,
};
use veloxel::pipelines::segment::{PARTS_METHODS, PartsMethod};

/// Number of columns of a paragraph.
const WIDTH: usize = 96;

/// List the parameters of a method: meaning, range, unit, and the values in each preset.
///
/// --set NAME=VALUE changes one of them, --params FILE.toml several.
#[derive(Debug, Args)]
pub struct ParametersArguments {
    /// The method
    #[arg(value_name = "METHOD", value_parser = PossibleValuesParser::new(all().map(|m| m.method)))]
    method: String,

    /// As a JSON schema, for editors and scripts
    #[arg(long)]
    json: bool,
}

impl Run for ParametersArguments {
    fn run(self) -> Outcome {
        let method = find(&self.method);
        if self.json {
            return print_json(&method.schema());
        }
        let presets: Vec<_> = method.presets.iter().map(|preset| (preset, columns(method, preset))).collect();
        let entries: Vec<_> =
            method.declarations.iter().map(|declaration| entry(declaration, &presets)).collect();
        Ok(print(&format!("{}\n", entries.join("\n")))?)
    }
}

/// Possible values of `--preset` for the commands of these methods.
pub fn presets(methods: &[&str]) -> PossibleValuesParser {
    let methods: Vec<_> = methods.iter().map(|name| find(name)).collect();
    let mut names: Vec<&'static str> = Vec::new();
    for preset in methods.iter().flat_map(|method| method.presets) {
        if !names.contains(&preset.name) {
            names.push(preset.name);
        }
    }
    let value = |name: &'static str| {
        let meanings = methods.iter().filter_map(|method| {
            let preset = method.presets.iter().find(|preset| preset.name == name)?;
            let of = if methods.len() > 1 { format!("{}: ", method.method) } else { String::new() };
            Some(format!("{of}{}", preset.meaning.trim_end_matches('.')))
        });
        PossibleValue::new(name).help(meanings.collect::<Vec<_>>().join("; "))
    };
    PossibleValuesParser::new(names.into_iter().map(value))
}

/// The list below a command's long help: a line or two each.
pub fn long_help(name: &str) -> String {
    let method = find(name);
    let mut text = format!(
        "Parameters of --set and --params (method {name}), with their values in the preset {} (two: images, volumes); \
         `veloxel parameters {name}` says more:\n",
        method.presets[0].name
    );
    let columns = columns(method, &method.presets[0]);
    for declaration in method.declarations {
        let values = values(&columns, declaration.name).join(", ");
        let meaning = declaration.meaning.split(". ").next().unwrap_or_default().trim_end_matches('.');
        let line = format!("{meaning}; {}", declaration.expected());
        text += &format!("  {} = {values}\n{}", declaration.name, folded(&line, 10));
    }
    text
}

/// The methods of flow, then those of meshes.
fn all() -> impl Iterator<Item = &'static MethodParameters> {
    METHODS.iter().map(DenseMethodEntry::parameters).chain(PARTS_METHODS.iter().map(PartsMethod::parameters))
}

fn find(name: &str) -> &'static MethodParameters {
    all().find(|method| method.method == name).expect("the method should be in the table")
}

/// Everything that is declared of a parameter, as text.
fn entry(declaration: &ParameterDeclaration, presets: &[(&ParameterChoice, [ParameterValues; 2])]) -> String {
    let symbol =
        if declaration.symbol.is_empty() { String::new() } else { format!(" ({})", declaration.symbol) };
    let mut text = format!("{}{symbol}: {}\n", declaration.name, declaration.expected());
    text += &folded(declaration.meaning, 4);
    if let ParameterKind::OneOf(choices) = declaration.kind {
        choices.iter().for_each(|choice| text += &folded(&format!("{}: {}", choice.name, choice.meaning), 6));
    }
    let preset = |(preset, columns): &(&ParameterChoice, [ParameterValues; 2])| match values(
        columns,
        declaration.name,
    )
    .as_slice()
    {
        [images, volumes] => format!("{} {images} (volumes: {volumes})", preset.name),
        same => format!("{} {}", preset.name, same.concat()),
    };
    text + &folded(&presets.iter().map(preset).collect::<Vec<_>>().join("; "), 4)
}

/// The values of a preset for images and for volumes.
fn columns(method: &MethodParameters, preset: &ParameterChoice) -> [ParameterValues; 2] {
    [Dimension::Two, Dimension::Three]
        .map(|dimension| method.preset(preset.name, dimension).expect("a method should know its presets"))
}

/// A parameter's value as `--set` takes it; two where images and volumes differ.
fn values(columns: &[ParameterValues; 2], name: &str) -> Vec<String> {
    let mut values: Vec<_> = columns.iter().map(|values| shown(&values[name])).collect();
    values.dedup();
    values
}

/// Lines of a paragraph, indented.
fn folded(text: &str, indent: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last =
            lines.last_mut().filter(|line| indent + line.chars().count() + word.chars().count() < WIDTH);
        match last {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect()
}
