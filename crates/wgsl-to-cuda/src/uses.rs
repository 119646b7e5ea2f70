//! Uses of expressions: the operands of expressions and statements, and the blocks inside statements.

use naga::{AtomicFunction, Block, Expression, Handle, Span, Statement};
use std::collections::{HashMap, HashSet};

/// An expression of the function at hand.
pub(crate) type Value = Handle<Expression>;

/// The direct operands of an expression.
pub(crate) fn operands(expression: &Expression) -> Vec<Value> {
    match expression {
        Expression::Compose { components, .. } => components.clone(),
        Expression::Access { base, index } => vec![*base, *index],
        Expression::AccessIndex { base, .. } => vec![*base],
        Expression::Splat { value, .. } => vec![*value],
        Expression::Swizzle { vector, .. } => vec![*vector],
        Expression::Load { pointer } => vec![*pointer],
        Expression::Unary { expr, .. } | Expression::As { expr, .. } => vec![*expr],
        Expression::Binary { left, right, .. } => vec![*left, *right],
        Expression::Select { condition, accept, reject } => vec![*condition, *accept, *reject],
        Expression::Relational { argument, .. } => vec![*argument],
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// The expressions that a statement evaluates before it has any effect.
pub(crate) fn statement_operands(statement: &Statement) -> Vec<Value> {
    match statement {
        Statement::If { condition, .. } => vec![*condition],
        Statement::Switch { selector, .. } => vec![*selector],
        Statement::Return { value } => value.iter().copied().collect(),
        Statement::Store { pointer, value } => vec![*pointer, *value],
        Statement::Atomic { pointer, value, fun, .. } => {
            let compare = if let AtomicFunction::Exchange { compare } = fun { *compare } else { None };
            [*pointer, *value].into_iter().chain(compare).collect()
        }
        Statement::Call { arguments, .. } => arguments.clone(),
        _ => Vec::new(),
    }
}

/// Splits statements into the expressions of their leading `Emit`s and the statements after these. Between several
/// `Emit`s in a row nothing else happens, so they count as one.
pub(crate) fn leading_emits<'s, 'b>(
    statements: &'s [(&'b Statement, &'b Span)],
) -> (Vec<Value>, &'s [(&'b Statement, &'b Span)]) {
    let mut emitted = Vec::new();
    let mut rest = statements;
    while let [(Statement::Emit(range), _), following @ ..] = rest {
        emitted.extend(range.clone());
        rest = following;
    }
    (emitted, rest)
}

/// The blocks directly inside a statement.
pub(crate) fn inner_blocks(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// How a function's expressions are used.
pub(crate) struct Uses {
    /// For each operand, the expression that uses it (the last one, if several do).
    pub user: HashMap<Value, Value>,
    /// Values of which components are used one by one.
    pub taken_apart: HashSet<Value>,
}

impl Uses {
    pub fn of(function: &naga::Function) -> Self {
        let mut uses = Self { user: HashMap::new(), taken_apart: HashSet::new() };
        for (handle, expression) in function.expressions.iter() {
            for operand in operands(expression) {
                uses.user.insert(operand, handle);
            }
            match expression {
                Expression::Swizzle { vector, .. } => {
                    uses.taken_apart.insert(*vector);
                }
                // Readers of this set look only at vectors, so other composed values do no harm.
                Expression::Compose { components, .. } => uses.taken_apart.extend(components),
                _ => {}
            }
        }
        uses
    }
}
