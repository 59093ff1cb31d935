// op_mapping.yaml as a Mapping: which fields there are, and what each may hold (formats §3).
#include "importer/mapping/mapping_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/input/input_file.h"
#include "base/input/yaml_map.h"
#include "base/input/yaml_strict.h"

namespace profdb::importer {

namespace {

constexpr std::array<std::string_view, 6> kQueryModes = {"attention_special",
                                                         "moe_fused",
                                                         "elementwise",
                                                         "attention_lightning_indexer",
                                                         "attention_sparse_sharedkv",
                                                         "scatter_nd_update_mla"};
constexpr std::array<std::string_view, 2> kComputeSubcategories = {"compute_scale", "quantized_matmul"};

// One pass over a document.
class MappingReader {
 public:
  explicit MappingReader(const std::string& name) { context_.name = name; }

  ParsedMapping read(std::string_view text);

 private:
  void read_identity(YamlMap& root);
  void read_operators(YamlMap& root);
  OpMapping read_operator(const YamlField& entry);
  void read_kernels(YamlMap& fields, OpMapping& op);
  void read_accepted_miss(YamlMap& fields, OpMapping& op);
  // Returns the fields of interpolation_policy that it does not know.
  nlohmann::ordered_json read_policies(YamlMap& root);
  KernelPolicy read_policy(const YamlField& entry);
  void read_column_aliases(YamlMap& root);
  ColumnAlias read_column_alias(const YamlField& entry);

  void check_kernel_name(int line, std::string_view name) const;
  template <std::size_t N>
  void warn_unless_known(int line, const std::string& where, std::string_view field, const std::string& value,
                         const std::array<std::string_view, N>& known);

