#include "svc/access/local_window.hpp"

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
  d.retry_micros = d.admitted ? 0 : d.reset_micros;
  return d;
}

}  // namespace svc::access
