//! A block of naga's intermediate form once more, with expressions of its own: each may be evaluated in one place only.

use naga::{Arena, AtomicFunction, Block, Expression, Handle, Range, Statement};
use std::collections::HashMap;

/// A repetition under way: what each expression has become.
pub(super) struct Repetition<'f> {
    expressions: &'f mut Arena<Expression>,
    new: HashMap<Handle<Expression>, Handle<Expression>>,
}

impl<'f> Repetition<'f> {
    pub fn new(expressions: &'f mut Arena<Expression>) -> Self {
        Self { expressions, new: HashMap::new() }
    }

    /// The block; none if it holds what kernels are not written in.
    pub fn block(&mut self, block: &Block) -> Option<Block> {
        let mut out = Block::with_capacity(block.len());
        for (statement, span) in block.span_iter() {
            out.push(self.statement(statement)?, *span);
        }
        Some(out)
    }

    fn statement(&mut self, statement: &Statement) -> Option<Statement> {
        let mut statement = statement.clone();
        match &mut statement {
            Statement::Emit(range) => {
                let new = range.clone().map(|old| self.expression(old)).collect::<Option<Vec<_>>>()?;
                if let (Some(&first), Some(&last)) = (new.first(), new.last()) {
                    *range = Range::new_from_bounds(first, last);
                }
            }
            Statement::Block(block) => *block = self.block(block)?,
            Statement::If { condition, accept, reject } => {
                self.renew(condition);
                (*accept, *reject) = (self.block(accept)?, self.block(reject)?);
            }
            Statement::Switch { selector, cases } => {
                self.renew(selector);
                for case in cases {
                    case.body = self.block(&case.body)?;
                }
            }
            Statement::Loop { body, continuing, break_if } => {
                (*body, *continuing) = (self.block(body)?, self.block(continuing)?);
                break_if.iter_mut().for_each(|condition| self.renew(condition));
            }
            Statement::Return { value } => value.iter_mut().for_each(|value| self.renew(value)),
            Statement::Store { pointer, value } => {
                self.renew(pointer);
                self.renew(value);
            }
            Statement::Call { arguments, result, .. } => {
                arguments.iter_mut().for_each(|argument| self.renew(argument));
                self.result(result)?;
            }
            Statement::Atomic { pointer, fun, value, result } => {
                self.renew(pointer);
                self.renew(value);
                if let AtomicFunction::Exchange { compare: Some(compare) } = fun {
                    self.renew(compare);
                }
                self.result(result)?;
            }
            Statement::Break
            | Statement::Continue
            | Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_) => {}
            _ => return None,
        }
        Some(statement)
    }

    fn renew(&self, handle: &mut Handle<Expression>) {
        if let Some(new) = self.new.get(handle) {
            *handle = *new;
        }
    }

    fn result(&mut self, result: &mut Option<Handle<Expression>>) -> Option<()> {
        if let Some(result) = result {
            *result = self.expression(*result)?;
        }
        Some(())
    }

    fn expression(&mut self, handle: Handle<Expression>) -> Option<Handle<Expression>> {
        let mut expression = self.expressions[handle].clone();
        let operands: Vec<&mut Handle<Expression>> = match &mut expression {
            Expression::Access { base, index } => vec![base, index],
            Expression::AccessIndex { base, .. } => vec![base],
            Expression::Splat { value, .. } => vec![value],
            Expression::Swizzle { vector, .. } => vec![vector],
            Expression::Compose { components, .. } => components.iter_mut().collect(),
            Expression::Load { pointer } => vec![pointer],
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => vec![expr],
            Expression::Binary { left, right, .. } => vec![left, right],
            Expression::Select { condition, accept, reject } => vec![condition, accept, reject],
            Expression::Relational { argument, .. } => vec![argument],
            Expression::Math { arg, arg1, arg2, arg3, .. } => {
                [Some(arg), arg1.as_mut(), arg2.as_mut(), arg3.as_mut()].into_iter().flatten().collect()
            }
            Expression::CallResult(_) | Expression::AtomicResult { .. } => Vec::new(),
            _ => return None,
        };
        operands.into_iter().for_each(|operand| self.renew(operand));
        let span = self.expressions.get_span(handle);
        let new = self.expressions.append(expression, span);
        self.new.insert(handle, new);
        Some(new)
    }
}
