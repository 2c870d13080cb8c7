"""What the statements of a run do, one after the other, each way that they can go."""

import ast
from collections.abc import Callable, Sequence

from app.domain.lint.flow.calls import Calls
from app.domain.lint.flow.expressions import DEEPEST
from app.domain.lint.flow.graph import Edge, Kind, Point, link
from app.domain.lint.flow.known_calls import joined
from app.domain.lint.flow.track import Control, FinallyGuard, Leaving, LoopGuard, TryGuard, mark, merged
from app.domain.lint.frames import Callee
from app.domain.lint.sameness import BY_RANK, SAME, Held, Sameness, alike
from app.domain.lint.source import own_nodes

_EXPECTS = frozenset({"raises", "assertRaises", "assertRaisesRegex", "suppress", "warns"})


class Statements(Calls):
    """Runs statements. Loops are gone through once: a second round changes no answer that a rule asks for."""

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Run these, as far as they are reached and no deeper nested than people write."""
        if self._depth >= DEEPEST:
            return
        self._depth += 1
        for statement in statements:
            if self.at is not None:
                self._statement(statement)
        self._depth -= 1

    def _statement(self, node: ast.stmt) -> None:  # noqa: C901, PLR0912 - one arm a kind of statement
        match node:
            case ast.Expr(value=value):
                self.held(value)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                self._assigned(node)
            case ast.If():
                self._if(node)
            case ast.For() | ast.AsyncFor() | ast.While():
                self._loop(node)
            case ast.Try() | ast.TryStar():
                self._try(node)
            case ast.With() | ast.AsyncWith():
                self._with(node, list(node.items))
            case ast.Match():
                self._match(node)
            case ast.Return():
                self._return(node)
            case ast.Raise():
                self._raise(node)
            case ast.Assert():
                self.assertion(node, self._asserted(node.test))
            case ast.Break():
                self.leave(Leaving.BREAK)
            case ast.Continue():
                self.leave(Leaving.CONTINUE)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.scope.names[node.name] = SAME

    def _asserted(self, test: ast.expr) -> Sameness:
        """How a check differs by rank; where a value is to equal what the rank makes of it, it does not."""
        flags = self.held(test).value
        match test:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                if not any(isinstance(side, ast.Constant) for side in (left, right)):
                    return flags & ~BY_RANK if flags & Sameness.RANK else flags
        return flags

    def _assigned(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        if node.value is None or self._assigned_apart(node):
            return
        held = self.held(node.value)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self.bind(target, held)
        elif isinstance(node, ast.AugAssign):
            self.spread(node.target, held)
        else:
            self.bind(node.target, held)

    def _assigned_apart(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> bool:
        """`a, b = x, y`: each name gets its own value."""
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                if len(targets) != len(values) or any(
                    isinstance(e, ast.Starred) for e in (*targets, *values)
                ):
                    return False
                found = [self.held(value) for value in values]
                for target, held in zip(targets, found, strict=True):
                    self.bind(target, held)
                return True
        return False

    def _if(self, node: ast.If) -> None:
        test = self.held(node.test)
        fork = self.add(Kind.BRANCH, node)
        fork.flags = test.value
        self.arms(fork, test.value, [lambda: self.body(node.body), lambda: self.body(node.orelse)])

    def _match(self, node: ast.Match) -> None:
        flags = self.held(node.subject).value
        fork = self.add(Kind.BRANCH, node)
        fork.flags = flags
        runs = [self._case(case, flags) for case in node.cases]
        if not any(
            isinstance(c.pattern, ast.MatchAs) and c.pattern.pattern is None and c.guard is None
            for c in node.cases
        ):
            runs.append(lambda: self.body(()))
        self.arms(fork, flags, runs)

    def _case(self, case: ast.match_case, flags: Sameness) -> Callable[[], None]:
        def run() -> None:
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None)
                if isinstance(name, str):
                    self.scope.names[name] = alike(flags)
            if case.guard is not None:
                self.held(case.guard)
            self.body(case.body)

        return run

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        ends, again = self.new(Kind.JOIN), self.new(Kind.JOIN)
        saved, before = self.control, dict(self.scope.names)
        if isinstance(node, ast.While):
            top = self.add(Kind.JOIN)
            flags = self.held(node.test).value
            head = self.add(Kind.LOOP, node)
        else:
            flags = self._each(node)
            top = head = self.add(Kind.LOOP, node)
        head.flags = flags
        self.control = (*saved, Control(flags, head))
        guard = LoopGuard(self.scope, ends, again, len(self.control))
        self.around.append(guard)
        written, self.written = self.written, set()
        self.add(Kind.JOIN)
        self.body(node.body)
        self.around.pop()
        mark(self.scope.names, self.written, flags)
        self.written |= written
        self.go_to(again)
        if again.before:
            link(again, top, Edge.BACK)
        self.control = saved
        self.scope.names = merged([before, self.scope.names, *guard.left])
        may_skip = bool(flags & Sameness.LOCAL) or isinstance(node, ast.While)
        ways = [head if may_skip else None, again if again.before else None]
        self.meet(ways if not _is_forever(node) else [])
        self.body(node.orelse)
        self.go_to(ends)
        self.at = ends if ends.before else None

    def _each(self, node: ast.For | ast.AsyncFor) -> Sameness:
        """How the number of rounds differs by rank, the loop's names being given what it runs over."""
        over = self.held(node.iter)
        self.bind(node.target, alike(over.value))
        return over.shape

    def _try(self, node: "ast.Try | ast.TryStar") -> None:
        final = FinallyGuard()
        if node.finalbody:
            self.around.append(final)
        names = dict(self.scope.names)
        entry = self.add(Kind.JOIN)
        guard = TryGuard([(_classes(handler), self.new(Kind.JOIN)) for handler in node.handlers])
        self.around.append(guard)
        written, self.written = self.written, set()
        self.body(node.body)
        self.around.pop()
        # A name first given in the body is unknown where the body raised, and alike where it did not.
        mark(self.scope.names, {name for name in self.written if name in names or "." in name}, guard.raised)
        self.written |= written
        inside = merged([names, self.scope.names])
        done = self.add(Kind.JOIN) if self.at is not None else entry
        self.body(node.orelse)
        ends: list[tuple[Point | None, dict[str, Held]]] = [(self.at, self.scope.names)]
        for handler, (_, start) in zip(node.handlers, guard.handlers, strict=True):
            link(entry, start, Edge.IMPLICIT)
            ends.append(self._handled(handler, start, done, guard, dict(inside)))
        self.scope.names = merged([end[1] for end in ends if end[0] is not None])
        self.meet([end[0] for end in ends])
        if node.finalbody:
            self.around.remove(final)
            self._finally(node, final)

    def _handled(
        self, handler: ast.ExceptHandler, start: Point, done: Point, guard: TryGuard, names: dict[str, Held]
    ) -> tuple[Point | None, dict[str, Held]]:
        """A handler is entered on the ranks where the body raised: that is its condition."""
        flags = guard.raised | (Sameness.UNKNOWN if guard.has_collective else guard.called)
        saved, self.control = self.control, (*self.control, Control(flags, done))
        self.at, self.scope.names = start, names
        written, self.written = self.written, set()
        if handler.name is not None:
            names[handler.name] = alike(flags)
        self.body(handler.body)
        mark(self.scope.names, self.written, flags)
        self.written |= written
        self.control = saved
        return self.at, self.scope.names

    def _finally(self, node: "ast.Try | ast.TryStar", final: FinallyGuard) -> None:
        names = self.scope.names
        self.body(node.finalbody)
        after, after_names = self.at, self.scope.names
        for (how, exception, scope), start in final.pending.items():
            self.at, self.scope.names = start, dict(names)
            self.body(node.finalbody)
            self.leave(how, exception, scope=scope)
        self.at, self.scope.names = after, after_names

    def _with(self, node: ast.With | ast.AsyncWith, items: list[ast.withitem]) -> None:
        if not items:
            self.body(node.body)
            return
        item, rest = items[0], items[1:]
        call = item.context_expr
        if isinstance(call, ast.Call) and self.file.dotted(call.func).rpartition(".")[2] in _EXPECTS:
            self._expecting(node, call, rest)
            return
        manager = self._manager(call)
        if manager is not None and isinstance(call, ast.Call):
            self._managed(node, item, call, manager, rest)
            return
        held = self.held(call)
        if item.optional_vars is not None:
            self.bind(item.optional_vars, held)
        self._with(node, rest)

    def _expecting(self, node: ast.With | ast.AsyncWith, call: ast.Call, rest: list[ast.withitem]) -> None:
        """`pytest.raises`: what is raised inside ends there, and the run goes on behind."""
        joined([self.held(a) for a in call.args])
        names = tuple(n for a in call.args[:1] for n in _class_names(a)) or ("Exception",)
        entry = self.add(Kind.JOIN)
        caught = self.new(Kind.JOIN)
        self.around.append(TryGuard([(names, caught)], expects=True))
        self._with(node, rest)
        self.around.pop()
        link(entry, caught, Edge.IMPLICIT)
        self.meet([self.at, caught])

    def _manager(self, call: ast.expr) -> Callee | None:
        """A function of the file that yields once: what it encloses runs at the yield."""
        if not isinstance(call, ast.Call):
            return None
        for callee in self.values.callees(call.func, self.scope.frame):
            if any(isinstance(n, ast.Yield) for n in own_nodes(callee.function)):
                return callee
        return None

    def _managed(
        self,
        node: ast.With | ast.AsyncWith,
        item: ast.withitem,
        call: ast.Call,
        manager: Callee,
        rest: list[ast.withitem],
    ) -> None:
        given = {id(a): self.held(a) for a in (*call.args, *(k.value for k in call.keywords))}
        frame = self.values.activation(manager, call, self.scope.frame)
        outside, calls, control = self.scope, self.calls, self.control

        def run() -> None:
            inside, inside_calls, inside_control = self.scope, self.calls, self.control
            self.scope, self.calls, self.control = outside, calls, control
            if item.optional_vars is not None:
                self.bind(item.optional_vars, inside.returned)
            self._with(node, rest)
            self.scope, self.calls, self.control = inside, inside_calls, inside_control

        names = self.parameters(frame, given)
        self.entered(call, frame, names, on_yield=run)

    def _return(self, node: ast.Return) -> None:
        held = self.held(node.value) if node.value is not None else SAME
        self.scope.returned |= held.under(self.returning)
        self.add(Kind.RETURN, node)
        self.leave(Leaving.RETURN)

    def _raise(self, node: ast.Raise) -> None:
        if node.exc is not None and isinstance(node.exc, ast.Call):
            joined([self.held(a) for a in node.exc.args])
        if self.at is None:
            return
        name = _raised_name(self.file.dotted(node.exc)) if node.exc is not None else ""
        self.add(Kind.RAISE, node, name)
        self.leave(Leaving.RAISE, name)


def _is_forever(node: ast.AST) -> bool:
    return isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value)


def _classes(handler: ast.ExceptHandler) -> tuple[str, ...]:
    return _class_names(handler.type) if handler.type is not None else ()


def _class_names(node: ast.expr) -> tuple[str, ...]:
    match node:
        case ast.Tuple(elts=elements):
            return tuple(name for element in elements for name in _class_names(element))
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return (name,)
    return ("",)  # some class, told by no name


def _raised_name(dotted: str) -> str:
    """The class of `raise Some.Error(...)`; "" where a name holds what was caught before."""
    last = dotted.removesuffix("()").rpartition(".")[2]
    return last if last[:1].isupper() else ""
