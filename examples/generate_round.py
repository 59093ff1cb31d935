#!/usr/bin/env python3
"""Writes the evidence of a serving round that never took place. Everything is synthetic: made up, not measured.

  generate_round.py base FOLDER        FOLDER/base: the RunSpec of a calibration of the parent
  generate_round.py candidate FOLDER   FOLDER/r1: the RunSpec of a candidate, after base was measured
  generate_round.py measure ROUND      services and records of every planned run of a frozen round
  generate_round.py accuracy ROUND     accuracy run, functional checks and time ledger, after the verdict

The steps are run in this order, with `profdb serving` commands between them; docs/serving.md has the whole session.
"""
import hashlib
import json
import pathlib
import random
import re
import sys
import time

NOTICE = "synthetic: written by examples/generate_round.py, not measured"
LEVELS = (1, 4, 16)
INPUT, WARMUP, MEASURED = 32, 8, 32
# Milliseconds per token that the made-up services take.
TPOT_MS = {"parent-0001": {1: 2.10, 4: 2.40, 16: 3.10}, "candidate-0002": {1: 2.00, 4: 2.30, 16: 2.96}}
PROTOCOL = """# A small protocol for the synthetic example.
format: profdb-serving-protocol/1
name: synthetic-small
version: "1"
levels: [1, 4, 16]
input_tokens: 32
warmup_output_tokens: 8
measured_output_tokens: 32
limit_ms_per_token: 2.0
threshold_floor: 0.01
rank: {header: X-data-parallel-rank, modulus: 4}
request:
  path: /v1/completions
  body: {stream: true, stream_options: {include_usage: true}, return_token_ids: true, echo: false,
         add_special_tokens: false, ignore_eos: true, temperature: 0, top_p: 1, seed: 0, n: 1}
http_timeout_s: 60
barrier_timeout_s: 10
barrier_spread_ms: 100
accuracy:
  dataset: GSM8K test
  dataset_revision: 3101c7d5072418e28b9008a6636bde82a006892c
  scorer: AISBench Gsm8kEvaluator
  scorer_revision: 5a63d936e40dd04addfcffb2401f84cd0e53bb46
  prompt: gsm8k_gen_0_shot_cot_chat_prompt
  questions: 1319
  sample: 300
  seed: 42
  selection_sha256: 0c8c1ae7458bd483882b725b6ae022094b08a1cb93d4ab51a1ef175857673d56
  correct_at_least: 292
  concurrency: 32
  warmup_requests: 0
  max_output_tokens: 4096
  settings: {thinking_mode: thinking, enable_thinking: true, reasoning_effort: low, temperature: 0, top_p: 1, seed: 0}
"""
BODY = {"stream": True, "stream_options": {"include_usage": True}, "return_token_ids": True, "echo": False,
        "add_special_tokens": False, "ignore_eos": True, "temperature": 0, "top_p": 1, "seed": 0, "n": 1}


