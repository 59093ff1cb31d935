"""Prints one line per result of `profdb lookup --jsonl`: which path and rows answered, or why none did."""

import json
import sys


def line_of(number: int, result: dict) -> str:
    start = f"{number:>3}  {result['source']:<12}"
    path = result.get("path") or "-"
    if result["source"] in ("MISS", "ERROR"):
        return f"{start} {'-':>9}     {path:<27} {result.get('reason', result.get('error'))}"
    how = " ".join([result.get("match_rule") or result.get("method", ""), "+".join(result.get("axes", []))])
    kernel = result.get("kernel", "-")
    return f"{start} {result['latency_us']:>9.4g} us  {path:<27} {kernel:<24} {how}".rstrip()


for index, text in enumerate(sys.stdin, start=1):
    print(line_of(index, json.loads(text)))
