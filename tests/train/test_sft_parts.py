"""What a supervised run is made of: attention within examples, and Muon for all matrices of a shape."""

from itertools import pairwise

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from tritonrl.train.sft.attention import NAME
from tritonrl.train.sft.optimizer import Muon, MuonAndAdamW, orthogonal

BORDERS = [0, 5, 12, 12, 20, 20, 20]


def small_model(num_key_value_heads: int = 4) -> LlamaForCausalLM:
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=64,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=num_key_value_heads,
            pad_token_id=0,
            bos_token_id=None,
            eos_token_id=0,
        )
    )


@pytest.mark.parametrize("num_key_value_heads", [4, 2])
def test_examples_end_to_end_are_read_as_each_alone(num_key_value_heads: int):
    model, tokens = small_model(num_key_value_heads), torch.randint(1, 64, (1, 20))
    alone = [model(tokens[:, start:end]).logits for start, end in pairwise(sorted(set(BORDERS)))]
    model.config._attn_implementation = NAME
    borders = torch.tensor(BORDERS, dtype=torch.int32)
    places = torch.tensor([[*range(5), *range(7), *range(8)]])
    together = model(
        tokens,
        position_ids=places,
        cu_seq_lens_q=borders,
        cu_seq_lens_k=borders,
        max_length_q=8,
        max_length_k=8,
    ).logits
    torch.testing.assert_close(together, torch.cat(alone, dim=1), rtol=1e-4, atol=1e-5)


def test_muon_is_that_of_torch_for_each_matrix():
    torch.manual_seed(0)
    shapes = [(24, 16), (16, 24), (24, 16), (16, 16)]
    ours, theirs = ([torch.nn.Parameter(torch.zeros(shape)) for shape in shapes] for _ in range(2))
    muon = Muon(ours, lr=0.02, weight_decay=0.1)
    reference = torch.optim.Muon(theirs, lr=0.02, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for _ in range(4):
        for one, other in zip(ours, theirs, strict=True):
            one.grad = torch.randn_like(one)
            other.grad = one.grad.clone()
        muon.step()
        reference.step()
    for one, other in zip(ours, theirs, strict=True):
        assert one.detach().std() > 0.005
        torch.testing.assert_close(one, other)


def test_what_is_orthogonal_has_singular_values_near_one():
    torch.manual_seed(0)
    for values in torch.linalg.svdvals(orthogonal(torch.randn(3, 40, 24)).float()):
        assert 0.5 < values.min() <= values.max() < 1.5


def test_every_weight_is_with_one_optimizer():
    model = small_model()
    both = MuonAndAdamW(model, lr=0.02, weight_decay=0.1)
    held = [id(each) for group in both.param_groups for each in group["params"]]
    assert sorted(held) == sorted(map(id, model.parameters()))
    by_muon = {id(each) for group in both._parts[0].param_groups for each in group["params"]}
    assert by_muon == {id(p) for name, p in model.named_parameters() if "proj" in name}
