#include "svc/redis/reply.hpp"

namespace svc::redis {

std::string_view reply::error_code() const {
  if (!is_error()) return {};
  return std::string_view(text).substr(0, text.find(' '));
}

}  // namespace svc::redis
