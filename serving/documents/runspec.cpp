// Reading RunSpecs, and the rules of freezing them.
#include "serving/documents/runspec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

namespace profdb::serving {

namespace {

BoundFile read_file(Fields fields, bool named) {
  BoundFile file;
  if (named) file.name = fields.text("name");
  file.path = fields.text("path");
  file.sha256 = fields.optional_text("sha256").value_or("");
  fields.done();
  return file;
}

std::vector<BoundFile> read_files(Fields& fields, const char* key) {
  std::vector<BoundFile> files;
  for (const Fields& entry : fields.objects(key)) files.push_back(read_file(entry, true));
  return files;
}

std::optional<BoundFile> read_optional_file(Fields& fields, const char* key) {
  const auto entry = fields.optional_object(key);
  if (!entry) return std::nullopt;
  BoundFile file = read_file(*entry, false);
  file.name = key;
  return file;
}

void read_knowledge(Fields& fields, RunSpec& spec) {
  auto entry = fields.optional_object("knowledge");
  if (!entry) return;
  BoundFile file;
  file.name = "knowledge";
  file.path = entry->text("path");
  file.sha256 = entry->optional_text("sha256").value_or("");
  spec.knowledge_outcome = entry->one_of("outcome", {"hits", "no_hits", "not_queried", "failed"});
  entry->done();
  spec.knowledge = file;
}

void read_thresholds(Fields& fields, RunSpec& spec) {
  spec.calibration = fields.optional_text("calibration").value_or("");
  auto entry = fields.optional_object("thresholds");
  if (!entry) return;
  for (const auto& [key, value] : entry->all().items()) {
    std::int64_t level = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), level);
    if (error != std::errc() || end != key.data() + key.size() || level < 1)
      entry->fail(key, "is no level; write the concurrency as a whole number");
    spec.thresholds[level] = entry->number(key);
  }
}

void read_references(Fields& fields, RunSpec& spec) {
  for (Fields entry : fields.objects("references")) {
    Reference reference;
    reference.run = entry.text("run");
    reference.path = entry.text("path");
    reference.sha256 = entry.sha256("sha256");
    entry.done();
    spec.references.push_back(reference);
  }
}

void read_pairs(Fields& fields, RunSpec& spec) {
  for (Fields entry : fields.objects("pairs")) {
    PlannedPair pair;
    pair.parent = entry.text("parent");
    pair.candidate = entry.text("candidate");
    pair.parent_first = entry.one_of("first", {"parent", "candidate"}) == "parent";
    entry.done();
    spec.pairs.push_back(pair);
  }
}

void read_accuracy(Fields& fields, RunSpec& spec) {
  auto entry = fields.optional_object("accuracy");
  if (!entry) return;
  spec.dataset_sha256 = entry->sha256("dataset_sha256");
  spec.scorer_sha256 = entry->sha256("scorer_sha256");
  spec.prompts_sha256 = entry->sha256("prompts_sha256");
  entry->done();
}

RoundKind read_kind(Fields& fields) {
  const std::string kind = fields.one_of("kind", {"candidate", "calibration", "acceptance"});
  if (kind == "calibration") return RoundKind::calibration;
  return kind == "acceptance" ? RoundKind::acceptance : RoundKind::candidate;
}

void check_targets(const RunSpec& spec, const Protocol& protocol, CheckList& checks) {
  checks.open("targets");
  if (spec.targets.empty() && spec.kind == RoundKind::candidate)
    checks.fail("no target level is named; name at least one");
  std::set<std::int64_t> seen;
  for (const std::int64_t level : spec.targets) {
    if (!protocol.has_level(level)) checks.fail(fmt::format("level {} is none of the protocol's", level));
    if (!seen.insert(level).second) checks.fail(fmt::format("level {} is named twice", level));
  }
}

void check_versions(const RunSpec& spec, CheckList& checks) {
  checks.open("parent");
  if (spec.kind == RoundKind::candidate) {
    if (!spec.parent) checks.fail("the direct parent's identity is missing");
    if (spec.direct_parent.empty()) checks.fail("candidate.direct_parent is missing");
    if (spec.parent && spec.parent->commit == spec.candidate.commit)
      checks.fail("parent and candidate are one commit; a candidate has a change");
  } else if (spec.parent) {
    checks.fail(fmt::format("a round of kind {} has no parent", to_string(spec.kind)));
  }
}

void check_files(const RunSpec& spec, CheckList& checks) {
  const auto bound = [&checks](const BoundFile& file) {
    if (!is_sha256(file.sha256)) checks.fail(fmt::format("{} ({}) has no SHA-256", file.name, file.path));
  };
  checks.open("protocol");
  bound(spec.protocol);
  checks.open("inputs");
  if (spec.input("prompt_pool") == nullptr) checks.fail("the input 'prompt_pool' is missing");
  for (const BoundFile& file : spec.inputs) bound(file);
  checks.open("tools");
  if (spec.tools.empty()) checks.fail("no tool is named; name the client that makes the records");
  for (const BoundFile& file : spec.tools) bound(file);
  checks.open("validator");
  if (!spec.validator)
    checks.fail("the validator is missing");
  else
    bound(*spec.validator);
  checks.open("knowledge");
  if (!spec.knowledge) {
    checks.fail("the knowledge record is missing");
  } else {
    bound(*spec.knowledge);
    if (spec.knowledge_outcome == "not_queried" || spec.knowledge_outcome == "failed")
      checks.fail(fmt::format("its outcome is {}; query the knowledge first", spec.knowledge_outcome));
  }
}

