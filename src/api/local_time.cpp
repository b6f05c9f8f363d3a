#include "api/local_time.hpp"

#include "svc/domain/cron.hpp"

#include <array>
#include <cstdio>

namespace svc::api {

std::string offset_text(std::chrono::seconds offset) {
  auto const minutes = std::chrono::duration_cast<std::chrono::minutes>(std::chrono::abs(offset)).count();
  std::array<char, 16> text;
  auto const size = std::snprintf(text.data(), text.size(), "%c%02d:%02d", offset.count() < 0 ? '-' : '+',
                                  static_cast<int>(minutes / 60), static_cast<int>(minutes % 60));
  return {text.data(), static_cast<std::size_t>(size)};
}

std::string local_time_text(timestamp moment, std::string_view zone) {
  auto const offset = offset_at(moment, zone).value_or(std::chrono::seconds(0));
  auto out = to_rfc3339(moment + offset);
  out.pop_back();  // the letter of UTC
  return out + offset_text(offset);
}

}  // namespace svc::api
