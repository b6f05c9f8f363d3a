#include "svc/access/local_window.hpp"

#include <algorithm>

namespace svc::access {

local_window::entry& local_window::touch(std::string_view subject) {
  if (auto const found = windows_.find(subject); found != windows_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, found->second.use);
    return found->second;
  }
  if (windows_.size() >= max_subjects_) {
    windows_.erase(by_use_.back());
    by_use_.pop_back();
  }
  by_use_.emplace_front(subject);
  auto& made = windows_[by_use_.front()];
  made.use = by_use_.begin();
  return made;
}

limit_decision local_window::count(std::string_view subject, steady::time_point now, std::int64_t wall_micros) {
  auto& stamps = touch(subject).stamps;
  auto const length = std::chrono::seconds(window_.seconds);
  while (!stamps.empty() && stamps.front() + length <= now) stamps.pop_front();

  limit_decision d{which_, window_, stamps.size() < window_.limit, 0, wall_micros, 0, 0};
  if (d.admitted) stamps.push_back(now);
  auto const wall_of = [&](steady::time_point t) {
    return wall_micros + std::chrono::duration_cast<microseconds>(t - now).count();
  };
  auto const oldest = stamps.empty() ? now : stamps.front();
  d.remaining = window_.limit - static_cast<std::uint32_t>(std::min<std::size_t>(stamps.size(), window_.limit));
  d.reset_micros = wall_of(oldest + length);
  // After the limit was lowered, more than one request must leave the window first.
  if (!d.admitted && window_.limit > 0) d.retry_micros = wall_of(stamps[stamps.size() - window_.limit] + length);
  return d;
}

void local_window::take_back(std::string_view subject) {
  auto const found = windows_.find(subject);
  if (found != windows_.end() && !found->second.stamps.empty()) found->second.stamps.pop_back();
}

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
