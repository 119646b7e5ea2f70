//! The tables that parameters are declared in.

/// Declares the struct of a method's parameters and the enum of its presets; see [`mod@crate::parameters`].
///
/// A row is `/// Meaning.`, `name "symbol": type in LEAST..=MOST "unit" = value;`, symbol and unit are left out where there is
/// none. The type is `f32`, `f64`, `usize`, or an enum of [`choices!`](crate::choices!), which has no range. The value holds
/// for all presets except those that follow in braces: `{ fast: 3, paper.image: 1, paper.volume: 2 }`, each for images and
/// volumes unless it says which, with `_` for the `-` of a preset's word. A value with fields or a sign stands in parentheses:
/// `= (Box { radius: 3 })`. A preset that there is not, or one with two values, does not compile. The crate needs serde.
#[macro_export]
macro_rules! parameters {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident of $method:literal;

        $(#[doc = $about_presets:literal])+
        pub enum $preset:ident {
            $($(#[doc = $preset_doc:literal])+ $variant:ident = $word:literal),+ $(,)?
        }

        $(
            $(#[doc = $doc:literal])+
            $field:ident $($symbol:literal)? : $type:ident
                $(in $least:literal ..= $most:literal $($unit:literal)?)? = $value:tt
                $({ $($of:ident $(. $dimension:ident)? : $other:expr),+ $(,)? })?;
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
                Self {
                    $($field: $crate::preset_values!(
                        $field $preset $type [$($least)?] $value [$($($of [$($dimension)?] $other),+)?]
                    ).of(preset.name(), dimension),)+
                }
            }
        }

        impl Default for $name {
            /// The default preset for volumes.
            fn default() -> Self {
                Self::preset([$($preset::$variant),+][0], $crate::Dimension::Three)
            }
        }

        impl $crate::parameters::Parameters for $name {
            type Preset = $preset;
            const METHOD: &'static str = $method;
            const PRESETS: &'static [$crate::parameters::ParameterChoice] = <$preset>::CHOICES;
            const DECLARATIONS: &'static [$crate::parameters::ParameterDeclaration] = &[$(
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
            pub const CHOICES: &'static [$crate::parameters::ParameterChoice] = &[$($crate::parameters::ParameterChoice {
                name: $word,
                meaning: concat!($($doc),+).split_at(1).1,
                fields: &[$($(
                    $crate::declaration!([$($field_doc)+] $field [$($symbol)?] $type [$least $most [$($unit)?]])
                ),+)?],
            }),+];

            /// The word in settings and files.
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $word),+ }
            }
        }
    )+};
}

/// A row's declaration.
#[doc(hidden)]
#[macro_export]
macro_rules! declaration {
    ([$($doc:literal)+] $name:ident [$($symbol:literal)?] $type:ident [$($range:tt)*]) => {
        $crate::parameters::ParameterDeclaration {
            name: stringify!($name),
            symbol: concat!($($symbol)?),
            meaning: concat!($($doc),+).split_at(1).1,
            kind: $crate::declaration!(@kind $type $($range)*),
        }
    };
    (@kind $type:ident) => { $crate::parameters::ParameterKind::OneOf(<$type>::CHOICES) };
    (@kind $type:ident $least:literal $most:literal [$($unit:literal)?]) => {
        $crate::parameters::ParameterKind::Number {
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

/// The values of a row; for an enum, the values without its name before them.
#[doc(hidden)]
#[macro_export]
macro_rules! preset_values {
    ($field:ident $preset:ident $type:ident [] $($values:tt)+) => {{
        use $type::*;
        $crate::preset_values!(@row $field $preset $type $($values)+)
    }};
    ($field:ident $preset:ident $type:ident [$least:literal] $($values:tt)+) => {
        $crate::preset_values!(@row $field $preset $type $($values)+)
    };
    (@row $field:ident $preset:ident $type:ident $value:tt [$($of:ident [$($dimension:ident)?] $other:expr),*]) => {{
        const PLACES: &[$crate::parameters::PresetPlace] = &[$($crate::parameters::PresetPlace {
            preset: stringify!($of),
            scope: $crate::preset_values!(@scope $($dimension)?),
        }),*];
        $(const _: () = assert!(
            $crate::parameters::is_preset(stringify!($of), <$preset>::CHOICES),
            concat!(
                "the parameter `", stringify!($field), "` has a value for the preset `", stringify!($of), "`, which there is not"
            )
        );)*
        const _: () = assert!(
            !$crate::parameters::is_double(PLACES),
            concat!("the parameter `", stringify!($field), "` has two values for one preset")
        );
        const ROW: $crate::parameters::PresetRow<$type> = $crate::parameters::PresetRow {
            value: $crate::preset_values!(@value $value),
            places: PLACES,
            others: &[$($other),*],
        };
        ROW
    }};
    (@value ($($value:tt)+)) => { $($value)+ };
    (@value $value:tt) => { $value };
    (@scope) => { $crate::parameters::PresetScope::Both };
    (@scope image) => { $crate::parameters::PresetScope::Image };
    (@scope volume) => { $crate::parameters::PresetScope::Volume };
    (@scope $other:ident) => {
        compile_error!(concat!("a preset has values for `image` and `volume`, not for `", stringify!($other), "`"))
    };
}