void check_thresholds(const RunSpec& spec, const Protocol& protocol, CheckList& checks) {
  checks.open("thresholds");
  const bool needed = spec.kind == RoundKind::candidate;
  const bool given = !spec.thresholds.empty() || !spec.calibration.empty();
  if (!needed && given) checks.fail(fmt::format("a round of kind {} has none", to_string(spec.kind)));
  if (!needed) return;
  if (!given) checks.fail("neither thresholds nor a calibration are named");
  if (!spec.thresholds.empty() && !spec.calibration.empty())
    checks.fail("both thresholds and a calibration are named; keep one");
  if (spec.thresholds.empty()) return;
  for (const std::int64_t level : protocol.levels)
    if (spec.thresholds.count(level) == 0) checks.fail(fmt::format("level {} has none", level));
  for (const auto& [level, threshold] : spec.thresholds) {
    if (!protocol.has_level(level)) checks.fail(fmt::format("level {} is none of the protocol's", level));
    if (threshold < protocol.threshold_floor)
      checks.fail(fmt::format("level {}: {} is below the protocol's floor {} (fractions, not percent)", level,
                              threshold, protocol.threshold_floor));
    if (threshold >= 1) checks.fail(fmt::format("level {}: {} is no fraction below 1", level, threshold));
  }
}

void check_plan(const RunSpec& spec, CheckList& checks) {
  checks.open("references");
  if (spec.kind == RoundKind::candidate && spec.references.empty())
    checks.fail("no reference run of the parent is named");
  if (spec.kind != RoundKind::candidate && !spec.references.empty())
    checks.fail(fmt::format("a round of kind {} has none", to_string(spec.kind)));
  std::set<std::string> runs;
  for (const Reference& reference : spec.references) {
    if (!runs.insert(reference.run).second) checks.fail(fmt::format("{} is named twice", reference.run));
    if (reference.run.find('/') == std::string::npos)
      checks.fail(fmt::format("{} is no run; write ROUND/RUN", reference.run));
  }
  checks.open("pairs");
  if (spec.kind == RoundKind::calibration && spec.pairs.empty()) checks.fail("no pair is planned");
  if (spec.kind != RoundKind::calibration && !spec.pairs.empty())
    checks.fail(fmt::format("a round of kind {} has none", to_string(spec.kind)));
  std::set<std::string> roles;
  for (const PlannedPair& pair : spec.pairs)
    for (const std::string& role : {pair.parent, pair.candidate})
      if (!roles.insert(role).second)
        checks.fail(fmt::format("{} stands in two places; each needs a service", role));
}

}  // namespace

const char* to_string(RoundKind kind) {
  switch (kind) {
    case RoundKind::candidate:
      return "candidate";
    case RoundKind::calibration:
      return "calibration";
    case RoundKind::acceptance:
      return "acceptance";
  }
  return "";
}

const BoundFile* RunSpec::input(const std::string& name) const {
  for (const BoundFile& file : inputs)
    if (file.name == name) return &file;
  return nullptr;
}

std::vector<std::string> RunSpec::planned_runs() const {
  if (kind != RoundKind::calibration) return {"B1", "B2"};
  std::vector<std::string> runs;
  for (const PlannedPair& pair : pairs) {
    runs.push_back(pair.parent_first ? pair.parent : pair.candidate);
    runs.push_back(pair.parent_first ? pair.candidate : pair.parent);
  }
  return runs;
}

RunSpec parse_runspec(const nlohmann::ordered_json& document) {
  Fields fields(document);
  RunSpec spec;
  fields.one_of("format", {"profdb-serving-runspec/1"});
  spec.round = fields.text("round");
  if (spec.round.find('/') != std::string::npos)
    fields.fail("round", "holds a '/'; choose a name without it");
  spec.kind = read_kind(fields);
  spec.hypothesis = fields.text("hypothesis");
  spec.protocol = read_file(fields.object("protocol"), false);
  spec.protocol.name = "protocol";
  spec.targets = fields.integers("targets", 1);
  if (auto parent = fields.optional_object("parent")) {
    spec.parent = read_identity(*parent);
    parent->done();
  }
  Fields candidate = fields.object("candidate");
  spec.candidate = read_identity(candidate);
  spec.direct_parent = candidate.optional_text("direct_parent").value_or("");
  candidate.done();
  spec.inputs = read_files(fields, "inputs");
  spec.tools = read_files(fields, "tools");
  spec.validator = read_optional_file(fields, "validator");
  read_knowledge(fields, spec);
  read_thresholds(fields, spec);
  read_references(fields, spec);
  read_pairs(fields, spec);
  spec.required_paths = fields.texts("required_paths");
  spec.functions = fields.texts("functions");
  read_accuracy(fields, spec);
  spec.synthetic = fields.optional_text("synthetic").value_or("");
  fields.done();
  return spec;
}

std::vector<Check> check_runspec(const RunSpec& spec, const Protocol& protocol) {
  CheckList checks;
  check_targets(spec, protocol, checks);
  check_versions(spec, checks);
  check_files(spec, checks);
  check_thresholds(spec, protocol, checks);
  check_plan(spec, checks);
  return checks.take();
}

}  // namespace profdb::serving
