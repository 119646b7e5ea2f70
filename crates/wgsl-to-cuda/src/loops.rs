//! Loops.
//!
//! naga has one kind of loop: a body, and a continuing block that runs before each repetition. A `for` or `while` of
//! WGSL is written as `for` or `while` again, because compilers unroll these; any other loop becomes `for (;;)`. A loop
//! that runs at most [`MOST_UNROLLED`] times, multiplied by the loops inside it, is marked to be unrolled, which keeps
//! small arrays in registers.

use super::error::Result;
use super::function::FunctionText;
use super::uses::{Value, inner_blocks, leading_emits};
use naga::{BinaryOperator, Block, Expression, Handle, Literal, LocalVariable, Span, Statement};

/// Limit of unrolling: repetitions of the innermost body.
const MOST_UNROLLED: u64 = 64;

/// A loop as naga has it.
#[derive(Clone, Copy)]
pub struct LoopBlocks<'b> {
    pub body: &'b Block,
    pub continuing: &'b Block,
    /// The condition that ends the loop after the continuing block.
    pub break_if: Option<Value>,
}

/// An assignment.
#[derive(Clone, Copy)]
struct Assignment {
    pointer: Value,
    value: Value,
}

/// The parts of a loop that `for` and `while` are made of.
struct Parts<'b> {
    /// The condition tested first in the body: the loop ends when it is false. `None` if the body does not begin so.
    condition: Option<Value>,
    /// The body after the test of the condition.
    rest: Vec<(&'b Statement, &'b Span)>,
    /// The assignment that is the whole continuing block; `None` if that is anything else.
    step: Option<Assignment>,
}

