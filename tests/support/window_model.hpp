#pragma once

#include "support/decisions.hpp"

#include <deque>
#include <tuple>

namespace svc::test {

/// An answer's facts about its window. Ordered, so that two lists can be compared regardless of their order.
struct notification {
  bool admitted = false;
  std::int64_t remaining = 0;
  std::int64_t reset = 0;        ///< Unix seconds
  std::int64_t reset_in = 0;     ///< seconds
  std::int64_t retry_after = 0;  ///< seconds; 0 when admitted

  auto operator<=>(notification const&) const = default;
};

/// The right decisions about one subject, only by the rule: never more than `limit` in a half-open interval as long
/// as the window, no refusal while a slot is free.
struct window_verdict {
  int admitted = 0, refused = 0;
  int too_many = 0;         ///< admitted although the window was full
  int refused_in_vain = 0;  ///< refused although a slot was free
  int lost = 0;             ///< not decided by Redis
  std::vector<notification> answers{};
};

inline window_verdict evaluate(std::vector<decision> const& decisions) {
  auto const up = [](std::int64_t micros) { return (micros + 999'999) / 1'000'000; };
  window_verdict out;
  std::deque<std::int64_t> counted;
  for (auto const& d : decisions) {
    bool const admitted = d.verdict == "ok";
    if (d.verdict == "lost" || d.where != "shared") ++out.lost;
    if (!admitted && d.verdict != "denied") continue;
    std::int64_t const length = std::int64_t{d.window} * 1'000'000;
    while (!counted.empty() && counted.front() <= d.micros - length) counted.pop_front();
    bool const full = counted.size() >= d.limit;
    ++(admitted ? out.admitted : out.refused);
    if (admitted && full) ++out.too_many;
    if (!admitted && !full) ++out.refused_in_vain;
    if (admitted) counted.push_back(d.micros);
    auto const reset = (counted.empty() ? d.micros : counted.front()) + length;
    auto const left = static_cast<std::int64_t>(d.limit) - static_cast<std::int64_t>(counted.size());
    auto const wait = up(reset - d.micros);
    out.answers.push_back({admitted, left, up(reset), wait, admitted ? 0 : std::max<std::int64_t>(1, wait)});
  }
  std::sort(out.answers.begin(), out.answers.end());
  return out;
}

}  // namespace svc::test
