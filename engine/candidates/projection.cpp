// Classes of the base exact match, found by what a call has.
#include "engine/candidates/projection.h"

namespace profdb {

const Projection::Signatures* Projection::signature(std::int64_t input_count,
                                                    const std::string& input_dtypes) const {
  for (const Signatures& known : signatures)
    if (known.input_count == input_count && known.input_dtypes == input_dtypes) return &known;
  return nullptr;
}

}  // namespace profdb
