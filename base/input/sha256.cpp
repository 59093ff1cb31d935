// SHA-256 by libcrypto's digest interface.
#include "base/input/sha256.h"

#include <fmt/format.h>

#include <array>

#include "profdb/error.h"

namespace profdb {

namespace {

void require(int ok) {
  if (ok != 1) throw Error(ErrorKind::usage, "libcrypto offers no SHA-256; check its installation");
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ ? EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) : 0);
}

void Sha256::update(std::string_view bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

}  // namespace profdb
