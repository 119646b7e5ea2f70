//! Literals, and the module's constants.

use super::ModuleText;
use super::error::Result;
use super::types::Field;
use super::uses::Value;
use naga::{Expression, Handle, Literal, Type, TypeInner};
use std::fmt::Write;

impl ModuleText<'_> {
    pub fn write_constants(&self, source: &mut String) -> Result<()> {
        for (handle, constant) in self.module.constants.iter() {
            let (type_, name) = (self.type_name(constant.ty)?, &self.names.constants[&handle]);
            let value = self.constant_text(constant.init)?;
            let _ = writeln!(source, "constexpr {type_} {name} = {value};");
        }
        Ok(())
    }

    /// The text of a constant expression of the module.
    fn constant_text(&self, handle: Value) -> Result<String> {
        let span = self.module.global_expressions.get_span(handle);
        match &self.module.global_expressions[handle] {
            Expression::Literal(literal) => literal_text(*literal)
                .ok_or_else(|| self.unsupported(format!("the literal {literal:?}"), span)),
            Expression::Constant(constant) => Ok(self.names.constants[constant].clone()),
            Expression::ZeroValue(type_) => Ok(format!("{}{{}}", self.type_name(*type_)?)),
            Expression::Compose { ty, components } => {
                let parts: Result<Vec<_>, _> =
                    components.iter().map(|&part| self.constant_text(part)).collect();
                self.composed(*ty, &parts?)
            }
            Expression::Splat { size, value } => {
                let value = self.constant_text(*value)?;
                let type_ = self.resolved_name(&self.info[handle], span)?;
                Ok(format!("{type_}{{{}}}", vec![value; *size as usize].join(", ")))
            }
            other => Err(self.unsupported(format!("the constant expression {other:?}"), span)),
        }
    }

    /// The text of a composed value; `parts` has one text for each component, element or member.
    pub fn composed(&self, handle: Handle<Type>, parts: &[String]) -> Result<String> {
        let name = self.type_name(handle)?;
        match &self.module.types[handle].inner {
            TypeInner::Array { base, .. } if self.is_three(*base) => {
                let element = self.element_name(*base)?;
                let elements: Vec<String> = parts.iter().map(|part| format!("{element}({part})")).collect();
                Ok(format!("{name}{{{{{}}}}}", elements.join(", ")))
            }
            TypeInner::Array { .. } => Ok(format!("{name}{{{{{}}}}}", parts.join(", "))),
            TypeInner::Struct { .. } => {
                let fields = self.fields(handle);
                let part = |field: &Field| match *field {
                    Field::Member(index) => parts[index].clone(),
                    Field::Padding(_) => "{}".to_owned(),
                };
                Ok(format!("{name}{{{}}}", fields.iter().map(part).collect::<Vec<_>>().join(", ")))
            }
            _ => Ok(format!("{name}{{{}}}", parts.join(", "))),
        }
    }
}

/// The text of a literal; `None` for types that are not translated.
pub(crate) fn literal_text(literal: Literal) -> Option<String> {
    match literal {
        Literal::F32(value) => Some(format!("{value:?}f")),
        Literal::U32(value) => Some(format!("{value}u")),
        Literal::I32(i32::MIN) => Some("(-2147483647 - 1)".to_owned()),
        Literal::I32(value) => Some(value.to_string()),
        Literal::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}
