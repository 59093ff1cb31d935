// Projections of a release, found by their key.
#include "engine/lookup/plan.h"

namespace profdb {

const Projection* ReleaseState::projection(const ProjectionKey& key) const {
  const auto it = projections.find(key);
  return it == projections.end() ? nullptr : &it->second;
}

}  // namespace profdb
