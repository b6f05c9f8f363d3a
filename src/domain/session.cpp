#include "svc/domain/session.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace svc {

sha256_digest session_record_key(presented_session const& session) {
  std::array<char, 32 + 1 + 16> text{};
  auto out = std::copy(session.digest.begin(), session.digest.end(), text.begin());
  *out++ = static_cast<char>(session.scope.kind);
  std::copy(session.scope.id.bytes.begin(), session.scope.id.bytes.end(), out);
  return sha256(std::string_view(text.data(), text.size()));
}

}  // namespace svc
