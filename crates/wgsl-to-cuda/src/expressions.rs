//! Expressions: variables, parts of values, loads. Operators and built-in functions are in `arithmetic`.

use super::constants::literal_text;
use super::error::Result;
use super::function::FunctionText;
use super::uses::Value;
use naga::{AddressSpace, ArraySize, Expression, GlobalVariable, Handle, Span, Type, TypeInner};

/// The names of a vector's components.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

impl FunctionText<'_> {
    /// The text of an expression in a place where it needs no parentheses: the value's name if it has one, else the
    /// whole expression.
    pub fn value(&self, handle: Value) -> Result<String> {
        if let Some(name) = self.named.get(&handle) {
            return Ok(name.clone());
        }
        let span = self.function.expressions.get_span(handle);
        if self.ended.contains(&handle) {
            return Err(
                self.unsupported("a value of a loop's body in its continuing block, after `continue`,", span)
            );
        }
        match &self.function.expressions[handle] {
            Expression::Literal(literal) => literal_text(*literal)
                .ok_or_else(|| self.unsupported(format!("the literal {literal:?}"), span)),
            Expression::Constant(constant) => Ok(self.module.names.constants[constant].clone()),
            Expression::ZeroValue(type_) => Ok(format!("{}{{}}", self.module.type_name(*type_)?)),
            Expression::Compose { ty, components } => self.compose(*ty, components),
            Expression::Splat { size, value } => {
                Ok(format!("wgsl::splat{}({})", *size as u8, self.value(*value)?))
            }
            Expression::Swizzle { size, vector, pattern } => {
                let (type_, vector) =
                    (self.module.resolved_name(&self.info[handle].ty, span)?, self.operand(*vector)?);
                let taken = &pattern[..*size as usize];
                let parts: Vec<_> =
                    taken.iter().map(|&part| format!("{vector}.{}", COMPONENTS[part as usize])).collect();
                Ok(format!("{type_}{{{}}}", parts.join(", ")))
            }
            Expression::FunctionArgument(index) => Ok(self.arguments[*index as usize].clone()),
            Expression::GlobalVariable(global) => Ok(self.global(*global)),
            Expression::LocalVariable(local) => Ok(self.locals[local].clone()),
            Expression::Access { base, index } => self.element(*base, &self.value(*index)?),
            Expression::AccessIndex { base, index } => self.part(*base, *index, span),
            Expression::Load { pointer } => self.load(*pointer),
            other => self.computed(handle, other, span),
        }
    }

    /// The text of an expression as an operand of an operator that binds tightest: in parentheses if it needs them.
    pub fn operand(&self, handle: Value) -> Result<String> {
        let value = self.value(handle)?;
        let loose = match self.function.expressions[handle] {
            Expression::Unary { .. } => true,
            Expression::Binary { .. } | Expression::Select { .. } => !self.is_call(handle),
            // A negative number.
            Expression::Literal(_) => value.starts_with('-'),
            _ => false,
        };
        Ok(if loose && !self.named.contains_key(&handle) { format!("({value})") } else { value })
    }

    fn compose(&self, type_: Handle<Type>, components: &[Value]) -> Result<String> {
        let into_vector = matches!(self.module.module.types[type_].inner, TypeInner::Vector { .. });
        let mut parts = Vec::new();
        for &component in components {
            match *self.inner(component) {
                TypeInner::Vector { size, .. } if into_vector => {
                    let vector = self.operand(component)?;
                    parts.extend(COMPONENTS[..size as usize].iter().map(|name| format!("{vector}.{name}")));
                }
                _ => parts.push(self.value(component)?),
            }
        }
        self.module.composed(type_, &parts)
    }

    /// The text of a buffer or of a variable in shared memory. A buffer that is not an array is dereferenced: it is
    /// passed as a pointer.
    fn global(&self, handle: Handle<GlobalVariable>) -> String {
        let global = &self.module.module.global_variables[handle];
        let name = self.module.names.globals[&handle].clone();
        let is_list = matches!(
            self.module.module.types[global.ty].inner,
            TypeInner::Array { size: ArraySize::Dynamic, .. }
        );
        match global.space {
            AddressSpace::Storage { .. } if !is_list => format!("(*{name})"),
            _ => name,
        }
    }

    /// The text of an element of an array or a component of a vector, at an index known only at run time.
    fn element(&self, base: Value, index: &str) -> Result<String> {
        let whole = self.operand(base)?;
        Ok(match (self.pointee(base), self.is_pointer(base)) {
            (TypeInner::Vector { .. }, true) => format!("wgsl::lane_of({whole}, {index})"),
            (TypeInner::Vector { .. }, false) => format!("wgsl::lane({whole}, {index})"),
            _ => format!("{whole}[{index}]"),
        })
    }

    /// The text of a member, element or component at a constant index.
    fn part(&self, base: Value, index: u32, span: Span) -> Result<String> {
        let whole = self.operand(base)?;
        match self.pointee(base) {
            TypeInner::Vector { .. } => Ok(format!("{whole}.{}", COMPONENTS[index as usize])),
            TypeInner::Struct { .. } => {
                let type_ =
                    self.struct_of(base).ok_or_else(|| self.unsupported("a nameless struct", span))?;
                Ok(format!("{whole}.{}", self.module.names.members[&type_][index as usize]))
            }
            TypeInner::Array { .. } => Ok(format!("{whole}[{index}]")),
            other => Err(self.unsupported(format!("a part of {other:?}"), span)),
        }
    }

    /// Refuses a copy of a whole array in shared memory whose layout differs from that of values.
    pub fn check_whole(&self, pointer: Value) -> Result<()> {
        match (self.inner(pointer), self.pointee(pointer)) {
            (TypeInner::Pointer { space: AddressSpace::WorkGroup, .. }, TypeInner::Array { base, .. })
                if self.module.is_three(*base) =>
            {
                let span = self.function.expressions.get_span(pointer);
                Err(self.unsupported("a copy of a whole array of vec3 in workgroup memory", span))
            }
            _ => Ok(()),
        }
    }

    fn load(&self, pointer: Value) -> Result<String> {
        self.check_whole(pointer)?;
        if self.points_to_atomic(pointer) {
            return Ok(format!("wgsl::atomic_load({})", self.operand(pointer)?));
        }
        if let Expression::Access { base, index } = self.function.expressions[pointer] {
            let in_registers =
                matches!(self.inner(base), TypeInner::Pointer { space: AddressSpace::Function, .. });
            if in_registers && matches!(self.pointee(base), TypeInner::Vector { .. }) {
                return Ok(format!("wgsl::lane({}, {})", self.operand(base)?, self.value(index)?));
            }
        }
        self.value(pointer)
    }

    /// The type of an expression; for a pointer, the type it points to.
    fn pointee(&self, handle: Value) -> &TypeInner {
        match *self.inner(handle) {
            TypeInner::Pointer { base, .. } => &self.module.module.types[base].inner,
            ref inner => inner,
        }
    }

    fn struct_of(&self, handle: Value) -> Option<Handle<Type>> {
        let pointee = self.inner(handle).pointer_base_type();
        pointee.as_ref().unwrap_or(&self.info[handle].ty).handle()
    }
}
