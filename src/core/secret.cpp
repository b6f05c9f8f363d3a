#include "svc/core/secret.hpp"

#include <openssl/crypto.h>

namespace svc {

secret_string::~secret_string() {
  if (!text_.empty()) OPENSSL_cleanse(text_.data(), text_.size());
}

}  // namespace svc
