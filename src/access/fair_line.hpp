#pragma once

#include "svc/core/deadline.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace svc::access {

/// A bounded queue that is fair to addresses: each has its share of the slots and of each `take`. So an
/// address that guesses tokens neither keeps others out nor makes them wait. Worker-local; pure.
template <class T>
class fair_line {
 public:
  explicit fair_line(std::size_t room) : room_(room) {}

  /// Returns false if this address already has its share: the room divided by the number of waiting
  /// addresses, at least one slot. Also returns false for a new address if as many addresses wait as there
  /// are slots.
  bool push(std::string_view address, T pending) {
    auto const known = entries_.find(std::string(address));
    std::size_t const mine = known == entries_.end() ? 0 : known->second.size();
    std::size_t const askers = entries_.size() + (known == entries_.end() ? 1 : 0);
    if (mine >= std::max<std::size_t>(1, room_ / askers) || (mine == 0 && askers > room_)) return false;
    auto& line = known == entries_.end() ? entries_[turns_.emplace_back(address)] : known->second;
    line.push_back(std::move(pending));
    ++size_;
    return true;
  }

  /// Takes the first of each address, then the second of each, and so on; the next call continues where this
  /// one ended.
  std::vector<T> take(std::size_t most) {
    std::vector<T> out;
    out.reserve(std::min(most, size_));
    while (out.size() < most && !turns_.empty()) {
      auto address = std::move(turns_.front());
      turns_.pop_front();
      auto const line = entries_.find(address);
      out.push_back(std::move(line->second.front()));
      line->second.pop_front();
      --size_;
      if (line->second.empty()) {
        entries_.erase(line);
      } else {
        turns_.push_back(std::move(address));
      }
    }
    return out;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

 private:
  std::size_t room_;
  std::size_t size_ = 0;
  std::unordered_map<std::string, std::deque<T>> entries_;  ///< never an empty one
  std::deque<std::string> turns_;                           ///< each address in `entries_` once
};

/// A token bucket: `per_second` statements a second, and after a quiet second that many at once, but at least
/// one. Worker-local; pure: times are parameters.
class statement_pace {
 public:
  explicit statement_pace(double per_second) : rate_(per_second), most_(std::max(1.0, per_second)), left_(most_) {}

  /// Takes a statement and returns zero, or returns the wait for the next one.
  steady::duration take(steady::time_point now) {
    left_ = std::min(most_, left_ + std::chrono::duration<double>(now - time_).count() * rate_);
    time_ = now;
    if (left_ >= 1) {
      left_ -= 1;
      return {};
    }
    std::chrono::duration<double> const missing((1 - left_) / rate_);
    // Rounds up, because a timer that fires too early would have to be set again and again.
    return std::chrono::duration_cast<steady::duration>(missing) + std::chrono::microseconds(1);
  }

 private:
  double rate_, most_, left_;
  steady::time_point time_{};
};

}  // namespace svc::access
