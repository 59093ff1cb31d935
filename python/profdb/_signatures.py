"""The parameters of TensorCast's operators whose arguments a lookup tells apart by role, or takes values from."""

from functools import lru_cache
from typing import Dict, Mapping, Tuple, Union

_MOE = "x expert_indices gmm1_w gmm1_bias gmm2_w gmm2_bias rank rank_group"
_MOE_INT = (
    "x expert_indices gmm1_w gmm1_w_scale gmm1_w_offset gmm1_bias gmm1_out_dtype"
    " gmm2_w gmm2_w_scale gmm2_w_offset gmm2_bias gmm2_out_dtype rank rank_group"
)
_MOE_FLOAT = _MOE_INT.replace("w_offset", "x_scale")

# Parameters in call order.
_PARAMETERS = {
    "attention": "query key value attention_mask block_table query_start_loc seq_lens query_lens",
    "attention_quant": "query key value attention_mask block_table query_start_loc seq_lens query_lens",
    "dispatch_ffn_combine": _MOE,
    "dispatch_ffn_combine_quant": _MOE_INT,
    "dispatch_ffn_combine_quant_int4": _MOE_INT,
    "dispatch_ffn_combine_fp8": _MOE_FLOAT,
    "dispatch_ffn_combine_mxfp4": _MOE_FLOAT,
    "quant_lightning_indexer": "q_states weights indexer_cache topk_limit tp_world_size seq_lens query_lens",
    "sparse_attn_sharedkv": "q kv attn_sink topk_indices softmax_scale head_dim kv_dependency",
    "scatter_nd_update_mla": "kv kv_cache slot_mapping window_size seq_lens",
    "all_reduce": "tensor rank rank_group",
    "all_gather": "tensor dim rank rank_group",
    "reduce_scatter": "tensor dim rank rank_group",
    "all_to_all": "tensor output_split_sizes input_split_sizes rank rank_group",
}

# Parameters that are no tensors: a call with a tensor in their place follows the lookup contract's order instead.
_SCALARS = frozenset("topk_limit tp_world_size softmax_scale head_dim window_size".split())

# The contract's order, where it is another one.
_CONTRACT = {
    "quant_lightning_indexer": "query weights cache",
    "sparse_attn_sharedkv": "query cache attn_sink topk_indices",
    "scatter_nd_update_mla": "update cache index",
}
_CONTRACT_MOE = "x expert_indices gmm1_weight gmm2_weight"

# A parameter's role where its name is not the role's.
_LENGTHS = {"seq_lens": "actual_seq_lengths_kv", "query_lens": "actual_seq_lengths_query"}
_ROLES: Mapping[str, Mapping[str, str]] = {
    "dispatch_ffn_combine": {"gmm1_w": "gmm1_weight", "gmm2_w": "gmm2_weight"},
    "quant_lightning_indexer": {
        "q_states": "query",
        "indexer_cache": "cache",
        **_LENGTHS,
    },
    "sparse_attn_sharedkv": {"q": "query", "kv": "cache"},
    "scatter_nd_update_mla": {"kv": "update", "kv_cache": "cache", "slot_mapping": "index"},
    "attention": _LENGTHS,
    "attention_quant": _LENGTHS,
}

_KNOWN_ROLES = (
    "x", "expert_indices", "gmm1_weight", "gmm2_weight", "query", "key", "value", "weights", "cache", "topk_indices",
    "block_table", "actual_seq_lengths_query", "actual_seq_lengths_kv", "update", "index",
)  # fmt: skip


def _short(name: str) -> str:
    """"all_reduce" of "tensor_cast.all_reduce.default"."""
    parts = name.split(".")
    return parts[1] if len(parts) == 3 and parts[0] == "tensor_cast" else ""


@lru_cache(maxsize=4096)
def parameters_of(name: str, tensors: Tuple[bool, ...]) -> Tuple[str, ...]:
    """The names of an operator's positional arguments, of which `tensors` are tensors; none where they are not known.

    A fused MoE call that ends before its second weights' place is one in the contract's order.
    """
    short = _short(name)
    parameters = _PARAMETERS.get(short, "").split()
    if any(is_tensor and parameter in _SCALARS for is_tensor, parameter in zip(tensors, parameters)):
        parameters = _CONTRACT[short].split()
    elif "gmm2_w" in parameters and len(tensors) <= parameters.index("gmm2_w"):
        parameters = _CONTRACT_MOE.split()
    return tuple(parameters[: len(tensors)])


@lru_cache(maxsize=4096)
def roles_of(name: str, tensors: Tuple[bool, ...]) -> Dict[Union[int, str], str]:
    """Roles by position, and by keyword; none for an operator that is not known."""
    short = _short(name)
    if short not in _PARAMETERS:
        return {}
    own = _ROLES.get("dispatch_ffn_combine" if short.startswith("dispatch_ffn_combine") else short, {})
    by_keyword: Dict[Union[int, str], str] = {**{role: role for role in _KNOWN_ROLES}, **own}
    positions = {i: by_keyword[p] for i, p in enumerate(parameters_of(name, tensors)) if p in by_keyword}
    return {**by_keyword, **positions}


@lru_cache(maxsize=4096)
def has_length_values(name: str) -> bool:
    """Whether an operator has arguments whose values count: lengths of sequences."""
    return "seq_lens" in _PARAMETERS.get(_short(name), "")
