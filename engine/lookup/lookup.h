// The lookup itself, on one state of the database.
#pragma once

#include <memory>
#include <string_view>

#include "engine/candidates/candidate_source.h"
#include "engine/lookup/plan.h"
#include "profdb/engine.h"

namespace profdb {

// Contract §1, for a leaf that is within its limits (validate()). `candidates` belongs to the caller's thread
// and read transaction, of which `release` is the state.
std::shared_ptr<Result> lookup(CandidateSource& candidates, const ReleaseState& release,
                               const EngineOptions& options, const LeafOp& leaf);

// Asks for the coordinate of a measured row on its kernel alone, as if a call had the row's tensors: what
// hold-out does, with a source that leaves the row and its duplicates out. `plan` is one of
// release.operators that reaches a path, `kernel` one of plan.kernels, `row` a measurement of that kernel.
std::shared_ptr<Result> lookup_measured(CandidateSource& candidates, const ReleaseState& release,
                                        const EngineOptions& options, const OperatorPlan& plan,
                                        const KernelPlan& kernel, const Row& row);

// How far an attempt got: contract §5, worst first. Extraction reasons stand between the first two.
int reason_rank(std::string_view reason);

}  // namespace profdb
