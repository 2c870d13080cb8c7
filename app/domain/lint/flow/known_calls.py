"""What calls of libraries give back: the rank's number, its luck, the rank's own message, or a shape."""

import ast
import re

from app.domain.lint.sameness import OF_RANK, SAME, Held, Sameness, alike

_RANK_CALLS = frozenset({
    "get_rank", "get_local_rank", "get_global_rank", "get_node_local_rank", "get_node_rank", "get_group_rank",
    "Get_rank", "get_coordinate", "local_rank", "global_rank", "process_index",
})  # fmt: skip
_SAME_CALLS = frozenset({
    "get_world_size", "get_backend", "is_initialized", "is_available", "device_count", "Get_size",
    "get_default_group",
})  # fmt: skip
RANK_VARIABLES = frozenset({
    "RANK", "LOCAL_RANK", "GROUP_RANK", "ROLE_RANK", "SLURM_PROCID", "SLURM_LOCALID", "PMI_RANK",
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
})  # fmt: skip
_OWN_CLOCK = re.compile(
    r"^(?:time\.|datetime\.|os\.(?:urandom|getpid|getppid)$|uuid\.|secrets\.|socket\.gethostname|psutil\.|resource\.)"
)
_CHANCE = re.compile(
    r"(?:^|\.)(?:random|np\.random|numpy\.random|default_rng\(\)|Random\(\))\.\w+$"
    r"|^torch\.(?:rand|randn|randint|randperm|normal|bernoulli|multinomial)$"
)
_SEEDS = re.compile(r"(?:^|\.)(?:manual_seed|seed|set_seed|seed_everything|manual_seed_all)$")
_MADE_LIKE = frozenset({"zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like"})
_MADE_OF_SIZE = frozenset({"zeros", "ones", "empty", "rand", "randn", "eye", "arange", "randperm"})
_SHAPE_CALLS = frozenset({"len", "isinstance", "type", "id", "callable", "hasattr"})
SHAPE_NAMES = frozenset(
    {"shape", "ndim", "dtype", "device", "size", "numel", "dim", "itemsize", "is_cuda", "layout"}
)
_MESSAGES = frozenset({"get", "recv", "get_nowait", "recv_bytes", "recv_object_list", "readline", "poll"})
_MESSENGER = re.compile(r"(?:queue|pipe|conn|inbox|mailbox|channel|\bq)\w*(?:\(\))?\.$", re.IGNORECASE)
_STORE = re.compile(r"(?:^|[._])[Ss]tore(?:\(\)|\b)[.\w()]*\.$|Store\(\)\.$")
STORE_WORDS = frozenset({
    "get", "wait", "set", "add", "check", "compare_set", "delete_key", "num_keys", "append", "multi_get",
    "multi_set",
})  # fmt: skip

_LOOKS_UP = frozenset({"get", "pop", "find", "match", "search", "fullmatch"})


def seeds(dotted: str) -> bool:
    """Whether the call fixes the chance of this process."""
    return _SEEDS.search(dotted) is not None


def is_store_call(dotted: str) -> bool:
    """An operation on a key-value store that ranks share."""
    front, _, last = dotted.rpartition(".")
    return last in STORE_WORDS and _STORE.search(f"{front}.") is not None


def of_library(dotted: str, call: ast.Call, arguments: list[Held], chance: Held) -> Held | None:
    """What a call of a library gives, None where its arguments tell all that there is to tell."""
    front, _, last = dotted.rpartition(".")
    together = joined(arguments)
    if last in _RANK_CALLS or names_rank_variable(dotted, call):
        return OF_RANK
    if last in _SAME_CALLS:
        return SAME
    return _drawn(dotted, front, last, together, chance) or _made(dotted, last, arguments, together)


def _drawn(dotted: str, front: str, last: str, together: Held, chance: Held) -> Held | None:
    """What comes from a store, a clock, a message or by chance."""
    if is_store_call(dotted):
        return alike(Sameness.AGREED)
    if _OWN_CLOCK.match(dotted) or (last in _MESSAGES and _MESSENGER.search(f"{front}.")):
        return alike(Sameness.LOCAL)
    if _CHANCE.search(dotted):
        return Held(chance.value | together.value, together.value if last in _MADE_OF_SIZE else SAME.shape)
    return None


def _made(dotted: str, last: str, arguments: list[Held], together: Held) -> Held | None:
    if dotted in _SHAPE_CALLS and arguments:
        return alike(arguments[0].shape)
    if dotted == "range":
        return alike(together.value)
    return _filled(last, arguments, together) if dotted.startswith(("torch.", "numpy.")) else None


def _filled(last: str, arguments: list[Held], together: Held) -> Held | None:
    """A tensor that is made to a size, or in the likeness of another."""
    if last == "full" and len(arguments) > 1:
        return Held(together.value, arguments[0].value)
    if last in _MADE_OF_SIZE:
        return Held(SAME.value if last != "arange" else together.value, together.value)
    return Held(SAME.value, together.shape) if last in _MADE_LIKE else None


def names_rank_variable(dotted: str, call: ast.Call) -> bool:
    """`os.environ.get("RANK")`, `os.getenv("LOCAL_RANK", 0)`."""
    if not dotted.endswith((".get", "getenv")) or not call.args:
        return False
    first = call.args[0]
    return isinstance(first, ast.Constant) and first.value in RANK_VARIABLES


def joined(held: list[Held]) -> Held:
    whole = SAME
    for one in held:
        whole |= one
    return whole


def emptiness(call: ast.Call, dotted: str, together: Held) -> Sameness:
    """Whether a call that looks something up for this rank may find nothing; a class always gives one."""
    last = dotted.rpartition(".")[2]
    is_for_rank = bool(together.value & Sameness.RANK) and isinstance(call.func, ast.Name) and last.islower()
    return together.value & ~Sameness.RANK if last in _LOOKS_UP or is_for_rank else Sameness.SAME
