//! Operators, conversions and built-in functions.

use super::TranslationError;
use super::function::FunctionText;
use naga::{
    BinaryOperator, Expression, Handle, Literal, MathFunction, RelationalFunction, ScalarKind, Span,
    TypeInner, UnaryOperator, VectorSize,
};

impl FunctionText<'_> {
    /// The text of an operator, a conversion or a built-in function.
    pub fn computed(
        &self,
        handle: Handle<Expression>,
        expression: &Expression,
        span: Span,
    ) -> Result<String, TranslationError> {
        match *expression {
            Expression::Unary { op, expr } => {
                let operator = match op {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::LogicalNot => "!",
                    UnaryOperator::BitwiseNot => "~",
                };
                Ok(format!("{operator}{}", self.operand(expr)?))
            }
            Expression::Binary { op, left, right } => self.binary(op, left, right),
            Expression::Select { condition, accept, reject } => {
                if self.is_call(handle) {
                    let parts = [self.value(condition)?, self.value(accept)?, self.value(reject)?];
                    return Ok(format!("wgsl::select({})", parts.join(", ")));
                }
                let condition = self.operand(condition)?;
                Ok(format!("{condition} ? {} : {}", self.operand(accept)?, self.operand(reject)?))
            }
            Expression::Relational { fun, argument } => {
                let name = match fun {
                    RelationalFunction::All => "all",
                    RelationalFunction::Any => "any",
                    other => return Err(self.unsupported(format!("the function {other:?}"), span)),
                };
                Ok(format!("wgsl::{name}({})", self.value(argument)?))
            }
            Expression::As { expr, kind, convert } => {
                let manner = if convert.is_some() { "to" } else { "bits_as" };
                let kind = match kind {
                    ScalarKind::Float => "float",
                    ScalarKind::Sint => "int",
                    ScalarKind::Uint => "uint",
                    ScalarKind::Bool => "bool",
                    other => return Err(self.unsupported(format!("a conversion to {other:?}"), span)),
                };
                Ok(format!("wgsl::{manner}_{kind}({})", self.value(expr)?))
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let name = function_name(fun)
                    .ok_or_else(|| self.unsupported(format!("the function {fun:?}"), span))?;
                let arguments = [Some(arg), arg1, arg2, arg3].into_iter().flatten();
                let arguments: Result<Vec<_>, _> = arguments.map(|each| self.value(each)).collect();
                Ok(format!("wgsl::{name}({})", arguments?.join(", ")))
            }
            Expression::ArrayLength(_) => Err(self.unsupported("arrayLength()", span)),
            ref other => {
                let whole = format!("{other:?}");
                let name = whole.split([' ', '(', '{']).next().unwrap_or_default();
                Err(self.unsupported(format!("the expression `{name}` (number {})", handle.index()), span))
            }
        }
    }

    fn binary(
        &self,
        operator: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<String, TranslationError> {
        let (kind, is_scalar) = match *self.inner(left) {
            TypeInner::Scalar(scalar) => (Some(scalar.kind), true),
            TypeInner::Vector { scalar, .. } => (Some(scalar.kind), false),
            _ => (None, false),
        };
        let is_logical = kind == Some(ScalarKind::Bool) && is_scalar;
        let symbol = match operator {
            BinaryOperator::Modulo if kind == Some(ScalarKind::Float) => {
                return Ok(format!("wgsl::remainder({}, {})", self.value(left)?, self.value(right)?));
            }
            BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
                return self.shift(operator, left, right);
            }
            BinaryOperator::And if is_logical => "&&",
            BinaryOperator::InclusiveOr if is_logical => "||",
            BinaryOperator::ExclusiveOr if is_logical => "!=",
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::Divide => "/",
            BinaryOperator::Modulo => "%",
            BinaryOperator::Equal => "==",
            BinaryOperator::NotEqual => "!=",
            BinaryOperator::Less => "<",
            BinaryOperator::LessEqual => "<=",
            BinaryOperator::Greater => ">",
            BinaryOperator::GreaterEqual => ">=",
            BinaryOperator::And => "&",
            BinaryOperator::ExclusiveOr => "^",
            BinaryOperator::InclusiveOr => "|",
            BinaryOperator::LogicalAnd => "&&",
            BinaryOperator::LogicalOr => "||",
        };
        let level = self.level(operator, left);
        let place = |handle, looser: u8| match self.tightness(handle) {
            Some(inner) if level.is_some_and(|level| inner > level.saturating_sub(looser)) => {
                self.value(handle)
            }
            _ => self.operand(handle),
        };
        // Operators of equal precedence group from the left: the right operand needs parentheses, the left one does
        // not.
        Ok(format!("{} {symbol} {}", place(left, 1)?, place(right, 0)?))
    }

    /// Whether the translation writes the operator as a function call.
    pub fn is_call(&self, handle: Handle<Expression>) -> bool {
        match self.function.expressions[handle] {
            Expression::Binary { op: BinaryOperator::Modulo, left, .. } => {
                self.inner(left).scalar_kind() == Some(ScalarKind::Float)
            }
            // C++'s `?:` needs operands of one type, and an element of an array of three-component vectors has a type
            // of its own (`wgsl::Aligned`).
            Expression::Select { condition, .. } => {
                matches!(self.inner(condition), TypeInner::Vector { .. })
                    || matches!(self.inner(handle), TypeInner::Vector { size: VectorSize::Tri, .. })
            }
            _ => false,
        }
    }

    /// The precedence of an arithmetic expression that is written out in place; `None` for all others.
    fn tightness(&self, handle: Handle<Expression>) -> Option<u8> {
        match self.function.expressions[handle] {
            Expression::Binary { op, left, .. }
                if !self.named.contains_key(&handle) && !self.is_call(handle) =>
            {
                self.level(op, left)
            }
            _ => None,
        }
    }

    /// The precedence of the usual operators, higher binds tighter; `None` for all others, which get parentheses.
    fn level(&self, operator: BinaryOperator, left: Handle<Expression>) -> Option<u8> {
        use BinaryOperator::*;
        let is_bool = self.inner(left).scalar_kind() == Some(ScalarKind::Bool);
        match operator {
            Multiply | Divide | Modulo => Some(3),
            Add | Subtract => Some(2),
            Less | LessEqual | Greater | GreaterEqual | Equal | NotEqual if !is_bool => Some(1),
            _ => None,
        }
    }

    /// WGSL takes the shift distance modulo 32; in C++ a distance of 32 or more is undefined.
    fn shift(
        &self,
        operator: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<String, TranslationError> {
        let symbol = if operator == BinaryOperator::ShiftLeft { "<<" } else { ">>" };
        let (shifted, distance) = (self.operand(left)?, self.operand(right)?);
        let is_small = matches!(self.function.expressions[right], Expression::Literal(Literal::U32(distance)) if distance < 32);
        Ok(match self.inner(right) {
            _ if is_small => format!("{shifted} {symbol} {distance}"),
            TypeInner::Vector { size, .. } => {
                format!("{shifted} {symbol} ({distance} & wgsl::splat{}(31u))", *size as u8)
            }
            _ => format!("{shifted} {symbol} ({distance} & 31u)"),
        })
    }
}

