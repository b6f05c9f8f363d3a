#pragma once

#include "svc/core/deadline.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace svc::egress {

/// Limits how many mails an instance may start now, with a rate per second; each mail has one recipient. `spend` may
/// exceed the room, which is then negative; the debt is paid back before the next mail. After a quiet time the mails
/// of one second may start at once. Pure: the caller passes the time. A value.
class mail_pace {
 public:
  explicit mail_pace(std::int64_t per_second)
      : per_second_(static_cast<double>(per_second)), room_(static_cast<double>(per_second)) {}

  std::int64_t room(steady::time_point now) {
    auto const passed = std::chrono::duration<double>(now - time_).count();
    if (passed > 0) room_ = std::min(per_second_, room_ + passed * per_second_);
    time_ = std::max(time_, now);
    return static_cast<std::int64_t>(std::max(room_, 0.0));
  }
  void spend(std::size_t mails) { room_ -= static_cast<double>(mails); }
  /// Returns the time after the last `room` until a mail may start.
  milliseconds until_room() const {
    std::chrono::duration<double> const left(std::max(0.0, 1.0 - room_) / per_second_);
    return std::chrono::ceil<milliseconds>(left);
  }

 private:
  double per_second_, room_;
  steady::time_point time_{};
};

}  // namespace svc::egress
