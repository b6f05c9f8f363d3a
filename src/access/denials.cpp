#include "svc/access/denials.hpp"

#include <algorithm>

namespace svc::access {
namespace {

constexpr microseconds longest{50'000};
constexpr std::size_t max_entries = 10'000;

}  // namespace

void denials::remember(std::string const& key, limit_decision const& denied, steady::time_point sent) {
  auto const wait = microseconds(std::max<std::int64_t>(0, denied.retry_micros - denied.now_micros));
  if (entries_.size() >= max_entries) {
    std::erase_if(entries_, [&](auto const& e) { return e.second.until <= sent; });
    if (entries_.size() >= max_entries) return;
  }
  entries_[key] = {denied, sent, sent + std::min(wait, longest)};
}

std::optional<limit_decision> denials::find(std::string const& key, steady::time_point now) {
  auto const found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  if (now >= found->second.until) {
    entries_.erase(found);
    return std::nullopt;
  }
  auto d = found->second.denied;
  d.now_micros += std::chrono::duration_cast<microseconds>(now - found->second.sent).count();
  return d;
}

}  // namespace svc::access
