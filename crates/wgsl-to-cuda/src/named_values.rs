//! Decides which values are declared as named constants, and which are written out where they are used.
//!
//! naga marks where each expression is evaluated (`Emit`). A value without a name is evaluated at its use instead. That
//! makes no difference for values computed only from constants and other such values. A value read from memory that may
//! change can be moved only if nothing is stored in between: only into the statement that follows at once.

use super::function::FunctionText;
use super::uses::{Value, operands};
use naga::{AddressSpace, Expression, StorageAccess, TypeInner};
use std::collections::HashSet;

impl FunctionText<'_> {
    /// The expressions of an `Emit` that need a name. `next` are the expressions that the following statement
    /// evaluates.
    pub fn to_be_named(&self, emitted: &[Value], next: &[Value]) -> HashSet<Value> {
        let mut from_memory = HashSet::new();
        for &handle in emitted {
            let expression = &self.function.expressions[handle];
            let reads = matches!(expression, Expression::Load { pointer } if self.may_change(*pointer));
            if reads || operands(expression).iter().any(|operand| from_memory.contains(operand)) {
                from_memory.insert(handle);
            }
        }
        let mut named = HashSet::new();
        // Values that are used before anything is stored.
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

    /// Whether a value that could be moved should still be declared once instead of written at each of its uses.
    fn deserves_a_name(&self, handle: Value) -> bool {
        if self.function.named_expressions.contains_key(&handle) {
            return true;
        }
        let inner = self.inner(handle);
        if self.uses.taken_apart.contains(&handle) && matches!(inner, TypeInner::Vector { .. }) {
            return true;
        }
        match &self.function.expressions[handle] {
            // A component of a vector, or a member of a uniform block.
            Expression::AccessIndex { .. } => false,
            Expression::Load { pointer }
                if self.inner(*pointer).pointer_space() == Some(AddressSpace::Uniform) =>
            {
                !matches!(inner, TypeInner::Scalar(_) | TypeInner::Vector { .. })
            }
            _ => self.info[handle].ref_count > 1,
        }
    }

    fn may_change(&self, pointer: Value) -> bool {
        match self.inner(pointer).pointer_space() {
            Some(AddressSpace::Storage { access }) => access.contains(StorageAccess::STORE),
            Some(AddressSpace::Uniform) => false,
            _ => true,
        }
    }
}