impl FunctionText<'_> {
    pub fn write_loop(&mut self, blocks: LoopBlocks<'_>, before: Option<&Statement>) -> Result<()> {
        self.is_at_end = false;
        let LoopBlocks { continuing, break_if, .. } = blocks;
        let Parts { condition, rest, step } = self.parts(blocks);
        let simple = continuing.is_empty() && break_if.is_none();
        if !simple && step.is_none() {
            return self.write_with_continuing(blocks);
        }
        if let (Some(condition), Some(step)) = (condition, step) {
            let count = self.repetitions(condition, step, before);
            let inside = self.repetitions_inside(&rest);
            if count.zip(inside).is_some_and(|(count, inside)| count * inside <= MOST_UNROLLED) {
                self.line("#pragma unroll");
            }
        }
        let condition = condition.map(|condition| self.value(condition)).transpose()?;
        let head = match (step, condition) {
            (Some(Assignment { pointer, value }), condition) => {
                let condition = condition.map(|condition| format!(" {condition}")).unwrap_or_default();
                format!("for (;{condition}; {} = {}) {{", self.operand(pointer)?, self.value(value)?)
            }
            (None, Some(condition)) => format!("while ({condition}) {{"),
            (None, None) => "for (;;) {".to_owned(),
        };
        self.labels.push(None);
        self.braced(head, |text| match rest.as_slice() {
            [(Statement::Block(inner), _)] => text.statements(inner, None),
            rest => text.listed(rest, None),
        })?;
        self.labels.pop();
        Ok(())
    }

    /// Writes a loop whose continuing block is more than a step: `continue` becomes a jump to that block.
    fn write_with_continuing(
        &mut self,
        LoopBlocks { body, continuing, break_if }: LoopBlocks<'_>,
    ) -> Result<()> {
        let label = has_continue(body).then(|| self.scope.name("next"));
        self.labels.push(label.clone());
        self.braced("for (;;) {", |text| {
            match label {
                None => text.statements(body, None)?,
                Some(label) => {
                    text.braced("{", |text| text.statements(body, None))?;
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
        Ok(())
    }

    fn parts<'b>(&self, LoopBlocks { body, continuing, break_if }: LoopBlocks<'b>) -> Parts<'b> {
        let mut rest: Vec<_> = body.span_iter().collect();
        let mut condition = None;
        let (emitted, after) = leading_emits(&rest);
        if let [(Statement::If { condition: tested, accept, reject }, _), following @ ..] = after {
            let ends = accept.is_empty() && matches!(&reject[..], [Statement::Break]);
            if ends && self.to_be_named(&emitted, &[*tested]).is_empty() {
                condition = Some(*tested);
                rest = following.to_vec();
            }
        }
        let all: Vec<_> = continuing.span_iter().collect();
        let (emitted, after) = leading_emits(&all);
        let step = match after {
            [(Statement::Store { pointer, value }, _)] if break_if.is_none() => {
                let plain = !self.points_to_atomic(*pointer);
                (plain && self.to_be_named(&emitted, &[*pointer, *value]).is_empty())
                    .then_some(Assignment { pointer: *pointer, value: *value })
            }
            _ => None,
        };
        Parts { condition, rest, step }
    }

    /// The number of repetitions of a loop; known only for loops that count from one literal up to another.
    fn repetitions(
        &self,
        condition: Value,
        Assignment { pointer, value }: Assignment,
        before: Option<&Statement>,
    ) -> Option<u64> {
        let &Expression::LocalVariable(counter) = self.expression(pointer) else { return None };
        let &Expression::Binary { op, left, right } = self.expression(condition) else { return None };
        let inclusive = match op {
            BinaryOperator::Less => 0,
            BinaryOperator::LessEqual => 1,
            _ => return None,
        };
        let &Expression::Binary { op: BinaryOperator::Add, left: counted, right: step } =
            self.expression(value)
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
                self.number(*value)?
            }
            _ => self.number(self.function.local_variables[counter].init?)?,
        };
        let (end, step) = (self.number(right)?, self.number(step)?);
        let steps = (step > 0).then(|| (end + inclusive - start + step - 1) / step)?;
        Some(u64::try_from(steps).unwrap_or(0))
    }

    /// The number of repetitions of the innermost body among `statements`, 1 without a loop; `None` if it is not known.
    fn repetitions_inside(&self, statements: &[(&Statement, &Span)]) -> Option<u64> {
        let mut most = 1;
        let mut before = None;
        for &(statement, _) in statements {
            if let Statement::Loop { body, continuing, break_if } = statement {
                let parts = self.parts(LoopBlocks { body, continuing, break_if: *break_if });
                let count = self.repetitions(parts.condition?, parts.step?, before)?;
                most = most.max(count * self.repetitions_inside(&parts.rest)?);
            }
            for block in inner_blocks(statement) {
                if !matches!(statement, Statement::Loop { .. }) {
                    most = most.max(self.repetitions_inside(&block.span_iter().collect::<Vec<_>>())?);
                }
            }
            if !matches!(statement, Statement::Emit(_)) {
                before = Some(statement);
            }
        }
        Some(most)
    }

    fn expression(&self, handle: Value) -> &Expression {
        &self.function.expressions[handle]
    }

    fn is_load_of(&self, handle: Value, local: Handle<LocalVariable>) -> bool {
        let &Expression::Load { pointer } = self.expression(handle) else { return false };
        *self.expression(pointer) == Expression::LocalVariable(local)
    }

    /// The literal of an expression, or of the constant that it names.
    pub fn literal(&self, handle: Value) -> Option<Literal> {
        let module = self.module.module;
        let named = match *self.expression(handle) {
            Expression::Constant(constant) => &module.global_expressions[module.constants[constant].init],
            ref own => own,
        };
        if let Expression::Literal(literal) = *named { Some(literal) } else { None }
    }

    fn number(&self, handle: Value) -> Option<i64> {
        match self.literal(handle)? {
            Literal::U32(value) => Some(value.into()),
            Literal::I32(value) => Some(value.into()),
            _ => None,
        }
    }
}

/// Whether a block has a `continue` of the loop around it.
fn has_continue(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Continue => true,
        Statement::Loop { .. } => false,
        other => inner_blocks(other).into_iter().any(has_continue),
    })
}
