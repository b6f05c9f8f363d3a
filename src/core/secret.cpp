#include "svc/core/secret.hpp"

#include <openssl/crypto.h>

namespace svc {

void wipe(void* data, std::size_t size) {
  if (size > 0) OPENSSL_cleanse(data, size);
}

void wipe(std::string& text) {
  // Up to its capacity, where longer texts may have stood.
  text.resize(text.capacity());
  wipe(text.data(), text.size());
  text.clear();
}

}  // namespace svc
