"""A parsed file of tests: its functions, what stands around each node, and what its names mean.

Nothing here runs or imports the file. Every name is told by its full dotted spelling, so that
`dist.init_process_group`, `torch.distributed.init_process_group` and a from-import are one thing to a rule.
"""

import ast
import builtins
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from app.domain.errors import Rejected
from app.domain.lint.bindings import Binding, bindings_of, filled
from app.domain.lint.imported import imported_names, star_modules, usual_spelling

LARGEST_CHARACTERS = 2_000_000  # the largest test file of torch itself holds a third of this
DEEPEST_NESTING = 200  # CPython's own parser gives up on brackets there, so people's code stays far below
MOST_ANCESTORS = 100  # of one class, within one file; what people write has ten at most
_MOST_LINES_RETOLD = 40  # beyond that nothing is quoted as a whole


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function, a method, a lambda, or the module itself, whose statements are run in order.

    `owner` is the class in whose body it stands; `outer` is the function or module around it.
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
    name: str
    owner: ast.ClassDef | None
    outer: "Function | None"
    body: tuple[ast.stmt, ...]

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names in order, positional ones first; `*args` and `**kwargs` are left out."""
        if isinstance(self.node, ast.Module):
            return ()
        arguments = self.node.args
        return tuple(arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))

    @property
    def spread(self) -> str | None:
        """The name of its `*args`, if it has one."""
        if isinstance(self.node, ast.Module) or self.node.args.vararg is None:
            return None
        return self.node.args.vararg.arg

    @property
    def is_module(self) -> bool:
        return isinstance(self.node, ast.Module)

    @property
    def is_bound_method(self) -> bool:
        """Whether its first parameter is the instance or the class, which no call spells out."""
        return (
            self.owner is not None
            and not isinstance(self.node, ast.Module | ast.Lambda)
            and not any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in self.node.decorator_list)
        )


@dataclass(frozen=True, eq=False)
class SourceFile:
    """What all rules look at. Nodes are compared by identity, lines count from 1."""

    path: str
    source: str
    tree: ast.Module
    functions: tuple[Function, ...]
    classes: tuple[ast.ClassDef, ...]
    _parents: dict[ast.AST, ast.AST]
    _by_node: dict[ast.AST, Function]
    _bindings: dict[Function, dict[str, list[Binding]]] = field(default_factory=dict)
    _fills: dict[Function, dict[str, list[ast.expr]]] = field(default_factory=dict)
    _own: dict[Function, tuple[ast.AST, ...]] = field(default_factory=dict)
    _ancestry: dict[ast.ClassDef, tuple[ast.ClassDef, ...]] = field(default_factory=dict)
    _methods: dict[ast.ClassDef, tuple[Function, ...]] = field(default_factory=dict)
    _attributes: dict[ast.ClassDef, dict[str, tuple[Function, list[Binding]]]] = field(default_factory=dict)

    @property
    def module(self) -> Function:
        return self.functions[0]

    @cached_property
    def _lines(self) -> list[bytes]:
        return [line.encode() for line in self.source.split("\n")]

    @cached_property
    def _by_place(self) -> dict[tuple[ast.AST, str], Function]:
        return {(f.owner or f.outer.node, f.name): f for f in self.functions if f.outer is not None}

    @cached_property
    def _inside(self) -> dict[Function, list[Function]]:
        found: dict[Function, list[Function]] = {}
        for function in self.functions:
            if function.outer is not None and not function.outer.is_module:
                found.setdefault(function.outer, []).append(function)
        return found

    @cached_property
    def _by_owner(self) -> dict[ast.ClassDef, list[Function]]:
        found: dict[ast.ClassDef, list[Function]] = {}
        for function in self.functions:
            if function.owner is not None:
                found.setdefault(function.owner, []).append(function)
        return found

    @cached_property
    def _by_class_name(self) -> dict[str, ast.ClassDef]:
        return {c.name: c for c in reversed(self.classes)}

    @cached_property
    def imported(self) -> dict[str, str]:
        """What imports make of names: local name to full dotted name."""
        return imported_names(self.tree)

    @cached_property
    def _stars(self) -> tuple[str, ...]:
        return star_modules(self.tree)

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node directly around it; None for the module."""
        return self._parents.get(node)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around it, innermost first, up to the module."""
        current = self._parents.get(node)
        while current is not None:
            yield current
            current = self._parents.get(current)

    def function_of(self, node: ast.AST) -> Function:
        """The function in whose body the node stands; the module where there is none."""
        return next((self._by_node[n] for n in self.around(node) if n in self._by_node), self.module)

    def function_at(self, node: ast.AST) -> Function:
        """The function that this very definition or lambda makes."""
        return self._by_node[node]

    def text(self, node: ast.AST, *, longest: int = 120) -> str:
        """The node as the file writes it, on one line, cut at `longest` characters."""
        start, end = getattr(node, "lineno", 1) - 1, getattr(node, "end_lineno", 1)
        lines = self._lines[start:end]
        lines[-1] = lines[-1][: getattr(node, "end_col_offset", 0)]
        lines[0] = lines[0][getattr(node, "col_offset", 0) :]
        text = " ".join(b" ".join(lines).decode(errors="replace").split())
        if 1 < len(lines) <= _MOST_LINES_RETOLD:
            text = " ".join(ast.unparse(node).split())  # without the comments of several lines
        return text if len(text) <= longest else text[: longest - 3] + "..."

    def own_nodes(self, function: Function) -> tuple[ast.AST, ...]:
        """The nodes of its body in the order of the text, without the bodies of definitions inside it."""
        if function not in self._own:
            self._own[function] = tuple(own_nodes(function))
        return self._own[function]

    def fills(self, function: Function) -> dict[str, list[ast.expr]]:
        """What is put into containers in a function and those inside it, by the container's name."""
        if function not in self._fills:
            found: dict[str, list[ast.expr]] = {}
            for inner in (function, *self._inside.get(function, ())):
                for name, value in filled(self.own_nodes(inner)):
                    found.setdefault(name, []).append(value)
            self._fills[function] = found
        return self._fills[function]

    def returned(self, function: Function) -> Iterator[ast.expr]:
        """All that calls of it may give back."""
        for node in self.own_nodes(function):
            if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
                yield node.value

    def bindings(self, function: Function) -> dict[str, list[Binding]]:
        """Where names get values in this function, by name, in the order of the text."""
        if function not in self._bindings:
            self._bindings[function] = bindings_of(self.own_nodes(function))
        return self._bindings[function]

    def bindings_at(self, function: Function, name: str, use: ast.AST) -> list[Binding]:
        """Those of them that a use of the name can see: the loop's inside a loop over it, else all outer."""
        bound = self.bindings(function).get(name, [])
        if not any(binding.how == "each" for binding in bound):
            return bound
        around = list(self.around(use))
        seen = [b for b in bound if b.how == "each" and self._loop_of(b) in around]
        if seen:
            return [min(seen, key=lambda b: around.index(self._loop_of(b)))]
        return [b for b in bound if not isinstance(b.node, ast.comprehension)]

    def _loop_of(self, binding: Binding) -> ast.AST:
        inside = isinstance(binding.node, ast.comprehension)
        return self._parents[binding.node] if inside else binding.node

    def defined_in(self, scope: Function, name: str) -> Function | None:
        """The function of that name directly in this scope's body, the last if there are several."""
        return self._by_place.get((scope.node, name))

    def class_named(self, name: str) -> ast.ClassDef | None:
        return self._by_class_name.get(name)

    def bases(self, owner: ast.ClassDef) -> tuple[ast.ClassDef, ...]:
        """The class and its ancestors that stand in the file, nearest first, MOST_ANCESTORS in all."""
        if owner not in self._ancestry:
            found = dict.fromkeys([owner])
            waiting = deque(found)
            while waiting and len(found) < MOST_ANCESTORS:
                names = (base.id for base in waiting.popleft().bases if isinstance(base, ast.Name))
                named = (self.class_named(name) for name in names)
                fresh = dict.fromkeys(one for one in named if one is not None and one not in found)
                found |= fresh
                waiting += fresh
            self._ancestry[owner] = tuple(found)[:MOST_ANCESTORS]
        return self._ancestry[owner]

    def base_names(self, owner: ast.ClassDef) -> tuple[str, ...]:
        """The dotted names of all its bases, also of those that stand elsewhere."""
        return tuple(self.dotted(base) for c in self.bases(owner) for base in c.bases)

    def method(self, owner: ast.ClassDef, name: str) -> Function | None:
        """The method that an instance of the class finds under the name, if it stands in the file."""
        found = (self._by_place.get((current, name)) for current in self.bases(owner))
        return next((function for function in found if function is not None), None)

    def methods(self, owner: ast.ClassDef) -> tuple[Function, ...]:
        """All methods that an instance has and the file holds, those of the class itself first."""
        if owner not in self._methods:
            held = [f for c in self.bases(owner) for f in self._by_owner.get(c, ())]
            nearest = {f.name: f for f in reversed(held)}
            self._methods[owner] = tuple(nearest[name] for name in dict.fromkeys(f.name for f in held))
        return self._methods[owner]

    def attributes(self, owner: ast.ClassDef) -> dict[str, tuple[Function, list[Binding]]]:
        """What methods assign to the instance, by name: the first method that does, and its assignments."""
        if owner not in self._attributes:
            found: dict[str, tuple[Function, list[Binding]]] = {}
            for method in self.methods(owner):
                for name, bound in self.bindings(method).items():
                    instance, _, attribute = name.partition(".")
                    if attribute and instance in method.parameters[:1]:
                        found.setdefault(attribute, (method, bound))
            self._attributes[owner] = found
        return self._attributes[owner]

    def is_imported_or_builtin(self, name: str) -> bool:
        """Whether a name stands for code rather than for a value of the moment."""
        return name in self.imported or hasattr(builtins, name)

    def dotted(self, expression: ast.AST, *, hops: int = 12) -> str:
        """The full dotted name of an expression; `()` stands for a call, "" for what has no name.

        `ctx = mp.get_context("spawn")` makes `ctx.Process` "torch.multiprocessing.get_context().Process".
        """
        match expression:
            case ast.Name(id=name):
                return usual_spelling(self._dotted_name(expression, name, hops))
            case ast.Attribute(value=value, attr=attr):
                front = self.dotted(value, hops=hops)
                return usual_spelling(f"{front}.{attr}")
            case ast.Call(
                func=ast.Attribute(attr="importorskip" | "import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                return usual_spelling(module)
            case ast.Call(func=function):
                return f"{self.dotted(function, hops=hops)}()"
            case ast.Await(value=value) | ast.Subscript(value=value):
                return self.dotted(value, hops=hops)
        return ""

    def _dotted_name(self, node: ast.Name, name: str, hops: int) -> str:
        scope: Function | None = self.function_of(node)
        while scope is not None:
            if name in scope.parameters or self.defined_in(scope, name):
                return name
            bound = [b for b in self.bindings(scope).get(name, ()) if not b.places and b.how != "each"]
            named = [b.value for b in bound if isinstance(b.value, ast.Name | ast.Attribute | ast.Call)]
            if named and hops and name not in self.imported:
                return self.dotted(named[0], hops=hops - 1) or name
            scope = scope.outer
        if name in self.imported:
            return self.imported[name]
        known = hasattr(builtins, name) or self.class_named(name) is not None
        return name if known or not self._stars else f"{self._stars[-1]}.{name}"


def parse(source: str, path: str) -> SourceFile:
    """Read the text as Python; Rejected says why not, with the line where there is one."""
    if len(source) > LARGEST_CHARACTERS:
        raise Rejected(
            path, f"holds more than {LARGEST_CHARACTERS} characters, and no test file needs that many"
        )
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line, why = (error.lineno or 1, error.msg) if isinstance(error, SyntaxError) else (1, error)
        raise Rejected(path, f"line {line}: {why}, so it is no Python 3.11 that can be parsed") from None
    except (RecursionError, MemoryError):
        raise Rejected(path, "line 1: nested too deep to be parsed") from None
    return _gathered(source, path, tree)


def _gathered(source: str, path: str, tree: ast.Module) -> SourceFile:
    module = Function(tree, "<module>", None, None, tuple(tree.body))
    functions, classes = [module], []
    parents: dict[ast.AST, ast.AST] = {}
    by_node: dict[ast.AST, Function] = {tree: module}
    waiting: list[tuple[ast.AST, Function, ast.ClassDef | None, int]] = [(tree, module, None, 0)]
    while waiting:
        node, outer, owner, depth = waiting.pop()
        if depth > DEEPEST_NESTING:
            line = getattr(node, "lineno", 1)
            raise Rejected(path, f"line {line}: nested more than {DEEPEST_NESTING} levels deep")
        if isinstance(node, ast.ClassDef):
            classes.append(node)
            owner = node
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            outer = by_node[node] = _function(node, outer, owner)
            functions.append(outer)
            owner = None
            if isinstance(node, ast.Lambda):
                parents[outer.body[0]] = node
        children = list(ast.iter_child_nodes(node))
        parents.update(dict.fromkeys(children, node))
        waiting += [(child, outer, owner, depth + 1) for child in reversed(children)]
    return SourceFile(path, source, tree, tuple(functions), tuple(classes), parents, by_node)


def _function(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, outer: Function, owner: ast.ClassDef | None
) -> Function:
    if isinstance(node, ast.Lambda):
        body = ast.copy_location(ast.Return(value=node.body), node.body)
        return Function(node, "<lambda>", None, outer, (body,))
    return Function(node, node.name, owner, outer, tuple(node.body))


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """The nodes of its body in the order of the text, without the bodies of definitions inside it."""
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting += reversed(list(ast.iter_child_nodes(node)))
