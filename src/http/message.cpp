#include "svc/http/message.hpp"

#include "http/ascii.hpp"

#include <algorithm>

namespace svc::http {

std::optional<std::string_view> request::find(std::string_view name) const {
  for (auto const& f : fields) {
    if (iequals(f.name, name)) return f.value;
  }
  return std::nullopt;
}

std::size_t request::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(fields.begin(), fields.end(), [name](field const& f) { return iequals(f.name, name); }));
}

}  // namespace svc::http
