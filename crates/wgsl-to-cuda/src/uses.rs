//! Who uses what: from this follows which values get a name in the text and which stand where they are used.
//!
//! naga says where each expression is evaluated (`Emit`). A value without a name moves from there to its use. That is
//! free for pure values of pure values; a value read from memory that may change moves only if nothing is stored
//! between, that is, up to the statement that follows at once.

use super::function::FunctionText;
use naga::{
    AddressSpace, AtomicFunction, Block, Expression, Handle, Span, Statement, StorageAccess, TypeInner,
};
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
    user: HashMap<Handle<Expression>, Handle<Expression>>,
    /// Vectors of which several components are taken one by one.
    taken_apart: HashSet<Handle<Expression>>,
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

impl FunctionText<'_> {
    /// Which of the expressions of an `Emit` need a name, given what the following statement evaluates.
    pub fn to_be_named(
        &self,
        emitted: &[Handle<Expression>],
        next: &[Handle<Expression>],
    ) -> HashSet<Handle<Expression>> {
        let mut from_memory = HashSet::new();
        for &handle in emitted {
            let expression = &self.function.expressions[handle];
            let reads = matches!(expression, Expression::Load { pointer } if self.may_change(*pointer));
            if reads || operands(expression).iter().any(|operand| from_memory.contains(operand)) {
                from_memory.insert(handle);
            }
        }
        let mut named = HashSet::new();
        // Values that are used up before anything is stored.
        let mut settled = HashSet::new();
        for &handle in emitted.iter().rev() {
            let user = self.uses.user.get(&handle);
            let at_once = match user {
                Some(user) if emitted.contains(user) => named.contains(user) || settled.contains(user),
                Some(_) => false,
                None => next.contains(&handle),
            };
            let once = self.info[handle].ref_count == 1;
            let stays = from_memory.contains(&handle) && !(once && at_once);
            if self.is_pointer(handle) {
                if !stays {
                    settled.insert(handle);
                }
            } else if self.info[handle].ref_count > 0 && (stays || self.deserves_a_name(handle)) {
                named.insert(handle);
                settled.insert(handle);
            } else if once && at_once {
                settled.insert(handle);
            }
        }
        named
    }

    /// Whether a pure value is better written once than at each of its uses.
    fn deserves_a_name(&self, handle: Handle<Expression>) -> bool {
        if self.function.named_expressions.contains_key(&handle) {
            return true;
        }
        let inner = self.inner(handle);
        if self.uses.taken_apart.contains(&handle) && matches!(inner, TypeInner::Vector { .. }) {
            return true;
        }
        match &self.function.expressions[handle] {
            // A component, or a member of a uniform block.
            Expression::AccessIndex { .. } => false,
            Expression::Load { pointer } if self.is_uniform(*pointer) => {
                !matches!(inner, TypeInner::Scalar(_) | TypeInner::Vector { .. })
            }
            _ => self.info[handle].ref_count > 1,
        }
    }

    fn space(&self, pointer: Handle<Expression>) -> Option<AddressSpace> {
        match *self.inner(pointer) {
            TypeInner::Pointer { space, .. } | TypeInner::ValuePointer { space, .. } => Some(space),
            _ => None,
        }
    }

    fn is_uniform(&self, pointer: Handle<Expression>) -> bool {
        self.space(pointer) == Some(AddressSpace::Uniform)
    }

    fn may_change(&self, pointer: Handle<Expression>) -> bool {
        match self.space(pointer) {
            Some(AddressSpace::Storage { access }) => access.contains(StorageAccess::STORE),
            Some(AddressSpace::Uniform) => false,
            _ => true,
        }
    }
}