/// The name of a built-in function in the prelude; `None` if it has no translation.
fn function_name(function: MathFunction) -> Option<&'static str> {
    use MathFunction::*;
    Some(match function {
        Abs => "abs",
        Min => "min",
        Max => "max",
        Clamp => "clamp",
        Saturate => "saturate",
        Cos => "cos",
        Cosh => "cosh",
        Sin => "sin",
        Sinh => "sinh",
        Tan => "tan",
        Tanh => "tanh",
        Acos => "acos",
        Asin => "asin",
        Atan => "atan",
        Atan2 => "atan2",
        Radians => "radians",
        Degrees => "degrees",
        Ceil => "ceil",
        Floor => "floor",
        Round => "round",
        Fract => "fract",
        Trunc => "trunc",
        Exp => "exp",
        Exp2 => "exp2",
        Log => "log",
        Log2 => "log2",
        Pow => "pow",
        Dot => "dot",
        Cross => "cross",
        Distance => "distance",
        Length => "length",
        Normalize => "normalize",
        Sign => "sign",
        Fma => "fma",
        Mix => "mix",
        Step => "step",
        SmoothStep => "smoothstep",
        Sqrt => "sqrt",
        InverseSqrt => "inverseSqrt",
        QuantizeToF16 => "quantizeToF16",
        CountTrailingZeros => "countTrailingZeros",
        CountLeadingZeros => "countLeadingZeros",
        CountOneBits => "countOneBits",
        ReverseBits => "reverseBits",
        ExtractBits => "extractBits",
        FirstTrailingBit => "firstTrailingBit",
        FirstLeadingBit => "firstLeadingBit",
        Pack2x16float => "pack2x16float",
        Unpack2x16float => "unpack2x16float",
        _ => return None,
    })
}
