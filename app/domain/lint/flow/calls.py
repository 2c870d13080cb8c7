"""What the calls of a run do: collectives, messages, leaving, and the functions of the file."""

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence

from app.domain.lint.collectives import (
    Collective,
    Effect,
    collective,
    ends_group,
    point_to_point,
    starts_group,
)
from app.domain.lint.flow.arguments import argument, collecting, has_default
from app.domain.lint.flow.expressions import Expressions
from app.domain.lint.flow.graph import Kind
from app.domain.lint.flow.known_calls import SHAPE_NAMES, emptiness, is_store_call, joined, of_library, seeds
from app.domain.lint.flow.track import CallGuard, Control, Leaving, Scope, TryGuard
from app.domain.lint.frames import Callee, Frame, Value
from app.domain.lint.sameness import SAME, UNKNOWN, Held, Sameness, alike, by_name
from app.domain.lint.source import Function

DEEPEST_CALLS = 7
_FAILS = frozenset({"pytest.fail", "self.fail", "self.skipTest"})
_EXITS = frozenset({"sys.exit", "os._exit", "os.abort", "exit", "quit", "os.kill", "signal.raise_signal"})
_ASSERTS = ("testing.assert_", "assert_close", "assert_allclose", "assert_equal", "assert_array_equal")
_GROWS = frozenset(
    {
        "append",
        "extend",
        "add",
        "insert",
        "update",
        "pop",
        "remove",
        "clear",
        "popleft",
        "appendleft",
        "setdefault",
    }
)
_KEEPS_RANK = frozenset(
    {
        "int",
        "bool",
        "str",
        "float",
        "min",
        "max",
        "abs",
        "divmod",
        "list",
        "tuple",
        "set",
        "sorted",
        "any",
        "all",
        "sum",
    }
)
_TELLING = 5  # letters from which on a method's name alone tells whose it is
_EVERYBODYS = frozenset({
    "start", "close", "write", "terminate", "append", "update", "backward", "forward", "apply", "train",
    "zero_grad", "state_dict", "load_state_dict", "parameters", "reset", "items", "values", "cleanup",
    "shutdown", "__init__",
})  # fmt: skip
_ALONE = frozenset({"no_dist", "graceful"})  # arguments that say that no other rank is waited for
_WHOLE_GROUPS = ("group.WORLD", "GroupMember.WORLD", "_get_default_group()", "_world.default_pg")