def sha256(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def utc(ns):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 10**9)) + ".%06dZ" % (ns % 10**9 // 1000)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(data)
    return sha256(data)


def identity(commit):
    return {"commit": commit, "deployed_files": sha256("synthetic files of " + commit),
            "weights": sha256("synthetic weights"), "operator_library": sha256("synthetic operators of " + commit),
            "configuration": sha256("synthetic configuration")}


def prompts():
    draw = random.Random(8)
    make = lambda: [[draw.randrange(1000, 30000) for _ in range(INPUT)] for _ in range(16)]
    return {"warmup": make(), "measured": make()}


def write_plan(folder, spec):
    """The RunSpec and the files that it binds."""
    bound = {"protocol.yaml": PROTOCOL, "prompts.json": compact(prompts()),
             "client.json": compact({"client": NOTICE}), "validator.json": compact({"validator": NOTICE}),
             "knowledge-hits.md": "# Knowledge record\nNothing was queried, since this round is " + NOTICE + ".\n"}
    digest = {name: write(folder / name, text) for name, text in bound.items()}
    document = {"format": "profdb-serving-runspec/1", **spec,
                "protocol": {"path": "protocol.yaml", "sha256": digest["protocol.yaml"]},
                "inputs": [{"name": "prompt_pool", "path": "prompts.json", "sha256": digest["prompts.json"]}],
                "tools": [{"name": "client", "path": "client.json", "sha256": digest["client.json"]}],
                "validator": {"path": "validator.json", "sha256": digest["validator.json"]},
                "knowledge": {"path": "knowledge-hits.md", "sha256": digest["knowledge-hits.md"], "outcome": "no_hits"},
                "required_paths": ["fused_path"], "synthetic": NOTICE}
    write(folder / "runspec.yaml", json.dumps(document, indent=2) + "\n")  # JSON is YAML
    print(f"wrote {folder}/runspec.yaml, all synthetic")


def base(root):
    write_plan(root / "base", {
        "round": "base", "kind": "calibration", "hypothesis": "How far do two runs of the parent differ?", "targets": [],
        "candidate": identity("parent-0001"),
        "pairs": [{"parent": "P1", "candidate": "C1", "first": "parent"},
                  {"parent": "P2", "candidate": "C2", "first": "candidate"},
                  {"parent": "P3", "candidate": "C3", "first": "parent"}]})


def candidate(root):
    references = [{"run": f"base/{run}", "path": f"../base/{run}/requests.jsonl",
                   "sha256": sha256((root / "base" / run / "requests.jsonl").read_bytes())} for run in ("P1", "P2", "P3")]
    write_plan(root / "r1", {
        "round": "r1", "kind": "candidate", "hypothesis": "A fused kernel shortens every decoding step.",
        "targets": [1, 16], "parent": identity("parent-0001"),
        "candidate": {**identity("candidate-0002"), "direct_parent": "parent-0001"}, "calibration": "base",
        "references": references, "functions": ["same_answers"],
        "accuracy": {"dataset_sha256": sha256("synthetic dataset"), "scorer_sha256": sha256("synthetic scorer"),
                     "prompts_sha256": sha256("synthetic prompts")}})


class Service:
    """One made-up start of a service. Its requests begin at a time that is given, and take as long as they say."""

    def __init__(self, folder, spec, run, start_ns):
        self.folder, self.spec, self.run, self.now = folder, spec, run, start_ns
        self.id = f"{spec['round']}-{run}"
        self.noise = random.Random(self.id)
        self.pool = json.loads((folder / "prompts.json").read_text())
        self.started = start_ns
        self.lines = []

    def request(self, level, phase, slot, start_ns, tpot_ms):
        tokens = MEASURED if phase == "measured" else WARMUP
        ids = self.pool[phase][slot]
        salt = f"{self.id}-{level}-{phase}-{slot}"
        body = {"model": "synthetic", **BODY, "max_tokens": tokens, "min_tokens": tokens, "cache_salt": salt}
        raw, arrivals, frames = b"", "", []
        t = start_ns + 20_000_000
        made = 0
        while made < tokens:  # one or two tokens a frame, as speculative decoding has them
            step = min(tokens - made, self.noise.choice((1, 1, 2)))
            generated = [self.noise.randrange(1000, 30000) for _ in range(step)]
            t += 0 if made == 0 else int(step * tpot_ms * 1e6 * self.noise.uniform(0.98, 1.02))
            made += step
            raw += ("data: " + compact({"choices": [{"index": 0, "text": "", "token_ids": generated}]}) + "\n\n").encode()
            arrivals += f"{t} {len(raw)}\n"
            frames.append({"t_ns": t, "end_byte": len(raw), "token_ids": generated})
        usage = {"prompt_tokens": INPUT, "completion_tokens": tokens, "prompt_tokens_details": {"cached_tokens": 0}}
        raw += ("data: " + compact({"choices": [], "usage": usage}) + "\n\ndata: [DONE]\n\n").encode()
        t += 50_000
        arrivals += f"{t} {len(raw)}\n"
        name = f"raw/{level}-{phase}-{slot}"
        files = {kind: {"path": name + suffix, "bytes": len(data), "sha256": write(self.folder / self.run / (name + suffix), data)}
                 for kind, suffix, data in (("raw", ".sse", raw), ("arrivals", ".times", arrivals.encode()))}
        rank = str(slot % 4)
        self.lines.append(compact({
            "format": "profdb-request-record/1", "round": self.spec["round"], "run": self.run, "service": self.id,
            "level": level, "phase": phase, "slot": slot, "attempt": 1, "rank_header": rank, "cache_salt": salt,
            "prompt_sha256": sha256(compact(ids)), "prompt_tokens": len(ids), "path": "/v1/completions",
            "headers": [["Content-Type", "application/json"], ["X-data-parallel-rank", rank]], "body": body,
            "body_sha256": sha256(compact({**body, "prompt": ids})), "clock_id": "synthetic-host/1",
            "start_utc": utc(start_ns), "start_ns": start_ns, "frames": frames, "end_ns": t, "done": True,
            "usage": {"prompt_tokens": INPUT, "completion_tokens": tokens}, "cached_tokens": 0, "http_status": 200,
            "status": "ok", **files}))
        return t

    def measure(self):
        self.now += 5_000_000
        for level in LEVELS:
            # Times are microseconds, so that the UTC text says them exactly.
            tpot = TPOT_MS[self.spec["candidate"]["commit"]][level] * self.noise.uniform(0.998, 1.002)
            for phase in ("warmup", "measured"):
                end = max(self.request(level, phase, slot, self.now + slot * 10_000, tpot) for slot in range(level))
                self.now = end // 1000 * 1000 + 1_000_000
        self.stopped = self.now + 5_000_000

    def save(self):
        write(self.folder / self.run / "requests.jsonl", "\n".join(self.lines) + "\n")
        whole = {key: self.spec["candidate"][key] for key in identity("")}
        capacity = {rank: 184960 + (128 if self.run == "P2" and rank == 1 else 0) for rank in range(4)}
        service = {"format": "profdb-serving-service/1", "round": self.spec["round"], "run": self.run, "service": self.id,
                   "host": "synthetic-host", "pid": 4000 + len(self.run) + self.started // 10**6 % 1000,
                   "start_ticks": self.started // 10**6, "identity": whole, "started_utc": utc(self.started),
                   "execution_paths": [{"path": "fused_path", "ranks": [0, 1, 2, 3]}],
                   "snapshots": [{"at": "start", "rank": rank, "values": {"preemptions": 0, "kv_capacity_tokens": tokens}}
                                 for rank, tokens in capacity.items()]}
        write(self.folder / f"service-{self.run}.yaml", json.dumps(service, indent=2) + "\n")
        stop = {"format": "profdb-serving-stop/1", "round": self.spec["round"], "run": self.run, "service": self.id,
                "stopped_utc": utc(self.stopped)}
        if self.run != "B2":  # which lives on for the accuracy run
            write(self.folder / f"stop-{self.run}.yaml", json.dumps(stop, indent=2) + "\n")


def planned_runs(spec):
    if spec["kind"] != "calibration":
        return ["B1", "B2"]
    runs = []
    for pair in spec["pairs"]:
        order = (pair["parent"], pair["candidate"])
        runs += order if pair["first"] == "parent" else order[::-1]
    return runs


def wait_until(ns):
    """Evidence is never dated into the future."""
    time.sleep(max(0, (ns - time.time_ns()) / 1e9) + 0.01)


def measure(folder):
    spec = json.loads((folder / "runspec.yaml").read_text())
    now = time.time_ns() // 1000 * 1000 + 1_000_000
    for run in planned_runs(spec):
        service = Service(folder, spec, run, now)
        service.measure()
        service.save()
        now = service.stopped + 1_000_000
        print(f"wrote {folder}/service-{run}.yaml and {folder}/{run}/: {len(service.lines)} records, all synthetic")
    wait_until(now)


def accuracy(folder):
    spec = json.loads((folder / "runspec.yaml").read_text())
    service = json.loads((folder / "service-B2.yaml").read_text())
    now = time.time_ns() // 1000 * 1000
    draw = random.Random(9)
    chosen = sorted(random.Random(42).sample(range(1319), 300))
    wrong = set(draw.sample(chosen, 6))
    answers = [compact({"question": q, "attempt": 1, "status": "answered", "response_sha256": sha256(f"synthetic {q}"),
                        "correct": q not in wrong, "truncated": q == min(wrong), "extraction_failed": False}) for q in chosen]
    write(folder / "answers.jsonl", "\n".join(answers) + "\n")
    settings = re.search(r"settings: \{(.*)\}", PROTOCOL).group(1)
    document = {"format": "profdb-serving-accuracy/1", "round": spec["round"], "run_id": "r1-accuracy", "run": "B2",
                **{key: service[key] for key in ("service", "host", "pid", "start_ticks", "identity")},
                "started_utc": utc(now), "pending_requests": 0, "cache_state": "prefix cache as performance left it",
                "concurrency": 32, "warmup_requests": 0, "max_output_tokens": 4096, "dataset": "GSM8K test",
                "dataset_revision": "3101c7d5072418e28b9008a6636bde82a006892c", "scorer": "AISBench Gsm8kEvaluator",
                "scorer_revision": "5a63d936e40dd04addfcffb2401f84cd0e53bb46",
                "prompt": "gsm8k_gen_0_shot_cot_chat_prompt", **spec["accuracy"],
                "settings": {"thinking_mode": "thinking", "enable_thinking": True, "reasoning_effort": "low",
                             "temperature": 0, "top_p": 1, "seed": 0}}
    assert all(key in settings for key in document["settings"])
    write(folder / "accuracy.yaml", json.dumps(document, indent=2) + "\n")
    log = write(folder / "functions.log", "synthetic: the same answers as the parent on 100 made-up questions\n")
    write(folder / "functions.yaml", json.dumps({
        "format": "profdb-serving-functions/1", "round": spec["round"], "identity": service["identity"],
        "checks": [{"name": "same_answers", "passed": True, "detail": NOTICE,
                    "evidence": {"path": "functions.log", "sha256": log}}]}, indent=2) + "\n")
    stopped = now + 2_000_000
    write(folder / "stop-B2.yaml", json.dumps({
        "format": "profdb-serving-stop/1", "round": spec["round"], "run": "B2", "service": service["service"],
        "stopped_utc": utc(stopped)}, indent=2) + "\n")
    write(folder / "time-ledger.jsonl", ledger(spec["round"], now))
    wait_until(stopped)
    print(f"wrote {folder}/accuracy.yaml, answers.jsonl, functions.yaml, stop-B2.yaml, time-ledger.jsonl: all synthetic")


def ledger(name, end_ns):
    """Two hours of made-up work before the end."""
    minute = 60 * 10**9
    event = lambda key, category, start, stop, **more: compact({
        "event": key, "round": name, "actor": more.pop("actor", "developer"), "host": "synthetic-host",
        "category": category, "status": "ok", "utc_start": utc(end_ns - start * minute),
        **({} if stop is None else {"utc_end": utc(end_ns - stop * minute)}), **more})
    return "\n".join([
        event("e1", "knowledge", 120, 110), event("e2", "analysis", 112, 95), event("e3", "coding", 95, 50),
        event("e4", "component_test", 60, 45, actor="tester", command="unit tests"), event("e5", "pause", 45, 30),
        event("e6", "build_deploy", 30, 22), event("e7", "service_prepare", 22, 8, actor="tester"),
        event("e8", "perf_measured", 18, 11, actor="tester", parent="e7", command="profdb serving run"),
        event("e9", "recompute_review", 6, None)]) + "\n"


def main():
    steps = {"base": base, "candidate": candidate, "measure": measure, "accuracy": accuracy}
    if len(sys.argv) != 3 or sys.argv[1] not in steps:
        sys.exit(__doc__)
    steps[sys.argv[1]](pathlib.Path(sys.argv[2]))


if __name__ == "__main__":
    main()
