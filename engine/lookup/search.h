// One lookup in progress: what paths work on when they answer a call on one of its kernels.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/candidates/candidate_source.h"
#include "engine/candidates/interpolate.h"
#include "engine/candidates/regimes.h"
#include "engine/lookup/plan.h"
#include "engine/lookup/signature.h"
#include "engine/store/database.h"

namespace profdb {

// One of the operator's kernels, with what has been found out about the call on it.
struct KernelSearch {
  explicit KernelSearch(const KernelPlan& of) : plan(of) {}

  const KernelPlan& plan;
  Signature signature;  // of the base exact match, where the path uses it
  std::optional<Target> target;
  std::shared_ptr<const ResolvedRegimes> resolved;  // null where the target was not compared with any
  std::optional<Attempt> failure;                   // why the kernel cannot answer from its regimes

  // To be tried in turn.
  const RegimeGroups& regimes() const;
};

// The state of one lookup; lives on the stack of one thread.
struct SearchContext {
  CandidateSource& candidates;
  const ReleaseState& release;
  const EngineOptions& options;
  const LeafOp& leaf;
  const OpMapping& op;
  const Path& path;
  Result& result;
  const PathSpec& path_spec = path.spec();
  std::vector<Attempt> attempts = {};

  const PathSpec& spec() const { return path_spec; }

  // Notes that the kernel gives nothing, and why.
  void fail(KernelSearch& search, std::string_view reason, const std::string& message = "");
  // Notes an attempt to interpolate.
  void note(Interpolation& tried, const KernelSearch& search, const store::RegimeRow& regime,
            SourceClass source_class);

  // Fill in the result. `point` is the coordinate that answered; `tried` an interpolation that did.
  void answer_point(const KernelSearch& search, const store::RegimeRow& regime, SourceClass source_class,
                    const MeasuredPoint& point, std::string_view method);
  void answer_interpolation(const KernelSearch& search, const store::RegimeRow& regime,
                            SourceClass source_class, Interpolation tried, std::size_t dim);
  void finish_hit(const KernelSearch& search, Source source, double confidence);
};

// contract §1: confidence of 1D, 2D and 3D.
double interpolation_confidence(std::size_t dim);

// The steps of the contract that a path takes for one kernel, in the order in which they are called for all
// kernels: exact, near, (padded), interpolate, (padded). Each says whether it has answered. The defaults are
// those of the specialised paths (contract §5); a path with its own rules overrides them in its own file.
class SearchSteps : public RegimeResolver {
 public:
  virtual bool exact(SearchContext& context, KernelSearch& search) const;
  virtual bool near(SearchContext&, KernelSearch&) const { return false; }
  virtual bool interpolate(SearchContext& context, KernelSearch& search) const;
  virtual bool padded(SearchContext&, KernelSearch&) const { return false; }
};

// Steps of the generic paths (contract §3, §12), where exactness is contract §2's alone.
class BaseExactSteps : public SearchSteps {
 public:
  bool exact(SearchContext& context, KernelSearch& search) const override;
  bool padded(SearchContext& context, KernelSearch& search) const override;
};

// The base exact match of contract §2 on one kernel: exact rows, or those that need padding.
bool answer_base_exact(SearchContext& context, KernelSearch& search, bool padded);

}  // namespace profdb