class Calls(Expressions):
    """Makes calls; `body` runs statements, which the part above knows."""

    chance = alike(Sameness.LOCAL)

    @abstractmethod
    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Run statements, one after the other."""

    def call(self, call: ast.Call) -> Held:
        """Evaluate what is called and its arguments, then do what the call does."""
        receiver = self.held(call.func.value) if isinstance(call.func, ast.Attribute) else SAME
        given = {id(a): self.held(a) for a in (*call.args, *(k.value for k in call.keywords))}
        dotted = self.file.dotted(call.func)
        found = self._done(call, dotted, receiver, given)
        for guard in self.around:
            if isinstance(guard, TryGuard):
                guard.called |= found.value | joined(list(given.values())).value
        return found

    def _done(self, call: ast.Call, dotted: str, receiver: Held, given: dict[int, Held]) -> Held:
        callees = self.callees(call)
        known = collective(dotted, of_file=bool(callees))
        if known is not None and not any(k.arg in _ALONE for k in call.keywords):
            return self._collective(call, known, given)
        if callees:
            return self._of_file(call, callees, given)
        if self._leaves(call, dotted):
            return SAME
        self._marks(call, dotted)
        held = of_library(dotted, call, list(given.values()), self.chance)
        if held is not None:
            return held
        return self._other(call, dotted, receiver, given)

    def callees(self, call: ast.Call) -> tuple[Callee, ...]:
        """The functions of the file that the call can enter; of a class, its constructor."""
        if isinstance(call.func, ast.Name):
            owner = self.file.class_named(call.func.id)
            made = self.file.method(owner, "__init__") if owner is not None else None
            if made is not None:
                return (Callee(made, self.values.module),)
        found = self.values.callees(call.func, self.scope.frame)
        return found or self._only_method(call)

    def _only_method(self, call: ast.Call) -> tuple[Callee, ...]:
        """A method whose name only one class of the file has, of an instance that the file does not show
        being made.
        """
        if not isinstance(call.func, ast.Attribute) or not isinstance(
            call.func.value, ast.Name | ast.Attribute
        ):
            return ()
        if self.file.text(call.func.value).partition(".")[0] in self.file.imported:
            return ()
        name = call.func.attr
        found = [f for f in self.file.functions if f.owner is not None and f.name == name]
        if len(found) != 1:
            return ()
        owner = found[0].owner.name if found[0].owner is not None else ""
        is_named_so = owner.lower() in self.file.text(call.func.value).lower().replace("_", "")
        is_telling = len(name) >= _TELLING and name not in _EVERYBODYS
        return (Callee(found[0], self.values.module),) if is_named_so or is_telling else ()

    def _collective(self, call: ast.Call, known: Collective, given: dict[int, Held]) -> Held:
        point = self.add(Kind.COLLECTIVE, call, known.name)
        point.whole = self._is_whole(call, known)
        self._tell_tries()
        flags = Sameness.AGREED
        if known.effect is Effect.SPREADS:
            flags |= Sameness.LOCAL
        target = argument(
            call, known.written, ("tensor", "output", "output_tensor", "object_list", "tensor_list")
        )
        if target is not None and known.effect is not Effect.WAITS:
            self.settle(target, flags)
        shape = joined(list(given.values())).shape
        return Held(flags, shape & ~Sameness.LOCAL if known.effect is Effect.AGREES else shape)

    def _tell_tries(self) -> None:
        for guard in self.around:
            if isinstance(guard, TryGuard):
                guard.has_collective = True

    def _is_whole(self, call: ast.Call, known: Collective) -> bool:
        if any(k.arg == "use_local_synchronization" for k in call.keywords):
            return False
        if any(isinstance(guard, TryGuard) and guard.expects for guard in self.around):
            return False
        group = argument(call, known.group, ("group", "pg", "process_group", "mesh", "device_mesh"))
        if group is None or (isinstance(group, ast.Constant) and group.value is None):
            return True
        way = [value.node for value in self.values.chain(group, self.scope.frame)]
        origin = way[-1]
        if any(isinstance(node, ast.Call) for node in way[:-1]):
            return False  # a function that gives back a group on one way and none on another
        if isinstance(origin, ast.Constant) and origin.value is None:
            return True
        dotted = self.file.dotted(origin)
        return dotted.endswith(_WHOLE_GROUPS) or (
            isinstance(origin, ast.Call)
            and dotted.endswith("new_group()")
            and not (origin.args or origin.keywords)
        )

    def _leaves(self, call: ast.Call, dotted: str) -> bool:
        """Whether the call ends the run here, or is a check that the test makes of its own subject."""
        if dotted in _FAILS:
            self.add(Kind.RAISE, call, "Failed")
            self.leave(Leaving.RAISE, "AssertionError")
            return True
        if dotted in _EXITS and not (dotted == "os.kill" and "getpid" not in self.file.text(call)):
            self.add(Kind.EXIT, call, dotted)
            self.leave(Leaving.RAISE, "SystemExit" if dotted in {"sys.exit", "exit", "quit"} else "")
            return True
        return dotted.startswith("self.assert") or any(word in dotted for word in _ASSERTS)

    def assertion(self, node: ast.AST, flags: Sameness) -> None:
        """A check that raises where it does not hold, and else goes on."""
        fork = self.add(Kind.BRANCH, node)
        fork.flags = flags
        saved = self.control
        self.control = (*saved, Control(flags, fork))
        self.add(Kind.RAISE, node, "AssertionError")
        self.leave(Leaving.RAISE, "AssertionError")
        self.control, self.at = saved, fork

    def _marks(self, call: ast.Call, dotted: str) -> None:
        """Put down what other ranks or the group notice of a call."""
        message = point_to_point(dotted)
        if message is not None:
            self.add(Kind.POINT, call, message)
            if "recv" in message and call.args:
                self.settle(call.args[0], Sameness.LOCAL | Sameness.AGREED)
        elif starts_group(dotted):
            self.add(Kind.JOINS, call, dotted)
            self._tell_tries()
        elif ends_group(dotted):
            self.add(Kind.LEAVES, call, dotted)
        elif is_store_call(dotted):
            self.add(Kind.STORE, call, dotted.rpartition(".")[2])
        else:
            self.add(Kind.WORK, call, dotted)
        if seeds(dotted):
            self.chance = joined([self.held(a) for a in call.args])

    def _other(self, call: ast.Call, dotted: str, receiver: Held, given: dict[int, Held]) -> Held:
        """A call of which nothing is known: it gives what is made of what it is given."""
        together = joined(list(given.values()))
        for guard in self.around if not self._is_plain(dotted) else ():
            if isinstance(guard, TryGuard):
                guard.called |= Sameness.UNKNOWN
        if isinstance(call.func, ast.Attribute):
            last = call.func.attr
            if last in _GROWS or (last.endswith("_") and not last.startswith("_")):
                self.spread(call.func.value, Held(together.value))
            if last in SHAPE_NAMES:
                return alike(receiver.shape)
            if last in {"exists", "is_file", "is_dir"}:
                return alike(receiver.value | together.value or Sameness.UNKNOWN)
        value = receiver.value | together.value
        if dotted not in _KEEPS_RANK:
            value &= ~Sameness.RANK
        found = Held(value, receiver.shape | together.shape | emptiness(call, dotted, together))
        if found == SAME and not self._is_plain(dotted):
            return by_name(dotted.rpartition(".")[2])
        return found

    def _is_plain(self, dotted: str) -> bool:
        """Whether the same arguments give the same result on every rank."""
        return "." not in dotted or dotted.startswith(("torch.", "math.", "numpy.", "itertools.", "os.path."))

    def _of_file(self, call: ast.Call, callees: tuple[Callee, ...], given: dict[int, Held]) -> Held:
        found: list[Held] = []
        if len(callees) == 1:
            return self._entered(call, callees[0], given)
        fork = self.add(Kind.BRANCH, call)
        fork.flags = Sameness.SAME
        runs = [
            lambda callee=callee: found.append(self._entered(call, callee, given)) for callee in callees[:3]
        ]
        self.arms(fork, Sameness.SAME, runs)
        return joined(found)

    def asked(self, node: ast.Attribute, method: Function) -> Held:
        """Run a property of the file."""
        frame = Callee(method, self.values.module).called_with((), {})
        return self._within(node, frame, {method.parameters[0]: SAME} if method.parameters else {}, SAME)

    def _entered(self, call: ast.Call, callee: Callee, given: dict[int, Held]) -> Held:
        frame = self.values.activation(callee, call, self.scope.frame)
        return self._within(call, frame, self.parameters(frame, given), joined(list(given.values())))

    def _within(self, call: ast.expr, frame: Frame, names: dict[str, Held], given: Held) -> Held:
        active = [guard.scope.frame.function for guard in self.around if isinstance(guard, CallGuard)]
        if (
            len(active) >= DEEPEST_CALLS
            or frame.function in active
            or frame.function is self.scope.frame.function
        ):
            return given | UNKNOWN
        return self.entered(call, frame, names)

    def parameters(self, frame: Frame, given: dict[int, Held]) -> dict[str, Held]:
        found: dict[str, Held] = {}
        for name in (*frame.function.parameters, *collecting(frame.function)):
            value = frame.given.get(name)
            if value is not None:
                held = given.get(id(value.node)) or self._elsewhere(value)
                found[name] = held | by_name(name) if held == UNKNOWN else held
            elif has_default(frame.function, name) or (
                frame.function.is_bound_method and name == frame.function.parameters[0]
            ):
                found[name] = SAME
            else:
                found[name] = joined(list(given.values()))
        return found

    def _elsewhere(self, value: Value) -> Held:
        """What an argument held where it was given, for those that a partial has kept."""
        scope = self.scopes.get(value.frame)
        if scope is None or not isinstance(value.node, ast.Name | ast.Constant):
            return UNKNOWN
        saved, self.scope = self.scope, scope
        found = self.held(value.node)
        self.scope = saved
        return found

    def entered(
        self,
        call: ast.expr,
        frame: Frame,
        names: dict[str, Held],
        *,
        on_yield: Callable[[], None] | None = None,
    ) -> Held:
        """Run a function of the file in this call, and go on where it returns."""
        scope = Scope(frame, names, self.new(Kind.JOIN), on_yield=on_yield, base=len(self.control))
        saved, self.scope = self.scope, scope
        control, calls, self.calls = self.control, self.calls, (*self.calls, call)
        written, self.written = self.written, set()
        self.scopes[frame] = scope
        self.around.append(CallGuard(scope))
        self.body(frame.function.body)
        self.go_to(scope.exit)
        self.around.pop()
        self.scope, self.control, self.calls = saved, control, calls
        self.written = written | {name for name in self.written if "." in name}
        self.at = scope.exit if scope.exit.before else None
        return scope.returned
