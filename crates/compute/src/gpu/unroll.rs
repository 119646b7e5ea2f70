//! Loops over small arrays, written out.
//!
//! A window of samples that slides along a line stands in an array of the function, and is only as fast as a register where
//! every index is a constant. CUDA's compiler unrolls loops when it is told to; compilers of SPIR-V, Metal and DX12 leave
//! most of them, and the arrays go to memory. So a loop that counts from one literal to another and indexes such an array is
//! repeated here, in naga's intermediate form, with its counter set to a literal before each repetition: the same operations
//! in the same order.

use super::repetition::Repetition;
use super::{Launch, cuda_text};
use naga::{
    Arena, BinaryOperator, Block, Expression, Function, Handle, Literal, LocalVariable, Module, Span,
    Statement,
};

use std::collections::HashMap;

/// Repetitions of the innermost body.
const MOST_REPETITIONS: u64 = 64;

/// A launch's module with its constants filled in and its loops written out; none if there are no such loops.
pub(super) fn unrolled(launch: &Launch<'_>) -> Option<Module> {
    // Whatever is wrong with the text is said where it is compiled as it is.
    let mut module = cuda_text::specialise(&launch.text.whole(), launch.entry, launch.constants).ok()?.0;
    unroll(&mut module).then_some(module)
}

/// Writes out the loops of a module that has no `override` left; says whether there was one.
fn unroll(module: &mut Module) -> bool {
    let constants = literals_of(module);
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let points = module.entry_points.iter_mut().map(|point| &mut point.function);
    let mut changed = false;
    for function in functions.chain(points) {
        let mut writes = Writes::new();
        count_writes(&function.body, &function.expressions, &mut writes);
        let mut body = std::mem::take(&mut function.body);
        let mut unroller = Unroller { constants: &constants, writes, changed: false };
        unroller.block(&mut body, function, Depth::Straight);
        changed |= unroller.changed;
        function.body = body;
    }
    changed
}

/// The values of a module's constants, where they are whole numbers.
fn literals_of(module: &Module) -> Vec<Option<Literal>> {
    let value = |(_, constant): (_, &naga::Constant)| match module.global_expressions[constant.init] {
        Expression::Literal(literal) => Some(literal),
        _ => None,
    };
    module.constants.iter().map(value).collect()
}

/// Whether a statement runs once, or as often as a loop around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Straight,
    InLoop,
}

/// Statements that write to each variable.
type Writes = HashMap<Handle<LocalVariable>, usize>;

struct Unroller<'m> {
    constants: &'m [Option<Literal>],
    writes: Writes,
    changed: bool,
}

/// A loop that can be written out.
struct Plan {
    /// The counter, as it is stored to.
    pointer: Handle<Expression>,
    /// Its values, and the one after the last.
    values: Vec<i64>,
    end: i64,
    signed: bool,
    /// What is repeated.
    body: Block,
}

