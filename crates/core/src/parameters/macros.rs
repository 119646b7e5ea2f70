//! The tables that parameters are declared in.

/// The value of a row in a column; a single value is that of all columns.
#[doc(hidden)]
pub fn pick<T: Copy>(values: &[T], column: usize) -> T {
    values[if values.len() == 1 { 0 } else { column }]
}

/// Whether a row has one value, or as many as there are columns.
#[doc(hidden)]
pub const fn fits(values: usize, columns: &[[usize; 2]]) -> bool {
    let (mut last, mut preset) = (0, 0);
    while preset < columns.len() {
        let [image, volume] = columns[preset];
        let larger = if image > volume { image } else { volume };
        last = if larger > last { larger } else { last };
        preset += 1;
    }
    values == 1 || values == last + 1
}

/// Declares the struct of a method's parameters and the enum of its presets; see [`mod@crate::parameters`].
///
/// A row is `/// Meaning.`, `name "symbol": type in LEAST..=MOST "unit" = values;`, without a symbol or a unit where there is
/// none. The type is `f32`, `f64`, `usize`, or an enum of [`choices!`](crate::choices!), which has no range. There is one value,
/// or one a column; behind each preset stand its two columns, for images and for volumes. The crate needs serde.
#[macro_export]
macro_rules! parameters {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident of $method:literal;

        $(#[doc = $about_presets:literal])+
        pub enum $preset:ident {
            $($(#[doc = $preset_doc:literal])+ $variant:ident = $word:literal: $columns:expr),+ $(,)?
        }

        $(
            $(#[doc = $doc:literal])+
            $field:ident $($symbol:literal)? : $type:ident
                $(in $least:literal ..= $most:literal $($unit:literal)?)? = $($value:expr),+;
        )+
    ) => {
        $crate::choices! {
            $(#[doc = $about_presets])+
            pub enum $preset { $($(#[doc = $preset_doc])+ $variant = $word),+ }
        }

        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $(
                $(#[doc = $doc])+
                $(#[doc = concat!("\n\nIn the paper: ", $symbol, ".")])?
                $(#[doc = concat!("\n\nRange: ", stringify!($least), " to ", stringify!($most) $(, " ", $unit)?, ".")])?
                pub $field: $type,
            )+
        }

        impl $name {
            /// The values of a preset for images or for volumes.
            pub fn preset(preset: $preset, dimension: $crate::Dimension) -> Self {
                const COLUMNS: &[[usize; 2]] = &[$($columns),+];
                let column = COLUMNS[preset as usize][dimension.count() - 2];
                $(
                    const _: () = assert!(
                        $crate::parameters::fits([$(stringify!($value)),+].len(), COLUMNS),
                        concat!("`", stringify!($field), "` needs one value, or one a column")
                    );
                )+
                Self {
                    $($field: $crate::parameters::pick(
                        $crate::declared_values!($type [$($least)?] $($value),+), column
                    ),)+
                }
            }
        }

        impl Default for $name {
            /// The default preset for volumes.
            fn default() -> Self {
                Self::preset(<$preset>::ALL[0], $crate::Dimension::Three)
            }
        }

        impl $crate::parameters::Parameters for $name {
            type Preset = $preset;
            const METHOD: &'static str = $method;
            const PRESETS: &'static [$crate::parameters::Choice] = <$preset>::CHOICES;
            const DECLARATIONS: &'static [$crate::parameters::Declaration] = &[$(
                $crate::declaration!([$($doc)+] $field [$($symbol)?] $type [$($least $most [$($unit)?])?])
            ),+];

            fn preset(preset: $preset, dimension: $crate::Dimension) -> Self {
                Self::preset(preset, dimension)
            }
        }
    };
}

/// Declares enums whose values are words in settings and files; see [`mod@crate::parameters`].
///
/// A value is `/// Meaning (source).`, `Name = "word"`; numbers that belong to it follow in braces, each declared as in
/// [`parameters!`](crate::parameters!), without values. The crate needs serde.
#[macro_export]
macro_rules! choices {
    ($(
        $(#[doc = $about:literal])+
        pub enum $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $variant:ident = $word:literal $({$(
                    $(#[doc = $field_doc:literal])+
                    $field:ident $($symbol:literal)? : $type:ident in $least:literal ..= $most:literal $($unit:literal)?
                ),+ $(,)?})?
            ),+ $(,)?
        }
    )+) => {$(
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        pub enum $name {
            $(
                $(#[doc = $doc])+
                #[serde(rename = $word)]
                $variant $({$(
                    $(#[doc = $field_doc])+
                    #[doc = concat!("\n\nRange: ", stringify!($least), " to ", stringify!($most) $(, " ", $unit)?, ".")]
                    $field: $type,
                )+})?,
            )+
        }

        impl $name {
            /// Every value, with its word and its meaning.
            pub const CHOICES: &'static [$crate::parameters::Choice] = &[$($crate::parameters::Choice {
                name: $word,
                doc: concat!($($doc),+),
                fields: &[$($(
                    $crate::declaration!([$($field_doc)+] $field [$($symbol)?] $type [$least $most [$($unit)?]])
                ),+)?],
            }),+];

            /// The word in settings and files.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $word),+ }
            }
        }

        $crate::all_values!($name [$($variant [$($($field)+)?])+]);
    )+};
}

/// A list of an enum's values, where no numbers belong to them.
#[doc(hidden)]
#[macro_export]
macro_rules! all_values {
    ($name:ident [$($variant:ident [])+]) => {
        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
        }
        impl Eq for $name {}
    };
    ($name:ident [$($other:tt)+]) => {};
}

/// A row's declaration.
#[doc(hidden)]
#[macro_export]
macro_rules! declaration {
    ([$($doc:literal)+] $name:ident [$($symbol:literal)?] $type:ident [$($range:tt)*]) => {
        $crate::parameters::Declaration {
            name: stringify!($name),
            symbol: concat!($($symbol)?),
            doc: concat!($($doc),+),
            kind: $crate::declaration!(@kind $type $($range)*),
        }
    };
    (@kind $type:ident) => { $crate::parameters::Kind::OneOf(<$type>::CHOICES) };
    (@kind $type:ident $least:literal $most:literal [$($unit:literal)?]) => {
        $crate::parameters::Kind::Number {
            whole: $crate::declaration!(@whole $type),
            #[allow(clippy::unnecessary_cast, reason = "declared as 1 or as 1e-3")]
            least: $least as f64,
            #[allow(clippy::unnecessary_cast, reason = "declared as 1 or as 1e-3")]
            most: $most as f64,
            range: concat!(stringify!($least), " to ", stringify!($most)),
            unit: concat!($($unit)?),
        }
    };
    (@whole usize) => { true };
    (@whole $type:ident) => { false };
}

/// A row's values; those of an enum without its name before them.
#[doc(hidden)]
#[macro_export]
macro_rules! declared_values {
    ($type:ident [] $($value:expr),+) => {{
        use $type::*;
        const VALUES: &[$type] = &[$($value),+];
        VALUES
    }};
    ($type:ident [$least:literal] $($value:expr),+) => {{
        const VALUES: &[$type] = &[$($value),+];
        VALUES
    }};
}
