"""Load a model from a folder by transformers, and say what is wrong with it in one line."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging

from tritonrl.errors import UserError
from tritonrl.llm.secrecy import one_line
from tritonrl.policy.local.folder import Folder
from tritonrl.policy.local.settings import Place

Weights = Callable[[], dict[str, torch.Tensor]]
"""Gives the weights of a folder that does not have them in a form that transformers reads."""


def load(folder: Folder, place: Place, weights: Weights | None = None) -> tuple[PreTrainedTokenizerBase, Any]:
    """Tokenizer and model; nothing is fetched, and no code of the folder's own is run."""
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(folder.path, **options)
            kind: Any = AutoModelForCausalLM
            given: dict[str, Any] = {"pretrained_model_name_or_path": folder.path}
            if weights:
                config = AutoConfig.from_pretrained(folder.path, **options)
                kind = MODEL_FOR_CAUSAL_LM_MAPPING[type(config)]
                given = {"pretrained_model_name_or_path": None, "config": config, "state_dict": weights()}
            loaded = kind.from_pretrained(
                **given,
                dtype=getattr(torch, place.dtype),
                ignore_mismatched_sizes=True,  # they are looked at below
                output_loading_info=True,
                **options,
            )
        model, found = loaded
        model.to(place.device).eval()
    except Exception as error:  # whatever libraries say of files that they cannot read
        reason = one_line(str(error)) or type(error).__name__
        raise UserError(f"{folder.path}: cannot be loaded: {reason}") from error
    # Transformers would fill these in at random.
    for what, names in (("are missing", found["missing_keys"]), ("do not fit", found["mismatched_keys"])):
        if names:
            first = min(name if isinstance(name, str) else name[0] for name in names)
            raise UserError(f"{folder.path}: {len(names)} weights {what}, {first} among them")
    if len(tokenizer) > (known := model.get_input_embeddings().weight.shape[0]):
        raise UserError(f"{folder.path}: the tokenizer has {len(tokenizer)} tokens, the model knows {known}")
    return tokenizer, model


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the bars and warnings of transformers."""
    verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()
