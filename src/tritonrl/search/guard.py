"""What a drop-in adds to its candidate's code: the guard, as text.

Kernels hold for what they were verified for. A call reaches them if its inputs, the module's construction,
its settings and its tensors are of that kind, nothing wants a gradient or autocast, and the tensors are where
kernels run; any other goes to PyTorch. For a module of ten parameters this takes nine microseconds a call.
"""

INPUTS = '''
INPUTS = {inputs}
"""Shape, strides and type of each input that the kernels were verified for."""
'''
ARGUMENTS = '''
ARGUMENTS = {arguments}
"""What the module was constructed with, by place and by name."""
'''
GUARD = '''
INTERPRETED = triton.knobs.runtime.interpret
"""Whether kernels run on the CPU, too: TRITON_INTERPRET=1, when this file is imported."""


def _kinds(value, tensors):
    """Its tensors are appended to those given."""
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return value.shape, value.stride() if value.layout is torch.strided else None, value.dtype
    if isinstance(value, (list, tuple)):
        return [_kinds(each, tensors) for each in value]
    if isinstance(value, dict):
        return {key: _kinds(each, tensors) for key, each in value.items()}
    return value


def _can_run(tensors):
    """Kernels have no gradient, know nothing of autocast, and run on the current GPU or interpreted."""
    if torch.is_grad_enabled() and any(each.requires_grad for each in tensors):
        return False
    places = {each.get_device() for each in tensors}
    if places == {-1}:
        return INTERPRETED and all(each.is_cpu for each in tensors) and not torch.is_autocast_enabled("cpu")
    is_here = len(places) == 1 and tensors[0].is_cuda and places == {torch.cuda.current_device()}
    return is_here and not torch.is_autocast_enabled("cuda")
'''
MODULE_GUARD = '''

SETTINGS = bool, int, float, complex, str, tuple, type(None), torch.dtype
SETTINGS = *SETTINGS, types.FunctionType, types.BuiltinFunctionType, type
UNTOLD = {*vars(torch.nn.Module())}
"""What PyTorch itself keeps in any module: whether it trains is told where its class asks for that."""


def _parts(module):
    """Each submodule with the names of its settings."""
    parts = []
    for each in module.modules():
        names = [name for name, value in vars(each).items() if isinstance(value, SETTINGS)]
        names = [name for name in names if name not in UNTOLD or name == "training" and _asks(type(each))]
        parts.append((each, names))
    return parts


def _asks(kind):
    """Whether something in a class reads `training`, as batch norm and dropout do."""
    own = [base for base in kind.__mro__ if base not in (torch.nn.Module, object)]
    found = [getattr(each, "fget", each) for base in own for each in vars(base).values()]
    found = [inspect.unwrap(each) for each in found]
    waiting = [each.__code__ for each in found if hasattr(each, "__code__")]
    for code in waiting:
        waiting += [each for each in code.co_consts if hasattr(each, "co_names")]
    return any("training" in (*code.co_names, *code.co_consts) for code in waiting)


def _state(parts, tensors):
    """All of a module that the kernels rely on and that can change: its settings, submodules and hooks, and
    the kinds of its tensors, which are appended to those given."""
    settings, children, hooked, own = [], [], [], []
    for each, names in parts:
        held = vars(each)
        settings += map(held.get, names)
        children += held["_modules"].values()
        if each is not parts[0][0]:  # whose own run all the same
            hooked += held["_forward_hooks"] or held["_forward_pre_hooks"]
        own += held["_parameters"].values()
        own += held["_buffers"].values()
    own = [each for each in own if each is not None]
    tensors += own
    kinds = [(each.shape, each.stride(), each.dtype) for each in own]
    return settings, children, hooked, kinds, len({id(each) for each in own})


def _arguments(made, args, kwargs):
    bound = inspect.signature(made).bind(*args, **kwargs)
    bound.apply_defaults()
    return _kinds([bound.args, bound.kwargs], [])


def _as_verified(module, args):
    """Whether the kernels were verified for such a call."""
    parts, state = module._verified
    tensors = []
    return _state(parts, tensors) == state and _kinds(args, tensors) == INPUTS and _can_run(tensors)
'''
FUNCTION_GUARD = '''

def _as_verified(args):
    """Whether the kernels were verified for such a call."""
    tensors = []
    return _kinds(args, tensors) == INPUTS and _can_run(tensors)
'''
CLASS = '''

class {entry}({made}):
    """{doc}"""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        made, parts = super().__init__, _parts(self)
        is_verified = _arguments(made, args, kwargs) == _arguments(made, *ARGUMENTS)
        is_verified = is_verified and torch.get_default_dtype() is torch.float32
        self._verified = parts, _state(parts, []) if is_verified else None

    def forward(self, {parameters}):
        if {by_place}_as_verified(self, {args}):
            return super().forward({given})
        return self._forward_in_torch({all})

{fallback}


{made} = {entry}
'''
FUNCTION = '''

_in_triton = {made}


{fallback}


def {entry}({parameters}):
    """{doc}"""
    if {by_place}_as_verified({args}):
        return _in_triton({given})
    return _in_torch({all})


{made} = {entry}
'''
NO_FALLBACK = """def {name}(*args, **kwargs):
    raise ValueError(f"the kernels were verified for {{INPUTS}} only")
"""
DOC = "In Triton for calls like those that were verified; else in PyTorch."
