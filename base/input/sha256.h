// SHA-256 of bytes that arrive in pieces.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

namespace profdb {

// One digest. Not for several threads at once.
class Sha256 {
 public:
  Sha256();
  void update(std::string_view bytes);
  // 64 lower-case hex digits. Ends the digest: nothing may be called afterwards.
  std::string finish();

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace profdb
