#include "net/body_pace.hpp"

#include <algorithm>
#include <numeric>

namespace svc::net {

body_pace::body_pace(session_settings const& settings, steady::time_point start)
    : slot_length_(settings.body_window / slots),
      least_(settings.body_window_bytes),
      slot_end_(start + slot_length_),
      end_(start + settings.body_total) {}

void body_pace::advance(steady::time_point now) {
  if (now >= end_) slow_ = true;
  while (!slow_ && now >= slot_end_) {
    finished_ = std::min(finished_ + 1, slots);
    if (finished_ == slots && std::accumulate(received_.begin(), received_.end(), std::size_t{0}) < least_) {
      slow_ = true;
    }
    current_ = (current_ + 1) % slots;
    received_[current_] = 0;
    slot_end_ += slot_length_;
  }
}

void body_pace::count(steady::time_point now, std::size_t bytes) {
  advance(now);
  received_[current_] += bytes;
}

bool body_pace::too_slow(steady::time_point now) {
  advance(now);
  return slow_;
}

steady::time_point body_pace::due() const {
  // No verdict before a whole window has ended.
  auto const missing = static_cast<steady::duration::rep>(finished_ < slots ? slots - finished_ - 1 : 0);
  return std::min(end_, slot_end_ + slot_length_ * missing);
}

}  // namespace svc::net
