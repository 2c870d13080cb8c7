"""Where a value comes from: names followed through assignments, arguments, closures, fixtures and returns."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from app.domain.lint.bindings import Binding, default_of
from app.domain.lint.collected import fixture_name
from app.domain.lint.frames import Callee, Frame, Value, outward
from app.domain.lint.parametrized import parametrized
from app.domain.lint.source import Function, SourceFile

_FARTHEST = 24  # hops from a name to where its value is made; people's code needs six or so
_DEEPEST = 12  # calls within the answer about a call: `args = wrap(*args)` asks for itself without an end
_WRAPPERS = {"enumerate", "list", "tuple", "reversed", "sorted", "set", "iter", "tqdm"}


class Values:
    """Answers about values of one file; total, and bounded in the hops that it follows."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self._module = Frame(file.module)
        self._depth = 0
        self._frames: dict[Function, Frame] = {}
        self._callees: dict[tuple[ast.AST, Frame], tuple[Callee, ...]] = {}
        self._fixtures = {name: f for f in file.functions if (name := fixture_name(file, f)) is not None}

    @property
    def module(self) -> Frame:
        return self._module

    def fixture(self, name: str) -> Function | None:
        """The fixture of the file that a parameter of this name asks for."""
        return self._fixtures.get(name)

    def frame(self, function: Function) -> Frame:
        """An activation of which nothing is known but where the function stands; always the same one."""
        if function not in self._frames:
            outer = None if function.outer is None else self._frame_of_outer(function.outer)
            self._frames[function] = Frame(function, {}, outer)
        return self._frames[function]

    def _frame_of_outer(self, function: Function) -> Frame:
        return self._module if function.is_module else self.frame(function)

    def origin(self, node: ast.AST, frame: Frame, hops: int = _FARTHEST) -> Value:
        """The expression that makes the value, as far back as the file tells."""
        *_, last = self.chain(node, frame, hops)
        return last

    def chain(self, node: ast.AST, frame: Frame, hops: int = _FARTHEST) -> Iterator[Value]:
        """The expressions that a value has passed through, from here to where it is made."""
        value: Value | None = Value(node, frame)
        while value is not None:
            yield value
            value, hops = (self._step(value, hops) if hops > 0 else None), hops - 1

    def _step(self, value: Value, hops: int) -> Value | None:  # noqa: PLR0911 - a kind each
        match value.node:
            case ast.Name(id=name):
                return self._named(name, value, hops)
            case ast.Attribute(value=inner, attr=attr):
                return self._attribute(inner, attr, value, hops)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) if value.place:
                if value.place[0] < len(elements):
                    return Value(elements[value.place[0]], value.frame, value.place[1:])
            case ast.Subscript(value=inner, slice=ast.Constant(value=int(index))) if index >= 0:
                return self._subscripted(inner, index, value, hops)
            case ast.NamedExpr(value=inner) | ast.Await(value=inner) | ast.Starred(value=inner):
                return Value(inner, value.frame, value.place)
            case ast.Call():
                return self._returned(value, hops)
        return None

    def _subscripted(self, inner: ast.expr, index: int, value: Value, hops: int) -> Value | None:
        """The element that is written down at the index; of a list that is made otherwise, any element."""
        origin = self.origin(inner, value.frame, hops // 2)
        if (
            isinstance(origin.node, ast.Tuple | ast.List)
            and not origin.place
            and index < len(origin.node.elts)
        ):
            return Value(origin.node.elts[index], origin.frame, value.place)
        element = self.element(inner, value.frame, 4)
        if element is None or element.place == (-1,):
            return None
        return Value(element.node, element.frame, (*element.place, *value.place))

    def _named(self, name: str, value: Value, hops: int) -> Value | None:
        frame: Frame | None = value.frame
        while frame is not None:
            if name in frame.given:
                held = frame.given[name]
                return Value(held.node, held.frame, held.place + value.place)
            if (
                frame.made is not None
                and frame.function.is_bound_method
                and name == frame.function.parameters[0]
            ):
                return frame.made
            if name in frame.function.parameters:
                return self._asked_for(name, frame, value)
            bound = self.file.bindings_at(frame.function, name, value.node)
            if bound:
                return self._bound(_first_telling(bound), frame, value, hops)
            if self.file.defined_in(frame.function, name):
                return None
            frame = frame.outer
        return None

    def _asked_for(self, name: str, frame: Frame, value: Value) -> Value | None:
        fixture = self._fixtures.get(name)
        if fixture is not None and fixture is not frame.function:
            inside = self.frame(fixture)
            given = self._given_back(fixture)
            return Value(given, inside, value.place) if given is not None else None
        parametrized = self.parametrized(frame.function, name)
        if parametrized:
            return Value(parametrized[0], self._module, value.place)
        return self._default(name, frame, value)

    def _default(self, name: str, frame: Frame, value: Value) -> Value | None:
        told = default_of(frame.function.node, name)
        return Value(told, frame.outer or self._module, value.place) if told is not None else None

    def parametrized(self, function: Function, name: str) -> list[ast.expr]:
        """What `pytest.mark.parametrize` lets a parameter be."""
        return parametrized(function.node, name)

    def _bound(self, binding: Binding, frame: Frame, value: Value, hops: int) -> Value | None:
        if binding.how == "each":
            element = self.element(binding.value, frame, hops // 2)
            if element is None:
                return None
            places = binding.places
            if element.place == (-1,):  # of enumerate: the index is no value that is followed
                if not places or places[0] == 0:
                    return None
                return Value(element.node, element.frame, (*places[1:], *value.place))
            return Value(element.node, element.frame, (*element.place, *places, *value.place))
        return Value(binding.value, frame, (*binding.places, *value.place))

    def element(self, node: ast.AST, frame: Frame, hops: int = 8) -> Value | None:  # noqa: PLR0911 - a kind each
        """An element of what a loop runs over, by the first one that the file shows."""
        if hops <= 0:
            return None
        held = Value(node, frame) if _is_wrapper(node) else self.origin(node, frame, hops)
        match held.node:
            case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
                element = self.element(inner, held.frame, hops - 1)
                return element and Value(element.node, element.frame, (-1,))
            case ast.Call(func=ast.Name(id="zip"), args=[*inner]):
                found = [self.element(one, held.frame, hops // 2) for one in inner]
                nodes = [one.node if one is not None else ast.Constant(value=None) for one in found]
                known = next((one.frame for one in found if one is not None), held.frame)
                return Value(ast.Tuple(elts=nodes, ctx=ast.Load()), known)  # type: ignore[arg-type]  # expressions
            case ast.Call(func=ast.Name(), args=[inner, *_]) if _is_wrapper(held.node):
                return self.element(inner, held.frame, hops - 1)
            case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt) | ast.SetComp(elt=elt):
                return Value(elt, held.frame)
            case ast.DictComp(value=elt):
                return Value(elt, held.frame)
            case ast.BinOp(left=ast.List(elts=[first, *_]), op=ast.Mult()):
                return Value(first, held.frame)
            case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]) | ast.Set(elts=[first, *_]) if (
                not held.place
            ):
                return Value(first, held.frame)
        return self._appended(node, frame, hops)

    def _appended(self, node: ast.AST, frame: Frame, hops: int) -> Value | None:
        """What `.append` puts on a list that starts empty, wherever in the function that made the list."""
        seen: Value | None = Value(node, frame)
        while seen is not None and hops > 0:
            if isinstance(seen.node, ast.Name | ast.Attribute):
                name = self.file.text(seen.node)
                for scope in outward(seen.frame):
                    put = self.file.fills(scope.function).get(name)
                    if put:
                        return Value(put[0], scope)
            seen, hops = self._step(seen, hops), hops - 1
        return None

    def _attribute(self, inner: ast.expr, attr: str, value: Value, hops: int) -> Value | None:
        if isinstance(inner, ast.Name):
            for scope in outward(value.frame):
                if scope.function.owner is not None and scope.function.parameters[:1] == (inner.id,):
                    return self._of_class(scope.function.owner, attr, scope, value, scope.made)
        made = self.origin(inner, value.frame, hops // 2)
        if isinstance(made.node, ast.Call) and isinstance(made.node.func, ast.Name):
            owner = self.file.class_named(made.node.func.id)
            if owner is not None:
                return self._of_class(owner, attr, value.frame, value, made)
        return None

    def _of_class(
        self, owner: ast.ClassDef, attr: str, frame: Frame, value: Value, made: Value | None
    ) -> Value | None:
        method, bound = self.file.attributes(owner).get(attr, (None, []))
        if method is not None:
            inside = frame if frame.function is method else self._frame_of_method(method, made)
            return self._bound(_first_telling(bound), inside, value, 4)
        for statement in (s for c in self.file.bases(owner) for s in c.body):
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=held) if name == attr:
                    return Value(held, self._module, value.place)
        return None

    def _frame_of_method(self, method: Function, made: Value | None) -> Frame:
        """A constructor's activation in the call that made the instance; of others nothing is known."""
        if made is None or method.name != "__init__" or not isinstance(made.node, ast.Call):
            return self.frame(method)
        return self.activation(Callee(method, self._module, made=made), made.node, made.frame)

    def _returned(self, value: Value, hops: int) -> Value | None:
        assert isinstance(value.node, ast.Call)
        with self._deeper() as is_far:
            for callee in () if is_far else self.callees(value.node.func, value.frame, hops // 2):
                given = self._given_back(callee.function)
                if given is not None:
                    return Value(given, self.activation(callee, value.node, value.frame), value.place)
        return None

    @contextmanager
    def _deeper(self) -> Iterator[bool]:
        self._depth += 1
        try:
            yield self._depth > _DEEPEST
        finally:
            self._depth -= 1

    def _given_back(self, function: Function) -> ast.expr | None:
        """What a call of it returns, or a fixture yields; the first that is not None."""
        given = self.file.returned(function)
        return next((v for v in given if not (isinstance(v, ast.Constant) and v.value is None)), None)

    def activation(self, callee: Callee, call: ast.Call, frame: Frame) -> Frame:
        """The frame of the callee in this very call."""
        positional = tuple(part for argument in call.args for part in self._spread(argument, frame, 3))
        named = {k.arg: Value(k.value, frame) for k in call.keywords if k.arg is not None}
        return callee.called_with(positional, named)

    def elements(self, held: Value, hops: int = 4) -> tuple[Value, ...]:
        """The elements of a tuple that is written down, also as `(rank, *rest)` or `(rank,) + rest`."""
        if hops <= 0 or held.place:
            return ()
        match held.node:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return tuple(part for element in elements for part in self._spread(element, held.frame, hops))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                sides = (self.origin(left, held.frame), self.origin(right, held.frame))
                return tuple(part for side in sides for part in self.elements(side, hops - 1))
        return ()

    def _spread(self, element: ast.expr, frame: Frame, hops: int) -> tuple[Value, ...]:
        if isinstance(element, ast.Starred):
            return self.elements(self.origin(element.value, frame), hops - 1)
        return (Value(element, frame),)

    def callees(self, node: ast.AST, frame: Frame, hops: int = 8) -> tuple[Callee, ...]:
        """The functions of the file that an expression can be, where it is called or handed on."""
        if (node, frame) not in self._callees:
            self._callees[node, frame] = ()  # of what is asked for again while it is being answered
            self._callees[node, frame] = self._found(node, frame, hops)
        return self._callees[node, frame]

    def _found(  # noqa: PLR0911 - a kind each
        self, node: ast.AST, frame: Frame, hops: int
    ) -> tuple[Callee, ...]:
        if hops <= 0:
            return ()
        for held in self.chain(node, frame, hops):
            cases = self._cases(held)
            if cases:
                return tuple(c for case in cases for c in self.callees(case, self._module, hops - 1))
        match held.node:
            case ast.Name(id=name):
                return self._defined(name, held.frame)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                function = self.file.function_at(held.node)
                return (Callee(function, self._closure(function, held.frame)),)
            case ast.Attribute(value=inner, attr=attr):
                return self._methods(inner, attr, held.frame, hops)
            case ast.Call(func=ast.Name(id=name)) if (owner := self.file.class_named(name)) is not None:
                made = self.file.method(owner, "__call__")
                return (Callee(made, self._module),) if made is not None else ()
            case ast.IfExp(body=body, orelse=orelse):
                return self.callees(body, held.frame, hops - 1) + self.callees(orelse, held.frame, hops - 1)
            case ast.Call(args=[inner, *rest], keywords=keywords) if self._is_partial(held.node):
                more = tuple(Value(a, held.frame) for a in rest)
                named = {k.arg: Value(k.value, held.frame) for k in keywords if k.arg is not None}
                return tuple(
                    Callee(c.function, c.outer, c.given + more, dict(c.named) | named)
                    for c in self.callees(inner, held.frame, hops - 1)
                )
        return ()

    def _is_partial(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.file.dotted(node.func).rpartition(".")[2] in {
            "partial",
            "wraps",
        }

    def _defined(self, name: str, frame: Frame) -> tuple[Callee, ...]:
        for scope in outward(frame):
            if name in scope.function.parameters:
                return ()
            function = self.file.defined_in(scope.function, name)
            if function is not None:
                return (self.decorated(function, scope),)
        return ()

    def decorated(self, function: Function, scope: Frame) -> Callee:
        """What a decorator of the file has made of a function; the function itself where none has."""
        with self._deeper() as is_far:
            for decorator in () if is_far else reversed(getattr(function.node, "decorator_list", ())):
                for callee in self.callees(decorator, scope, 4):
                    applied = callee.called_with((Value(function.node, scope),), {})
                    for inner in self._given_back_by(applied):
                        return Callee(inner, applied)
        return Callee(function, scope)

    def _given_back_by(self, applied: Frame) -> Iterator[Function]:
        for node in self.file.own_nodes(applied.function):
            match node:
                case ast.Return(value=ast.Name(id=name)):
                    inner = self.file.defined_in(applied.function, name)
                    if inner is not None:
                        yield inner

    def _cases(self, held: Value) -> list[ast.expr]:
        """All that a test's own parameter can be."""
        if not isinstance(held.node, ast.Name) or held.node.id in held.frame.given:
            return []
        return self.parametrized(held.frame.function, held.node.id)

    def _methods(self, inner: ast.expr, attr: str, frame: Frame, hops: int) -> tuple[Callee, ...]:
        owner, made = self._instance(inner, frame, hops)
        method = self.file.method(owner, attr) if owner is not None else None
        return (Callee(method, self._module, made=made),) if method is not None else ()

    def _instance(self, inner: ast.expr, frame: Frame, hops: int) -> tuple[ast.ClassDef | None, Value | None]:
        """The class of an instance, or the class itself where that is named, and the call that made it."""
        match inner:
            case ast.Name(id=name):
                for scope in outward(frame):
                    function = scope.function
                    if function.is_bound_method and function.parameters[:1] == (name,):
                        return function.owner, scope.made
                known = self.file.class_named(name)
                if known is not None:
                    return known, None
            case ast.Call(func=ast.Name(id="super" | "type")) | ast.Attribute(attr="__class__"):
                return self.frame_owner(frame), None
        made = self.origin(inner, frame, hops // 2)
        if isinstance(made.node, ast.Call) and isinstance(made.node.func, ast.Name):
            return self.file.class_named(made.node.func.id), made
        return None, None

    def frame_owner(self, frame: Frame) -> ast.ClassDef | None:
        """The class in one of whose methods the frame stands."""
        return next((s.function.owner for s in outward(frame) if s.function.owner is not None), None)

    def _closure(self, function: Function, frame: Frame) -> Frame | None:
        known = (scope for scope in outward(frame) if scope.function is function.outer)
        return next(known, self.frame(function).outer)


def _is_wrapper(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _WRAPPERS | {"zip"}
    )


def _first_telling(bound: list[Binding]) -> Binding:
    """The first that is not a mere placeholder, since `queue = None` before a try says nothing."""
    telling = [b for b in bound if not (isinstance(b.value, ast.Constant) and b.value.value is None)]
    return (telling or bound)[0]
