// From the tables projection, base_exact_signature and source_file to plans.
#include "engine/release/release_state.h"

#include <algorithm>

#include "engine/release/dispatch.h"
#include "engine/store/releases.h"

namespace profdb {
namespace {

void load_rejections(store::Connection& connection, ReleaseState& state) {
  auto& statement = connection.statement(
      "SELECT c.reason, c.row_count\nFROM projection_rejection_count AS c\nWHERE c.projection_id = "
      ":projection");
  for (auto& [key, projection] : state.projections) {
    statement.reset();
    statement.bind(1, projection.projection_id);
    store::Rows rows(statement);
    while (rows.next()) projection.rejected_rows[rows.text(0)] = rows.integer(1);
  }
}

void load_signatures(store::Connection& connection, Projection& projection) {
  auto& statement = connection.statement(
      "SELECT signature_id, input_count, input_dtypes\nFROM base_exact_signature\nWHERE projection_id = "
      ":projection\nORDER BY signature_id");
  statement.bind(1, projection.projection_id);
  store::Rows rows(statement);
  while (rows.next()) {
    projection.signatures.emplace_back(rows.integer(0), rows.integer(1), rows.text(2));
    const std::int64_t count = projection.signatures.back().input_count;
    auto& counts = projection.input_counts;
    if (std::find(counts.begin(), counts.end(), count) == counts.end()) counts.push_back(count);
  }
}

void load_projections(store::Connection& connection, ReleaseState& state) {
  auto& statement = connection.statement(
      "SELECT p.path, k.name, p.tc_input_count, p.axis_policy, p.projection_id, p.candidate_count\nFROM "
      "projection AS "
      "p\nJOIN kernel AS k USING (kernel_id)\nWHERE p.release_id = :release");
  statement.bind(1, state.info.release_id);
  {
    store::Rows rows(statement);
    while (rows.next()) {
      Projection& projection =
          state.projections[ProjectionKey{rows.text(0), rows.text(1), rows.integer(2), rows.text(3)}];
      projection.projection_id = rows.integer(4);
      projection.candidate_count = rows.integer(5);
    }
  }
  load_rejections(connection, state);
  for (auto& [key, projection] : state.projections)
    if (key.path == kBaseExactPath) load_signatures(connection, projection);
}

void load_files(store::Connection& connection, ReleaseState& state) {
  auto& statement = connection.statement(
      "SELECT DISTINCT k.name, coalesce(f.latency_columns ->> '$[0]', '')\nFROM source_file AS f\nJOIN "
      "kernel "
      "AS k USING (kernel_id)\nWHERE f.release_id = :release\nAND f.failure = ''");
  statement.bind(1, state.info.release_id);
  store::Rows rows(statement);
  while (rows.next()) {
    const auto [it, is_first] = state.kernels.emplace(rows.text(0), rows.text(1));
    if (!is_first) it->second.clear();  // files with different columns
  }
}

KernelPlan plan_kernel(const ReleaseState& state, const OpMapping& op, const Path& path,
                       const std::string& kernel) {
  KernelPlan plan;
  plan.kernel = kernel;
  if (const auto it = state.kernels.find(kernel); it != state.kernels.end()) {
    plan.is_in_release = true;
    plan.selected_column = it->second;
  }
  plan.key = projection_key(state.mapping, op, path, kernel);
  plan.projection = state.projection(plan.key);
  if (path.spec().base_exact != BaseExact::never) {
    plan.exact_key = base_exact_key(op, kernel);
    plan.exact_projection = state.projection(plan.exact_key);
  }
  plan.max_interpolation_dim = max_interpolation_dim(state.mapping, op, kernel);
  plan.takes_sqrt_seq = axis_transform(state.mapping, op, kernel) == "sqrt_seq";
  return plan;
}

void plan_operators(ReleaseState& state) {
  for (const OpMapping& op : state.mapping.operators) {
    OperatorPlan plan{&op, select_path(op), {}};
    if (const auto* path = std::get_if<const Path*>(&plan.selected))
      for (const std::string& kernel : op.kernels)
        plan.kernels.push_back(plan_kernel(state, op, **path, kernel));
    state.operators.emplace(op.op, std::move(plan));
  }
}

}  // namespace

std::shared_ptr<const ReleaseState> load_release(store::Connection& connection, const std::string& selector) {
  auto state = std::make_shared<ReleaseState>();
  state->generation = read_generation(connection);
  state->info = select_release(connection, selector);
  state->mapping = load_mapping(connection, state->info.release_id);
  load_files(connection, *state);
  load_projections(connection, *state);
  plan_operators(*state);
  return state;
}

}  // namespace profdb
