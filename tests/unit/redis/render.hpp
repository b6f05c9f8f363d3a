#pragma once

#include "svc/redis/reply.hpp"

#include <string>

namespace svc::redis {

/// One line for a reply, so that tables can contain what they expect.
inline std::string render(reply const& r) {
  switch (r.kind) {
    case reply::type::nil:
      return "nil";
    case reply::type::integer:
      return std::to_string(r.number);
    case reply::type::status:
      return "+" + r.text;
    case reply::type::error:
      return "-" + r.text;
    case reply::type::bulk:
      return "'" + r.text + "'";
    case reply::type::array:
      break;
  }
  std::string out = "[";
  for (auto const& element : r.elements) out += (out.size() > 1 ? " " : "") + render(element);
  return out + "]";
}

}  // namespace svc::redis