impl Unroller<'_> {
    /// Writes out what it can; returns how often the innermost body of what was written out is repeated, none if a loop is
    /// left.
    fn block(&mut self, block: &mut Block, function: &mut Function, depth: Depth) -> Option<u64> {
        let mut out = Block::with_capacity(block.len());
        let mut most = Some(1);
        let mut before = None;
        for (mut statement, span) in std::mem::take(block).span_into_iter() {
            let within = match &mut statement {
                Statement::Block(inner) => self.block(inner, function, depth),
                Statement::If { accept, reject, .. } => {
                    let (a, b) = (self.block(accept, function, depth), self.block(reject, function, depth));
                    a.zip(b).map(|(a, b)| a.max(b))
                }
                Statement::Switch { cases, .. } => {
                    let inside = cases.iter_mut().map(|case| self.block(&mut case.body, function, depth));
                    let inside: Vec<_> = inside.collect();
                    inside.into_iter().collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max())
                }
                Statement::Loop { body, continuing, break_if } => {
                    let inside = self.block(body, function, Depth::InLoop);
                    let plan = match break_if {
                        None => self.plan((body, continuing), before, function, depth),
                        Some(_) => None,
                    };
                    let repeated =
                        plan.as_ref().zip(inside).map(|(p, inside)| p.values.len() as u64 * inside);
                    let fits = repeated.is_some_and(|repeated| repeated <= MOST_REPETITIONS);
                    let written = plan.filter(|_| fits).and_then(|plan| write_out(&plan, function));
                    if let Some(written) = written {
                        self.changed = true;
                        out.extend_block(written);
                        before = None;
                        most = most.zip(repeated).map(|(a, b)| a.max(b));
                        continue;
                    }
                    None
                }
                _ => Some(1),
            };
            most = most.zip(within).map(|(a, b)| a.max(b));
            if !matches!(statement, Statement::Emit(_)) {
                before = match statement {
                    Statement::Store { pointer, value } => Some((pointer, value)),
                    _ => None,
                };
            }
            out.push(statement, span);
        }
        *block = out;
        most
    }

    /// How a loop is written out; none if it does not count, or indexes no array of the function.
    fn plan(
        &self,
        (body, continuing): (&Block, &Block),
        before: Option<(Handle<Expression>, Handle<Expression>)>,
        function: &Function,
        depth: Depth,
    ) -> Option<Plan> {
        let expressions = &function.expressions;
        let tested = body.iter().position(|s| !matches!(s, Statement::Emit(_)))?;
        let Statement::If { condition, accept, reject } = &body[tested] else { return None };
        let ends = accept.is_empty() && matches!(&reject[..], [Statement::Break]);
        let step = continuing.iter().filter(|s| !matches!(s, Statement::Emit(_))).collect::<Vec<_>>();
        let [Statement::Store { pointer, value }] = step[..] else { return None };
        let Expression::LocalVariable(counter) = expressions[*pointer] else { return None };
        let Expression::Binary { op, left, right } = expressions[*condition] else { return None };
        let Expression::Binary { op: BinaryOperator::Add, left: counted, right: by } = expressions[*value]
        else {
            return None;
        };
        let inclusive = match op {
            BinaryOperator::Less => 0,
            BinaryOperator::LessEqual => 1,
            _ => return None,
        };
        let counts = is_load_of(expressions, left, counter) && is_load_of(expressions, counted, counter);
        let start = match before {
            Some((pointer, value)) if expressions[pointer] == Expression::LocalVariable(counter) => value,
            // What the counter was declared with still holds where nothing else changes it and this runs once.
            _ if depth == Depth::Straight && self.writes.get(&counter) == Some(&1) => {
                function.local_variables[counter].init?
            }
            _ => return None,
        };
        let (start, signed) = self.literal(expressions, start)?;
        let ((end, _), (by, _)) = (self.literal(expressions, right)?, self.literal(expressions, by)?);
        let mut repeated = Block::new();
        for (nth, (statement, span)) in body.span_iter().enumerate() {
            if nth != tested {
                repeated.push(statement.clone(), *span);
            }
        }
        let whole = ends && counts && by > 0 && end - start <= by * MOST_REPETITIONS as i64;
        if !whole || leaves(&repeated) || changes(&repeated, expressions, counter) {
            return None;
        }
        if !indexes_local_array(&repeated, expressions) {
            return None;
        }
        let values: Vec<i64> = (0..).map(|n| start + n * by).take_while(|v| *v < end + inclusive).collect();
        let end = start + values.len() as i64 * by;
        // What never runs stays: results of its calls would be left without one.
        if values.is_empty() {
            return None;
        }
        Some(Plan { pointer: *pointer, values, end, signed, body: repeated })
    }

    fn literal(&self, expressions: &Arena<Expression>, handle: Handle<Expression>) -> Option<(i64, bool)> {
        let literal = match expressions[handle] {
            Expression::Literal(literal) => literal,
            Expression::Constant(constant) => self.constants[constant.index()]?,
            _ => return None,
        };
        match literal {
            Literal::U32(value) => Some((value.into(), false)),
            Literal::I32(value) => Some((value.into(), true)),
            _ => None,
        }
    }
}

/// The repetitions one after the other; none if the body cannot be repeated.
fn write_out(plan: &Plan, function: &mut Function) -> Option<Block> {
    let mut out = Block::new();
    let set = |value: i64, out: &mut Block, expressions: &mut Arena<Expression>| {
        // The values lie between literals of the same type.
        let literal = if plan.signed { Literal::I32(value as i32) } else { Literal::U32(value as u32) };
        let value = expressions.append(Expression::Literal(literal), Span::default());
        out.push(Statement::Store { pointer: plan.pointer, value }, Span::default());
    };
    for (nth, &value) in plan.values.iter().enumerate() {
        set(value, &mut out, &mut function.expressions);
        let body = match nth {
            // Results of calls want a call, so that the first repetition is the body itself.
            0 => plan.body.clone(),
            _ => Repetition::new(&mut function.expressions).block(&plan.body)?,
        };
        out.push(Statement::Block(body), Span::default());
    }
    set(plan.end, &mut out, &mut function.expressions);
    Some(out)
}

fn is_load_of(
    expressions: &Arena<Expression>,
    handle: Handle<Expression>,
    local: Handle<LocalVariable>,
) -> bool {
    let Expression::Load { pointer } = expressions[handle] else { return false };
    expressions[pointer] == Expression::LocalVariable(local)
}

/// Blocks within a statement.
fn inner_blocks(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        _ => Vec::new(),
    }
}

/// Whether a loop's body ends it, or a repetition, from within.
fn leaves(body: &Block) -> bool {
    body.iter().any(|statement| match statement {
        Statement::Break | Statement::Continue => true,
        // Theirs are their own; a `continue` inside a switch is the loop's, but rare enough to be left alone with it.
        Statement::Loop { .. } => false,
        other => inner_blocks(other).into_iter().any(leaves),
    })
}

