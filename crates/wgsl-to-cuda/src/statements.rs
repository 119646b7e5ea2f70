//! Statements.

use super::error::{Result, variant};
use super::function::FunctionText;
use super::loops::LoopBlocks;
use super::uses::{Value, leading_emits, statement_operands};
use naga::{
    AtomicFunction, Barrier, Block, Function, Handle, Literal, Span, Statement, SwitchCase, SwitchValue,
};

impl FunctionText<'_> {
    /// Writes the statements of a block. `last` is an expression that is evaluated directly after the last statement.
    pub fn statements(&mut self, block: &Block, last: Option<Value>) -> Result<()> {
        let all: Vec<(&Statement, &Span)> = block.span_iter().collect();
        self.listed(&all, last)
    }

    /// Writes a part of a block; as `statements`.
    pub fn listed<'s>(
        &mut self,
        mut rest: &'s [(&'s Statement, &'s Span)],
        last: Option<Value>,
    ) -> Result<()> {
        let mut before = None;
        loop {
            let (emitted, after) = leading_emits(rest);
            let next = match after.first() {
                Some((next, _)) => statement_operands(next),
                None => last.into_iter().collect(),
            };
            let named = self.to_be_named(&emitted, &next);
            for handle in emitted.into_iter().filter(|handle| named.contains(handle)) {
                let value = self.value(handle)?;
                self.declare(handle, &value)?;
            }
            let Some((&(statement, &span), following)) = after.split_first() else { return Ok(()) };
            let is_at_end = self.is_at_end;
            self.is_at_end &= following.is_empty();
            match statement {
                Statement::Loop { body, continuing, break_if } => {
                    self.write_loop(LoopBlocks { body, continuing, break_if: *break_if }, before)?;
                }
                // Of several barriers in succession only the first is written.
                Statement::ControlBarrier(_) if matches!(before, Some(Statement::ControlBarrier(_))) => {}
                statement => self.statement(statement, span)?,
            }
            self.is_at_end = is_at_end;
            before = Some(statement);
            rest = following;
        }
    }

    /// Writes the declaration of a value as a named constant; later text uses that name.
    fn declare(&mut self, handle: Value, value: &str) -> Result<()> {
        let span = self.function.expressions.get_span(handle);
        let type_ = self.module.resolved_name(&self.info[handle].ty, span)?;
        let name = match self.function.named_expressions.get(&handle) {
            Some(name) => self.scope.name(name),
            None => self.scope.name(&format!("e{}", handle.index())),
        };
        self.line(format_args!("const {type_} {name} = {value};"));
        self.named.insert(handle, name);
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, span: Span) -> Result<()> {
        match statement {
            Statement::Block(block) => self.braced("{", |text| text.statements(block, None))?,
            Statement::If { condition, accept, reject } => self.choice(*condition, accept, reject)?,
            Statement::Switch { selector, cases } => self.switch(*selector, cases)?,
            Statement::Break => self.line("break;"),
            Statement::Continue => match self.labels.last() {
                Some(Some(label)) => self.line(format!("goto {label};")),
                _ => self.line("continue;"),
            },
            Statement::Return { value: None } if self.is_at_end => {}
            Statement::Return { value: None } => self.line("return;"),
            Statement::Return { value: Some(value) } => {
                let value = self.value(*value)?;
                self.line(format_args!("return {value};"));
            }
            Statement::ControlBarrier(barrier)
                if !barrier.intersects(Barrier::SUB_GROUP | Barrier::TEXTURE) =>
            {
                self.line("__syncthreads();");
            }
            Statement::Store { pointer, value } => {
                self.check_whole(*pointer)?;
                let (target, value) = (self.operand(*pointer)?, self.value(*value)?);
                if self.points_to_atomic(*pointer) {
                    self.line(format_args!("wgsl::atomic_store({target}, {value});"));
                } else {
                    self.line(format_args!("{target} = {value};"));
                }
            }
            Statement::Atomic { pointer, fun, value, result } => {
                self.atomic(*pointer, *fun, *value, *result)?;
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.line("__syncthreads();");
                let value = self.operand(*pointer)?;
                self.declare(*result, &value)?;
                self.line("__syncthreads();");
            }
            Statement::Call { function, arguments, result } => self.call(*function, arguments, *result)?,
            other => {
                return Err(self.unsupported(format!("the statement `{}`", variant(other)), span));
            }
        }
        Ok(())
    }

    fn choice(&mut self, condition: Value, accept: &Block, reject: &Block) -> Result<()> {
        if let Some(is_true) = self.decided(condition) {
            return self.statements(if is_true { accept } else { reject }, None);
        }
        if accept.is_empty() {
            let condition = self.operand(condition)?;
            self.line(format_args!("if (!{condition}) {{"));
            self.within(|text| text.statements(reject, None))?;
        } else {
            let condition = self.value(condition)?;
            self.line(format_args!("if ({condition}) {{"));
            self.within(|text| text.statements(accept, None))?;
            let only_returns = matches!(&reject[..], [Statement::Return { value: None }]);
            if !(reject.is_empty() || only_returns && self.is_at_end) {
                self.line("} else {");
                self.within(|text| text.statements(reject, None))?;
            }
        }
        self.line("}");
        Ok(())
    }

    /// The condition's value if the kernel's constants determine it.
    fn decided(&self, condition: Value) -> Option<bool> {
        match self.literal(condition)? {
            Literal::Bool(value) => Some(value),
            _ => None,
        }
    }

    fn switch(&mut self, selector: Value, cases: &[SwitchCase]) -> Result<()> {
        let selector = self.value(selector)?;
        self.is_at_end = false;
        self.braced(format_args!("switch ({selector}) {{"), |text| {
            for case in cases {
                let head = match case.value {
                    SwitchValue::I32(i32::MIN) => "case (-2147483647 - 1):".to_owned(),
                    SwitchValue::I32(value) => format!("case {value}:"),
                    SwitchValue::U32(value) => format!("case {value}u:"),
                    SwitchValue::Default => "default:".to_owned(),
                };
                if case.fall_through && case.body.is_empty() {
                    text.line(head);
                    continue;
                }
                text.braced(format_args!("{head} {{"), |text| {
                    text.statements(&case.body, None)?;
                    let ends = matches!(
                        case.body.last(),
                        Some(Statement::Break | Statement::Continue | Statement::Return { .. })
                    );
                    if !ends && !case.fall_through {
                        text.line("break;");
                    }
                    Ok(())
                })?;
            }
            Ok(())
        })
    }

    fn call(&mut self, function: Handle<Function>, arguments: &[Value], result: Option<Value>) -> Result<()> {
        let mut values = arguments.iter().map(|&each| self.value(each)).collect::<Result<Vec<_>>>()?;
        let names = &self.module.names;
        let buffers = self.module.buffers_of(&self.module.info[function]);
        values.extend(buffers.iter().map(|global| names.globals[global].clone()));
        let call = format!("{}({})", names.functions[&function], values.join(", "));
        self.keep(result, &call)
    }

    /// Writes a call whose result may be used later.
    fn keep(&mut self, result: Option<Value>, call: &str) -> Result<()> {
        match result.filter(|&result| self.info[result].ref_count > 0) {
            Some(result) => self.declare(result, call)?,
            None => self.line(format_args!("{call};")),
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        pointer: Value,
        function: AtomicFunction,
        value: Value,
        result: Option<Value>,
    ) -> Result<()> {
        let (target, value) = (self.operand(pointer)?, self.value(value)?);
        let name = match function {
            AtomicFunction::Add => "atomicAdd",
            AtomicFunction::Subtract => "atomicSub",
            AtomicFunction::And => "atomicAnd",
            AtomicFunction::ExclusiveOr => "atomicXor",
            AtomicFunction::InclusiveOr => "atomicOr",
            AtomicFunction::Min => "atomicMin",
            AtomicFunction::Max => "atomicMax",
            AtomicFunction::Exchange { compare: None } => "atomicExch",
            AtomicFunction::Exchange { compare: Some(compare) } => {
                return self.compare_and_exchange(&target, compare, &value, result);
            }
        };
        self.keep(result, &format!("{name}(&{target}, {value})"))
    }

    fn compare_and_exchange(
        &mut self,
        target: &str,
        compare: Value,
        value: &str,
        result: Option<Value>,
    ) -> Result<()> {
        let compare = self.value(compare)?;
        let Some(result) = result.filter(|&result| self.info[result].ref_count > 0) else {
            self.line(format_args!("atomicCAS(&{target}, {compare}, {value});"));
            return Ok(());
        };
        let (old, expected) = (self.scope.name("old"), self.scope.name("expected"));
        self.line(format_args!("const auto {expected} = {compare};"));
        self.line(format_args!("const auto {old} = atomicCAS(&{target}, {expected}, {value});"));
        self.declare(result, &format!("{{{old}, {old} == {expected}}}"))
    }

    pub fn points_to_atomic(&self, pointer: Value) -> bool {
        self.inner(pointer).is_atomic_pointer(&self.module.module.types)
    }
}
