// The operator mapping of a release: which framework operator runs as which kernel, and by which rules.
// Formats §3. Parsed by the importer, stored with the release, read by the engine.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace profdb {

// One entry of `operator_mappings`. Empty optionals are fields that the mapping leaves out.
struct OpMapping {
  std::string op;
  std::vector<std::string>
      kernels;  // kernel_type first, then alternate_kernel_types; empty where none is named
  std::string category = "compute";  // "compute" or "communication"
  std::optional<std::string> query_mode;
  std::optional<std::string> compute_subcategory;
  std::optional<std::int64_t> tc_input_count;  // >= 1
  bool zero_cost = false;
  std::optional<std::string> accepted_miss;  // the text that says why latency 0 is right
  nlohmann::ordered_json accepted_miss_when =
      nlohmann::ordered_json::object();  // attr -> value; empty: always
  bool composite = false;
  std::optional<std::string> api_path;
  std::vector<std::string> expected_input_formats;
  std::optional<std::string> notes;
  nlohmann::ordered_json unknown_fields = nlohmann::ordered_json::object();  // kept as they stand
};

// One entry of `interpolation_policy.kernel_overrides`.
struct KernelPolicy {
  std::string kernel;
  std::optional<std::int64_t> max_interpolation_dim;  // >= 0; 0 disables interpolation
  std::optional<std::string> axis_transform;          // "sqrt_seq"
  std::optional<std::string> generic_compute_axis;    // "axis_0" or "output_numel"
  nlohmann::ordered_json unknown_fields = nlohmann::ordered_json::object();
};

// Where a file that calls things otherwise has a column of the contract: `column_aliases` in the mapping. One
// entry gives one contract column to the rows of one source file, unless the file has that column itself.
struct ColumnAlias {
  std::string name;                     // of the contract, e.g. "Runtime avg_seq_len"
  std::optional<std::string> column;    // the file's column that holds it,
  std::optional<std::string> constant;  // or the one value for every row of the file
  bool zero_is_query_heads = false;     // `zero: query_heads`: 0 in `column` means as many as the query has
};

// A whole op_mapping.yaml.
struct Mapping {
  std::optional<std::string> version;  // of the framework
  std::optional<std::string> device;
  std::optional<std::string> framework;
  std::optional<std::string> cann_version;
  std::optional<std::string> pytorch_version;
  std::optional<std::string> communication_data_ref;
  std::vector<OpMapping> operators;                                // in file order
  std::vector<KernelPolicy> policies;                              // in file order
  std::map<std::string, std::vector<ColumnAlias>> column_aliases;  // by the stem of the source file
  nlohmann::ordered_json unknown_fields = nlohmann::ordered_json::object();

  const OpMapping* find(const std::string& op) const;
  const KernelPolicy* policy(const std::string& kernel) const;
};

// The aliases as JSON and back, as the database keeps them: {stem: {name: {column|constant|zero}}}.
nlohmann::ordered_json column_aliases_to_json(const Mapping& mapping);
std::map<std::string, std::vector<ColumnAlias>> column_aliases_from_json(const nlohmann::ordered_json& json);

}  // namespace profdb
