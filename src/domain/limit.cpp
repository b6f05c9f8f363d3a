#include "svc/domain/limit.hpp"

#include <array>

namespace svc {
namespace {

constexpr std::array<std::string_view, 7> class_names{"cli",  "trigger", "refused", "anonymous",
                                                      "feed", "health",  "none"};

}  // namespace

std::string_view to_string(rate_class c) {
  return class_names[static_cast<std::size_t>(c)];
}

std::optional<rate_class> parse_rate_class(std::string_view text) {
  for (std::size_t i = 0; i < class_names.size(); ++i) {
    if (class_names[i] == text) return static_cast<rate_class>(i);
  }
  return std::nullopt;
}

window_limit limit_table::of(rate_class c) const {
  switch (c) {
    case rate_class::cli:
      return cli;
    case rate_class::trigger:
      return trigger_default;
    case rate_class::refused:
      return refused;
    case rate_class::anonymous:
      return anonymous;
    case rate_class::feed:
      return feed;
    case rate_class::health:
      return health;
    case rate_class::none:
      break;
  }
  return {};
}

}  // namespace svc