/// Whether a body writes to a variable, or hands it to someone who could.
fn changes(body: &Block, expressions: &Arena<Expression>, local: Handle<LocalVariable>) -> bool {
    let is_local = |handle: Handle<Expression>| expressions[handle] == Expression::LocalVariable(local);
    body.iter().any(|statement| match statement {
        Statement::Store { pointer, .. } => is_local(*pointer),
        Statement::Call { arguments, .. } => arguments.iter().any(|&argument| is_local(argument)),
        other => inner_blocks(other).into_iter().any(|inner| changes(inner, expressions, local)),
    })
}

/// How many statements write to each variable, or could through a pointer.
fn count_writes(block: &Block, expressions: &Arena<Expression>, writes: &mut Writes) {
    let mut count = |handle: Handle<Expression>| {
        if let Expression::LocalVariable(local) = expressions[handle] {
            *writes.entry(local).or_default() += 1;
        }
    };
    for statement in block {
        match statement {
            Statement::Store { pointer, .. } => count(*pointer),
            Statement::Call { arguments, .. } => arguments.iter().copied().for_each(&mut count),
            _ => {}
        }
    }
    for inner in block.iter().flat_map(inner_blocks) {
        count_writes(inner, expressions, writes);
    }
}

/// Whether a body reads or writes an array of the function at an index that is no constant.
fn indexes_local_array(body: &Block, expressions: &Arena<Expression>) -> bool {
    let of_function = |mut handle: Handle<Expression>| loop {
        match expressions[handle] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => handle = base,
            Expression::LocalVariable(_) | Expression::FunctionArgument(_) => return true,
            _ => return false,
        }
    };
    body.iter().any(|statement| match statement {
        Statement::Emit(range) => range.clone().any(|handle| match expressions[handle] {
            Expression::Access { base, .. } => of_function(base),
            _ => false,
        }),
        other => inner_blocks(other).into_iter().any(|inner| indexes_local_array(inner, expressions)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of loops left in the only function of a body, and of statements that store a literal to a counter.
    fn loops_left(body: &str) -> (bool, usize) {
        let wgsl = format!(
            "@group(0) @binding(1) var<storage, read_write> out: array<f32>;
             override COUNT: u32 = 3u;
             @compute @workgroup_size(1) fn go() {{ var window: array<f32, 8>; {body} out[0] = window[7]; }}"
        );
        let (mut module, _) = cuda_text::specialise(&wgsl, "go", &[("COUNT", 4.0)]).unwrap();
        let changed = unroll(&mut module);
        let flags = naga::valid::ValidationFlags::all();
        let mut validator = naga::valid::Validator::new(flags, naga::valid::Capabilities::empty());
        validator.validate(&module).unwrap();
        fn loops(block: &Block) -> usize {
            let here = block.iter().filter(|s| matches!(s, Statement::Loop { .. })).count();
            here + block.iter().flat_map(inner_blocks).map(loops).sum::<usize>()
        }
        (changed, loops(&module.entry_points[0].function.body))
    }

    #[test]
    fn loops_over_small_arrays_are_written_out() {
        let once = "for (var i = 0u; i < COUNT; i = i + 1u) { window[i] = f32(i); }";
        assert_eq!(loops_left(once), (true, 0));
        let nested =
            "for (var i = 0; i <= 3; i = i + 2) { for (var j = 0; j < 3; j++) { window[i + j] += 1.0; } }";
        assert_eq!(loops_left(nested), (true, 0));
        let again = "for (var k = 0u; k < u32(out[1]); k = k + 1u) {
            for (var i = 0u; i < 7u; i = i + 1u) { window[i] = window[i + 1u]; } }";
        assert_eq!(loops_left(again), (true, 1), "the outer one does not count to a literal");
    }

    #[test]
    fn other_loops_stay() {
        for body in [
            "for (var i = 0u; i < 200u; i = i + 1u) { window[i % 8u] += 1.0; }",
            "for (var i = 0u; i < 4u; i = i + 1u) { out[i] = 1.0; }",
            "for (var i = 4u; i < 4u; i = i + 1u) { window[i] = 1.0; }",
            "for (var i = 0u; i < 4u; i = i + 1u) { if (out[i] > 0.0) { break; } window[i] = 1.0; }",
            "for (var i = 0u; i < 4u; i = i + 1u) { if (out[i] > 0.0) { continue; } window[i] = 1.0; }",
            "for (var i = 0u; i < 4u; i = i + 1u) { window[i] = 1.0; i = i + 1u; }",
            "var i = 0u; i = u32(out[3]); out[2] = 0.0; for (; i < 4u; i = i + 1u) { window[i] = 1.0; }",
        ] {
            assert_eq!(loops_left(body), (false, 1), "{body}");
        }
    }
}
