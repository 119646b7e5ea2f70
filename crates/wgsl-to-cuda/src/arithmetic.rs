//! Operators, conversions and built-in functions.

use super::error::{Result, variant};
use super::function::FunctionText;
use super::uses::Value;
use naga::back::binary_operation_str;
use naga::common::wgsl::TryToWgsl;
use naga::{
    BinaryOperator, Expression, Literal, MathFunction, RelationalFunction, Scalar, ScalarKind, Span,
    TypeInner, UnaryOperator, VectorSize,
};

impl FunctionText<'_> {
    /// The text of an operator, a conversion or a built-in function.
    pub fn computed(&self, handle: Value, expression: &Expression, span: Span) -> Result<String> {
        match *expression {
            Expression::Unary { op, expr } => {
                let operator = match op {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::LogicalNot => "!",
                    UnaryOperator::BitwiseNot => "~",
                };
                Ok(format!("{operator}{}", self.operand(expr)?))
            }
            Expression::Binary { left, right, .. } if self.is_call(handle) => {
                self.wgsl_call("remainder", [left, right])
            }
            Expression::Binary { op: BinaryOperator::ShiftLeft, left, right } => {
                self.shift("<<", left, right)
            }
            Expression::Binary { op: BinaryOperator::ShiftRight, left, right } => {
                self.shift(">>", left, right)
            }
            Expression::Binary { op, left, right } => self.binary(op, left, right),
            Expression::Select { condition, accept, reject } if self.is_call(handle) => {
                self.wgsl_call("select", [condition, accept, reject])
            }
            Expression::Select { condition, accept, reject } => {
                let condition = self.operand(condition)?;
                Ok(format!("{condition} ? {} : {}", self.operand(accept)?, self.operand(reject)?))
            }
            Expression::Relational { fun, argument } => match fun {
                RelationalFunction::All => self.wgsl_call("all", [argument]),
                RelationalFunction::Any => self.wgsl_call("any", [argument]),
                other => Err(self.unsupported(format!("the function {other:?}"), span)),
            },
            Expression::As { expr, kind, convert } => {
                let manner = if convert.is_some() { "to" } else { "bits_as" };
                let kind = self.module.scalar_name(Scalar { kind, width: 4 }, span)?;
                self.wgsl_call(&format!("{manner}_{kind}"), [expr])
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let name = function_name(fun)
                    .ok_or_else(|| self.unsupported(format!("the function {fun:?}"), span))?;
                self.wgsl_call(name, [Some(arg), arg1, arg2, arg3].into_iter().flatten())
            }
            Expression::ArrayLength(_) => Err(self.unsupported("arrayLength()", span)),
            ref other => {
                let (name, number) = (variant(other), handle.index());
                Err(self.unsupported(format!("the expression `{name}` (number {number})"), span))
            }
        }
    }

    /// The text of a call of one of the prelude's functions.
    fn wgsl_call(&self, name: &str, arguments: impl IntoIterator<Item = Value>) -> Result<String> {
        let arguments = arguments.into_iter().map(|each| self.value(each)).collect::<Result<Vec<_>>>()?;
        Ok(format!("wgsl::{name}({})", arguments.join(", ")))
    }

    fn binary(&self, operator: BinaryOperator, left: Value, right: Value) -> Result<String> {
        let is_logical =
            matches!(self.inner(left), TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Bool);
        let symbol = match operator {
            BinaryOperator::And if is_logical => "&&",
            BinaryOperator::InclusiveOr if is_logical => "||",
            BinaryOperator::ExclusiveOr if is_logical => "!=",
            _ => binary_operation_str(operator),
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
    pub fn is_call(&self, handle: Value) -> bool {
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
    fn tightness(&self, handle: Value) -> Option<u8> {
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
    fn level(&self, operator: BinaryOperator, left: Value) -> Option<u8> {
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
    fn shift(&self, symbol: &str, left: Value, right: Value) -> Result<String> {
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

/// The name of a built-in function, WGSL's own; `None` if the prelude does not have it.
fn function_name(function: MathFunction) -> Option<&'static str> {
    use MathFunction::*;
    match function {
        Abs | Min | Max | Clamp | Saturate | Cos | Cosh | Sin | Sinh | Tan | Tanh | Acos | Asin | Atan
        | Atan2 | Radians | Degrees | Ceil | Floor | Round | Fract | Trunc | Exp | Exp2 | Log | Log2
        | Pow | Dot | Cross | Distance | Length | Normalize | Sign | Fma | Mix | Step | SmoothStep | Sqrt
        | InverseSqrt | QuantizeToF16 | CountTrailingZeros | CountLeadingZeros | CountOneBits
        | ReverseBits | ExtractBits | FirstTrailingBit | FirstLeadingBit | Pack2x16float
        | Unpack2x16float => function.try_to_wgsl(),
        _ => None,
    }
}