  YamlContext context_;
  Mapping mapping_;
};

ParsedMapping MappingReader::read(std::string_view text) {
  const YAML::Node document = load_yaml(text, context_.name);
  YamlMap root(context_, "the mapping", document, document.IsNull() ? 1 : line_of(document));
  read_identity(root);
  read_operators(root);
  auto unknown_policy_fields = read_policies(root);
  read_column_aliases(root);
  mapping_.unknown_fields = root.unknown_fields();
  if (!unknown_policy_fields.empty()) {
    mapping_.unknown_fields["interpolation_policy"] = std::move(unknown_policy_fields);
  }
  return {.mapping = std::move(mapping_), .warnings = std::move(context_.warnings)};
}

void MappingReader::read_identity(YamlMap& root) {
  mapping_.version = root.as_written("version");
  mapping_.device = root.as_written("device");
  mapping_.framework = root.as_written("framework");
  mapping_.cann_version = root.as_written("cann_version");
  mapping_.pytorch_version = root.as_written("pytorch_version");
  mapping_.communication_data_ref = root.text("communication_data_ref");
}

void MappingReader::read_operators(YamlMap& root) {
  const auto operators = root.map("operator_mappings", "operator_mappings");
  if (!operators || operators->fields().empty()) {
    context_.warn(root.line("operator_mappings"),
                  "operator_mappings names no operator; every lookup will miss");
    return;
  }
  mapping_.operators.reserve(operators->fields().size());
  for (const YamlField& entry : operators->fields()) mapping_.operators.push_back(read_operator(entry));
}

OpMapping MappingReader::read_operator(const YamlField& entry) {
  if (entry.key.empty()) fail_at(context_.name, entry.line, "an operator has no name; write it");
  YamlMap fields(context_, fmt::format("operator '{}'", entry.key), entry.value, entry.line);
  OpMapping op;
  op.op = entry.key;
  read_kernels(fields, op);
  op.category = fields.one_of("category", {"compute", "communication"}).value_or(op.category);
  op.query_mode = fields.text("query_mode");
  if (op.query_mode) {
    warn_unless_known(fields.line("query_mode"), fields.where(), "query_mode", *op.query_mode, kQueryModes);
  }
  op.compute_subcategory = fields.text("compute_subcategory");
  if (op.compute_subcategory) {
    warn_unless_known(fields.line("compute_subcategory"), fields.where(), "compute_subcategory",
                      *op.compute_subcategory, kComputeSubcategories);
  }
  op.tc_input_count = fields.integer("tc_input_count", 1);
  op.zero_cost = fields.boolean("zero_cost").value_or(false);
  op.composite = fields.boolean("composite").value_or(false);
  read_accepted_miss(fields, op);
  op.api_path = fields.text("api_path");
  op.expected_input_formats = fields.texts("expected_input_formats").value_or(std::vector<std::string>());
  op.notes = fields.note("notes");
  op.unknown_fields = fields.unknown_fields();
  if (op.kernels.empty() && !op.zero_cost && !op.composite && !op.accepted_miss) {
    fail_at(context_.name, entry.line,
            fmt::format("{} has none of kernel_type, zero_cost, accepted_miss and composite; say what it is",
                        fields.where()));
  }
  return op;
}

void MappingReader::read_kernels(YamlMap& fields, OpMapping& op) {
  if (auto kernel = fields.text("kernel_type")) op.kernels.push_back(std::move(*kernel));
  const int alternates_line = fields.line("alternate_kernel_types");
  if (auto alternates = fields.texts("alternate_kernel_types")) {
    if (op.kernels.empty()) {
      fail_at(context_.name, alternates_line,
              fmt::format(
                  "{} has alternate_kernel_types but no kernel_type; name the first kernel as kernel_type",
                  fields.where()));
    }
    std::move(alternates->begin(), alternates->end(), std::back_inserter(op.kernels));
  }
  std::unordered_set<std::string_view> seen;
  for (const std::string& kernel : op.kernels) {
    const int line = seen.empty() ? fields.line("kernel_type") : alternates_line;
    check_kernel_name(line, kernel);
    if (!seen.insert(kernel).second) {
      fail_at(context_.name, line,
              fmt::format("{} names the kernel {} twice; name each once", fields.where(), kernel));
    }
  }
}

void MappingReader::read_accepted_miss(YamlMap& fields, OpMapping& op) {
  op.accepted_miss = fields.text("accepted_miss");
  const auto conditions =
      fields.map("accepted_miss_when", fmt::format("accepted_miss_when of {}", fields.where()));
  if (!conditions) return;
  for (const YamlField& condition : conditions->fields()) {
    if (condition.value.IsMap() || condition.value.IsSequence()) {
      conditions->fail(condition, "write the one value that the attribute must have");
    }
    add_distinct(op.accepted_miss_when, condition.key, to_json(condition.value));
  }
  if (!op.accepted_miss) {
    context_.warn(
        conditions->line(),
        fmt::format("{} has accepted_miss_when but no accepted_miss; it has no effect", fields.where()));
  }
}

nlohmann::ordered_json MappingReader::read_policies(YamlMap& root) {
  auto policy = root.map("interpolation_policy", "interpolation_policy");
  if (!policy) return nlohmann::ordered_json::object();
  std::unordered_set<std::string_view> mapped;
  for (const OpMapping& op : mapping_.operators) mapped.insert(op.kernels.begin(), op.kernels.end());
  if (const auto overrides = policy->map("kernel_overrides", "kernel_overrides")) {
    for (const YamlField& entry : overrides->fields()) {
      mapping_.policies.push_back(read_policy(entry));
      if (mapped.contains(entry.key)) continue;
      context_.warn(entry.line,
                    fmt::format("the policy for kernel {} has no effect: no operator maps it", entry.key));
    }
  }
  return policy->unknown_fields();
}

KernelPolicy MappingReader::read_policy(const YamlField& entry) {
  check_kernel_name(entry.line, entry.key);
  YamlMap fields(context_, fmt::format("the policy for {}", entry.key), entry.value, entry.line);
  KernelPolicy policy;
  policy.kernel = entry.key;
  policy.max_interpolation_dim = fields.integer("max_interpolation_dim", 0);
  policy.axis_transform = fields.one_of("axis_transform", {"sqrt_seq"});
  nlohmann::ordered_json unknown_generic;
  if (auto generic = fields.map("generic_compute", fmt::format("generic_compute of {}", fields.where()))) {
    policy.generic_compute_axis = generic->one_of("axis", {"axis_0", "output_numel"});
    unknown_generic = generic->unknown_fields();
  }
  policy.unknown_fields = fields.unknown_fields();
  if (!unknown_generic.empty()) policy.unknown_fields["generic_compute"] = std::move(unknown_generic);
  return policy;
}

void MappingReader::read_column_aliases(YamlMap& root) {
  const auto files = root.map("column_aliases", "column_aliases");
  if (!files) return;
  for (const YamlField& file : files->fields()) {
    const YamlMap columns(context_, fmt::format("column_aliases of {}", file.key), file.value, file.line);
    for (const YamlField& entry : columns.fields()) {
      mapping_.column_aliases[file.key].push_back(read_column_alias(entry));
    }
  }
}

ColumnAlias MappingReader::read_column_alias(const YamlField& entry) {
  YamlMap fields(context_, fmt::format("the alias for '{}'", entry.key), entry.value, entry.line);
  ColumnAlias alias;
  alias.name = entry.key;
  alias.column = fields.text("column");
  alias.constant = fields.as_written("constant");
  alias.zero_is_query_heads = fields.one_of("zero", {"query_heads"}).has_value();
  if (alias.column.has_value() == alias.constant.has_value()) {
    fail_at(context_.name, entry.line,
            fmt::format("{} needs either column or constant; write one", fields.where()));
  }
  fields.unknown_fields();  // warns about each
  return alias;
}

void MappingReader::check_kernel_name(int line, std::string_view name) const {
  if (is_kernel_name(name)) return;
  fail_at(context_.name, line,
          fmt::format("'{}' is no kernel name; use letters, digits and underscores only", name));
}

template <std::size_t N>
void MappingReader::warn_unless_known(int line, const std::string& where, std::string_view field,
                                      const std::string& value,
                                      const std::array<std::string_view, N>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return;
  context_.warn(line, fmt::format("{} '{}' of {} is unknown; lookups of it will miss", field, value, where));
}

}  // namespace

bool is_kernel_name(std::string_view name) {
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  return !name.empty() && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

ParsedMapping parse_mapping(std::string_view text, const std::string& name) {
  return MappingReader(name).read(text);
}

ParsedMapping read_mapping(const std::filesystem::path& path) {
  InputFile file(path);
  const std::string_view text =
      file.read(kMaxYamlBytes + 1);  // one more than allowed, to see that it is more
  refuse_lfs_pointer(path, text);
  return parse_mapping(text, path.string());
}

}  // namespace profdb::importer
