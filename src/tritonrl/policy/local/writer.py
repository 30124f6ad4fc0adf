"""`Writer`: a model in memory, that continues a prompt several times at once."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    LogitsProcessorList,
    PreTrainedTokenizerBase,
)
from transformers.utils import logging

from tritonrl.errors import UserError
from tritonrl.llm.secrecy import one_line
from tritonrl.policy.local.draw import Draw
from tritonrl.policy.local.folder import Folder
from tritonrl.policy.local.prompt import Prompt
from tritonrl.policy.local.settings import CPU, GPU, Place, Sampling
from tritonrl.policy.local.text import Listener, Text

CACHE_STEP = 256
"""Prompts for a static cache are padded to multiples of this: for every other length it is compiled anew."""


Tell = Callable[[int, str], None] | None
"""Is told a row and the next piece of its text."""


class Writer:
    def __init__(self, folder: Folder, sampling: Sampling, place: Place | None) -> None:
        self._folder, self._sampling = folder, sampling
        self._place = place or (GPU if torch.cuda.is_available() else CPU)
        self._batch = self._place.batch
        self.tokenizer, self._model = _load(folder, self._place)
        ends: Any = self._model.generation_config.eos_token_id
        ends = self.tokenizer.eos_token_id if ends is None else ends
        self._ends: frozenset[int] = frozenset([ends] if isinstance(ends, int) else ends or [])
        self._pad = next(iter(sorted(self._ends)), 0)
        # How its makers like to draw from it is not how it is drawn from here.
        self._model.generation_config = GenerationConfig()
        text_config = self._model.config.get_text_config()
        self.context: int | None = getattr(text_config, "max_position_embeddings", None)
        """Most tokens of prompt and answer together; None where there is no bound."""

    def write(self, prompt: Prompt, seeds: Sequence[int | None], tell: Tell) -> list[str]:
        """A text for each of the first seeds, as many as are written at a time; one without a seed is
        greedy."""
        while True:
            seeds = seeds[: self._batch]
            try:
                return self._generate(prompt, seeds, tell)
            except torch.OutOfMemoryError:
                if len(seeds) == 1:
                    raise UserError(f"{self._folder.path}: too little memory for an answer") from None
            self._batch = len(seeds) // 2

    def _generate(self, prompt: Prompt, seeds: Sequence[int | None], tell: Tell) -> list[str]:
        num_new = min(self._sampling.max_new_tokens, (self.context or sys.maxsize) - len(prompt.tokens))
        static = self._place.static and getattr(self._model, "_can_compile_fullgraph", False)
        pad = -len(prompt.tokens) % CACHE_STEP if static else 0
        tokens = torch.tensor([[self._pad] * pad + prompt.tokens] * len(seeds), device=self._place.device)
        mask = torch.ones_like(tokens)
        mask[:, :pad] = 0
        config = GenerationConfig(
            max_new_tokens=num_new,
            eos_token_id=sorted(self._ends) or None,
            pad_token_id=self._pad,
            cache_implementation="static" if static else None,
        )
        texts = [Text(self.tokenizer, self._ends, prompt.opening) for _ in seeds]
        with torch.inference_mode(self._place.device == "cpu"):  # compiled code does without
            written = self._model.generate(
                tokens,
                attention_mask=mask,
                generation_config=config,
                logits_processor=LogitsProcessorList([Draw(seeds, self._sampling)]),
                streamer=Listener(texts, tell) if tell else None,
            )
        if not tell:
            for text, row in zip(texts, written[:, tokens.shape[1] :].tolist(), strict=True):
                text.add(row, last=True)
        return [text.said for text in texts]


def _load(folder: Folder, place: Place) -> tuple[PreTrainedTokenizerBase, Any]:
    """Tokenizer and model; nothing is fetched, and no code of the folder's own is run."""
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        with _quiet():
            tokenizer = AutoTokenizer.from_pretrained(folder.path, **options)
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                folder.path,
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
def _quiet() -> Iterator[None]:
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
