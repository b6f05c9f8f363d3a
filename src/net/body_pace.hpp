#pragma once

#include "svc/core/deadline.hpp"
#include "svc/net/session_settings.hpp"

#include <array>
#include <cstddef>

namespace svc::net {

/// Decides whether a body comes fast enough: in no window of `body_window` fewer than `body_window_bytes`,
/// looked at in tenths of a window, and all of it within `body_total`. Pure; the caller brings the clock.
class body_pace {
 public:
  body_pace(session_settings const& settings, steady::time_point start);

  void count(steady::time_point now, std::size_t bytes);
  /// Once true it stays true.
  bool too_slow(steady::time_point now);
  /// When `too_slow` must be asked again if nothing arrives before.
  steady::time_point due() const;

 private:
  static constexpr std::size_t slots = 10;

  void advance(steady::time_point now);

  steady::duration slot_length_;
  std::size_t least_;
  steady::time_point slot_end_;
  steady::time_point end_;
  std::array<std::size_t, slots> received_{};  ///< ring; received_[current_] is still being filled
  std::size_t current_ = 0;
  std::size_t finished_ = 0;  ///< slots that have ended, counted up to a whole window
  bool slow_ = false;
};

}  // namespace svc::net
