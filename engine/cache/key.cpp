// Keys of caches: XXH3-128.
#include "engine/cache/key.h"

#include <xxhash.h>

namespace profdb::cache {

Key KeyBytes::key() const {
  const XXH128_hash_t hash = XXH3_128bits(bytes_.data(), size_);
  return {hash.high64, hash.low64};
}

}  // namespace profdb::cache
