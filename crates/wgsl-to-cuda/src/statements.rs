//! Statements.

use super::TranslationError;
use super::function::FunctionText;
use super::loops::LoopBlocks;
use super::uses::{leading_emits, statement_operands};
use naga::{
    AtomicFunction, Barrier, Block, Expression, Function, Handle, Literal, Span, Statement, SwitchCase,
    SwitchValue, TypeInner,
};

impl FunctionText<'_> {
    /// Writes the statements of a block. `last` is an expression that is evaluated directly after the last statement.
    pub fn statements(
        &mut self,
        block: &Block,
        last: Option<Handle<Expression>>,
    ) -> Result<(), TranslationError> {
        let all: Vec<(&Statement, &Span)> = block.span_iter().collect();
        self.listed(&all, last)
    }

    /// Writes a part of a block; as `statements`.
    pub fn listed<'s>(
        &mut self,
        mut rest: &'s [(&'s Statement, &'s Span)],
        last: Option<Handle<Expression>>,
    ) -> Result<(), TranslationError> {
        let mut before = None;
        loop {
            let (emitted, after) = leading_emits(rest);
            let next = match after.first() {
                Some((next, _)) => statement_operands(next),
                None => last.into_iter().collect(),
            };
            let named = self.to_be_named(&emitted, &next);
            for handle in emitted.into_iter().filter(|handle| named.contains(handle)) {
                self.name_value(handle)?;
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

    /// Evaluates an expression here, as a named constant.
    fn name_value(&mut self, handle: Handle<Expression>) -> Result<(), TranslationError> {
        let value = self.value(handle)?;
        let name = self.declare(handle)?;
        self.line(format_args!("{name} = {value};"));
        Ok(())
    }

    /// Returns the declaration `const T name` for an expression; later text uses that name.
    fn declare(&mut self, handle: Handle<Expression>) -> Result<String, TranslationError> {
        let span = self.function.expressions.get_span(handle);
        let type_ = self.module.resolved_name(&self.info[handle].ty, span)?;
        let name = match self.function.named_expressions.get(&handle) {
            Some(name) => self.scope.name(name),
            None => self.scope.name(&format!("e{}", handle.index())),
        };
        let declaration = format!("const {type_} {name}");
        self.named.insert(handle, name);
        Ok(declaration)
    }

    fn statement(&mut self, statement: &Statement, span: Span) -> Result<(), TranslationError> {
        match statement {
            Statement::Block(block) => {
                self.line("{");
                self.within(|text| text.statements(block, None))?;
                self.line("}");
            }
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
                let name = self.declare(*result)?;
                self.line(format_args!("{name} = {value};"));
                self.line("__syncthreads();");
            }
            Statement::Call { function, arguments, result } => self.call(*function, arguments, *result)?,
            other => return Err(self.unsupported(statement_name(other), span)),
        }
        Ok(())
    }

    fn choice(
        &mut self,
        condition: Handle<Expression>,
        accept: &Block,
        reject: &Block,
    ) -> Result<(), TranslationError> {
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
    fn decided(&self, condition: Handle<Expression>) -> Option<bool> {
        match self.function.expressions[condition] {
            Expression::Literal(Literal::Bool(value)) => Some(value),
            Expression::Constant(constant) => {
                let module = self.module.module;
                match module.global_expressions[module.constants[constant].init] {
                    Expression::Literal(Literal::Bool(value)) => Some(value),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn switch(&mut self, selector: Handle<Expression>, cases: &[SwitchCase]) -> Result<(), TranslationError> {
        let selector = self.value(selector)?;
        self.is_at_end = false;
        self.line(format_args!("switch ({selector}) {{"));
        self.within(|text| {
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
                text.line(format_args!("{head} {{"));
                text.within(|text| {
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
                text.line("}");
            }
            Ok(())
        })?;
        self.line("}");
        Ok(())
    }

    fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
    ) -> Result<(), TranslationError> {
        let mut values = Vec::new();
        for &argument in arguments {
            values.push(self.value(argument)?);
        }
        let names = &self.module.names;
        let buffers = self.module.buffers_of(&self.module.info[function]);
        values.extend(buffers.iter().map(|global| names.globals[global].clone()));
        let call = format!("{}({});", names.functions[&function], values.join(", "));
        match result.filter(|&result| self.info[result].ref_count > 0) {
            Some(result) => {
                let name = self.declare(result)?;
                self.line(format_args!("{name} = {call}"));
            }
            None => self.line(call),
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        function: AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result<(), TranslationError> {
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
            AtomicFunction::Exchange { compare: Some(_) } => "atomicCAS",
        };
        let used = result.filter(|&result| self.info[result].ref_count > 0);
        if let AtomicFunction::Exchange { compare: Some(compare) } = function {
            let compare = self.value(compare)?;
            let call = format!("{name}(&{target}, {compare}, {value})");
            let Some(result) = used else {
                self.line(format_args!("{call};"));
                return Ok(());
            };
            let (old, expected) = (self.scope.name("old"), self.scope.name("expected"));
            self.line(format_args!("const auto {expected} = {compare};"));
            self.line(format_args!("const auto {old} = {name}(&{target}, {expected}, {value});"));
            let outcome = self.declare(result)?;
            self.line(format_args!("{outcome} = {{{old}, {old} == {expected}}};"));
            return Ok(());
        }
        match used {
            Some(result) => {
                let outcome = self.declare(result)?;
                self.line(format_args!("{outcome} = {name}(&{target}, {value});"));
            }
            None => self.line(format_args!("{name}(&{target}, {value});")),
        }
        Ok(())
    }

    pub fn points_to_atomic(&self, pointer: Handle<Expression>) -> bool {
        match *self.inner(pointer) {
            TypeInner::Pointer { base, .. } => {
                matches!(self.module.module.types[base].inner, TypeInner::Atomic(_))
            }
            _ => false,
        }
    }
}

/// The name of a statement that is not translated, for the error.
fn statement_name(statement: &Statement) -> String {
    let whole = format!("{statement:?}");
    let name = whole.split([' ', '(', '{']).next().unwrap_or_default();
    format!("the statement `{name}`")
}
