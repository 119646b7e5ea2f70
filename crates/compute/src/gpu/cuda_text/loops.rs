//! Loops.
//!
//! naga knows one loop: a body, and a block that runs before each repetition. A `for` or `while` of WGSL is written as
//! one again, since that is what compilers unroll; what is left becomes `for (;;)`. Loops that run at most
//! [`MOST_UNROLLED`] times, those inside counted, are marked to be unrolled, which keeps small arrays in registers.

use super::CudaTextError;
use super::function::FunctionText;
use super::uses::inner_blocks;
use naga::{BinaryOperator, Block, Expression, Handle, Literal, LocalVariable, Span, Statement};

/// Repetitions of the innermost body.
const MOST_UNROLLED: u64 = 64;

/// A loop's parts, apart.
struct Parts<'b> {
    /// What ends the loop when it is false at the beginning of the body.
    condition: Option<Handle<Expression>>,
    /// The body without the condition.
    rest: Vec<(&'b Statement, &'b Span)>,
    /// The assignment that the continuing block is.
    step: Option<(Handle<Expression>, Handle<Expression>)>,
}

impl FunctionText<'_> {
    pub fn write_loop(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
        before: Option<&Statement>,
    ) -> Result<(), CudaTextError> {
        let parts = self.parts(body, continuing, break_if);
        let simple = continuing.is_empty() && break_if.is_none();
        if !simple && parts.step.is_none() {
            return self.write_with_continuing(body, continuing, break_if);
        }
        if self.repetitions(body, continuing, before).is_some_and(|count| count <= MOST_UNROLLED) {
            self.line("#pragma unroll");
        }
        let condition = parts.condition.map(|condition| self.value(condition)).transpose()?;
        match parts.step {
            Some((pointer, value)) => {
                let condition = condition.map(|condition| format!(" {condition}")).unwrap_or_default();
                let (target, value) = (self.operand(pointer)?, self.value(value)?);
                self.line(format_args!("for (;{condition}; {target} = {value}) {{"));
            }
            None => match condition {
                Some(condition) => self.line(format_args!("while ({condition}) {{")),
                None => self.line("for (;;) {"),
            },
        }
        let rest: Block = match parts.rest.as_slice() {
            [(Statement::Block(inner), _)] => inner.clone(),
            rest => {
                let mut block = Block::new();
                for &(statement, span) in rest {
                    block.push(statement.clone(), *span);
                }
                block
            }
        };
        self.labels.push(None);
        self.within(|text| text.statements(&rest, None))?;
        self.labels.pop();
        self.line("}");
        Ok(())
    }

    /// A loop with a continuing block that is more than a step: `continue` jumps to it.
    fn write_with_continuing(
        &mut self,
        body: &Block,
        continuing: &Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<(), CudaTextError> {
        let label = has_continue(body).then(|| self.scope.name("next"));
        self.line("for (;;) {");
        self.labels.push(label.clone());
        self.within(|text| {
            match label {
                None => text.statements(body, None)?,
                Some(label) => {
                    text.line("{");
                    text.within(|text| text.statements(body, None))?;
                    text.line("}");
                    text.line(format_args!("{label}:;"));
                }
            }
            text.statements(continuing, break_if)?;
            if let Some(condition) = break_if {
                let condition = text.value(condition)?;
                text.line(format_args!("if ({condition}) break;"));
            }
            Ok(())
        })?;
        self.labels.pop();
        self.line("}");
        Ok(())
    }

    fn parts<'b>(
        &self,
        body: &'b Block,
        continuing: &'b Block,
        break_if: Option<Handle<Expression>>,
    ) -> Parts<'b> {
        let mut rest: Vec<_> = body.span_iter().collect();
        let mut condition = None;
        if let [(Statement::Emit(range), _), (Statement::If { condition: tested, accept, reject }, _), ..] =
            rest.as_slice()
        {
            let emitted: Vec<_> = range.clone().collect();
            let ends = accept.is_empty() && matches!(&reject[..], [Statement::Break]);
            if ends && self.to_be_named(&emitted, &[*tested]).is_empty() {
                condition = Some(*tested);
                rest.drain(..2);
            }
        }
        let step = match &continuing[..] {
            [Statement::Emit(range), Statement::Store { pointer, value }] if break_if.is_none() => {
                let emitted: Vec<_> = range.clone().collect();
                let plain = !self.points_to_atomic(*pointer);
                (plain && self.to_be_named(&emitted, &[*pointer, *value]).is_empty())
                    .then_some((*pointer, *value))
            }
            _ => None,
        };
        Parts { condition, rest, step }
    }

    /// How often the innermost body runs in all: known for loops that count from one literal to another.
    fn repetitions(&self, body: &Block, continuing: &Block, before: Option<&Statement>) -> Option<u64> {
        let (Some(Statement::If { condition, .. }), Some(Statement::Store { pointer, value })) =
            (body.get(1), continuing.last())
        else {
            return None;
        };
        let &Expression::LocalVariable(counter) = self.expression(*pointer) else { return None };
        let &Expression::Binary { op, left, right } = self.expression(*condition) else { return None };
        let inclusive = match op {
            BinaryOperator::Less => 0,
            BinaryOperator::LessEqual => 1,
            _ => return None,
        };
        let &Expression::Binary { op: BinaryOperator::Add, left: counted, right: step } = self.expression(*value)
        else {
            return None;
        };
        if !self.is_load_of(left, counter) || !self.is_load_of(counted, counter) {
            return None;
        }
        let start = match before {
            Some(Statement::Store { pointer, value })
                if *self.expression(*pointer) == Expression::LocalVariable(counter) =>
            {
                self.literal(*value)?
            }
            _ => self.literal(self.function.local_variables[counter].init?)?,
        };
        let (end, step) = (self.literal(right)?, self.literal(step)?);
        if step < 1 {
            return None;
        }
        let count = u64::try_from((end + inclusive - start + step - 1) / step).unwrap_or(0);
        let mut most = 1;
        let mut blocks = vec![body];
        while let Some(block) = blocks.pop() {
            for (place, statement) in block.iter().enumerate() {
                if let Statement::Loop { body, continuing, .. } = statement {
                    let before = place.checked_sub(1).and_then(|before| block.get(before));
                    most = most.max(self.repetitions(body, continuing, before)?);
                } else {
                    blocks.extend(inner_blocks(statement));
                }
            }
        }
        Some(count * most)
    }

    fn expression(&self, handle: Handle<Expression>) -> &Expression {
        &self.function.expressions[handle]
    }

    fn is_load_of(&self, handle: Handle<Expression>, local: Handle<LocalVariable>) -> bool {
        let &Expression::Load { pointer } = self.expression(handle) else { return false };
        *self.expression(pointer) == Expression::LocalVariable(local)
    }

    fn literal(&self, handle: Handle<Expression>) -> Option<i64> {
        let module = self.module.module;
        let literal = match *self.expression(handle) {
            Expression::Literal(literal) => literal,
            Expression::Constant(constant) => {
                match module.global_expressions[module.constants[constant].init] {
                    Expression::Literal(literal) => literal,
                    _ => return None,
                }
            }
            _ => return None,
        };
        match literal {
            Literal::U32(value) => Some(value.into()),
            Literal::I32(value) => Some(value.into()),
            _ => None,
        }
    }
}

/// Whether a block repeats the loop around it.
fn has_continue(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Loop { .. } => false,
        other => inner_blocks(other).into_iter().any(has_continue),
    })
}
