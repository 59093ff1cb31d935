"""Prints one line per result of `profdb lookup --jsonl`: what answered, or why nothing did."""

import json
import sys


def line_of(number: int, result: dict) -> str:
    if result["source"] in ("MISS", "ERROR"):
        return f"{number:>3}  {result['source']:<12} {result.get('reason', result.get('error'))}"
    how = result.get("match_rule") or result.get("method", "")
    axes = "+".join(result.get("axes", []))
    return (
        f"{number:>3}  {result['source']:<12} {result['latency_us']:>10.4g} us  "
        f"{result.get('kernel', '-'):<22} {how} {axes}"
    ).rstrip()


for index, text in enumerate(sys.stdin, start=1):
    print(line_of(index, json.loads(text)))
