//! Which expression uses which, and what statements are made of.

use naga::{AtomicFunction, Block, Expression, Handle, Span, Statement};
use std::collections::{HashMap, HashSet};

/// Expressions that an expression is made of.
pub(crate) fn operands(expression: &Expression) -> Vec<Handle<Expression>> {
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

/// Expressions that a statement evaluates before it does anything.
pub(crate) fn statement_operands(statement: &Statement) -> Vec<Handle<Expression>> {
    match statement {
        Statement::If { condition, .. } => vec![*condition],
        Statement::Switch { selector, .. } => vec![*selector],
        Statement::Return { value } => value.iter().copied().collect(),
        Statement::Store { pointer, value } => vec![*pointer, *value],
        Statement::Atomic {
            pointer,
            value,
            fun: AtomicFunction::Exchange { compare: Some(compare) },
            ..
        } => {
            vec![*pointer, *value, *compare]
        }
        Statement::Atomic { pointer, value, .. } => vec![*pointer, *value],
        Statement::Call { arguments, .. } => arguments.clone(),
        _ => Vec::new(),
    }
}

/// The expressions that statements begin with, and the statements after them. Where naga says `Emit` several times in
/// a row, nothing happens between.
pub(crate) fn leading_emits<'s, 'b>(
    statements: &'s [(&'b Statement, &'b Span)],
) -> (Vec<Handle<Expression>>, &'s [(&'b Statement, &'b Span)]) {
    let mut emitted = Vec::new();
    let mut rest = statements;
    while let [(Statement::Emit(range), _), following @ ..] = rest {
        emitted.extend(range.clone());
        rest = following;
    }
    (emitted, rest)
}

/// Blocks within a statement.
pub(crate) fn inner_blocks(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// Users of a function's expressions.
pub(crate) struct Uses {
    /// The expression that uses an expression.
    pub user: HashMap<Handle<Expression>, Handle<Expression>>,
    /// Vectors of which several components are taken one by one.
    pub taken_apart: HashSet<Handle<Expression>>,
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
                // Only vectors count here; other parts of a value are not taken apart.
                Expression::Compose { components, .. } => uses.taken_apart.extend(components),
                _ => {}
            }
        }
        uses
    }
}
