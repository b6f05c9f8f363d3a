#include "svc/core/load_shedder.hpp"

#include <algorithm>
#include <utility>

namespace svc {
namespace {

/// The gains of the control: changes of the level per second. `of_wait` applies to each `target` of excess wait,
/// `of_growth` to each `target` of growth in the last interval. Simulation of 1.2 to 5 times the capacity led to
/// these values: the wait settles between one and two targets, and classes stay apart. Two seconds after the end of
/// the load, no request is refused.
constexpr double of_wait = 2, of_growth = 2.5;
/// A wait beyond this multiple of the target counts as this multiple: the wait of a machine that was suspended says
/// nothing about load.
constexpr double most_excess = 4, most_growth = 2;
constexpr double most_level = static_cast<double>(work_classes) - 1;
/// The ratio between the refusal rates of claims and lists.
constexpr double of_claims = 2;

/// Returns the share of a class that is refused at a level.
double refused_share(work_class work_class, double level) {
  if (work_class == work_class::claims) return std::clamp(of_claims * level, 0.0, 1.0);
  return std::clamp(level - static_cast<double>(static_cast<std::size_t>(work_class) - 1), 0.0, 1.0);
}

double seconds_of(steady::duration d) {
  return std::chrono::duration<double>(d).count();
}

}  // namespace

bool load_shedder::refuses(work_class work_class, steady::time_point now) {
  if (target_ == steady::duration(0)) return false;
  // Without a probe no request has arrived for a while, and so there is no queue.
  if (!ready_) shortest_.reset();
  adjust(now);
  if (ready_)
    asked_ = true;
  else
    send_probe(now);
  auto const index = static_cast<std::size_t>(work_class);
  auto& owed = owed_[index];
  owed += refused_share(work_class, level_);
  if (owed < 1) return false;
  owed -= 1;
  return true;
}

steady::duration load_shedder::returned(steady::time_point now) {
  auto const waited = now - ready_.value_or(now);
  ready_.reset();
  shortest_ = std::min(shortest_.value_or(waited), waited);
  adjust(now);
  // The next probe leaves at once: the loop's current work may last until after the next request.
  if (std::exchange(asked_, false)) send_probe(now);
  return waited;
}

void load_shedder::send_probe(steady::time_point now) {
  ready_ = now + probe_interval;
  probe_(*ready_);
}

/// Returns the shortest wait of this interval, or the current wait of the probe, or the wait for the common resource,
/// whichever is longest.
steady::duration load_shedder::wait_until(steady::time_point now) const {
  auto const here = std::max(shortest_.value_or(steady::duration(0)), ready_ ? now - *ready_ : steady::duration(0));
  return std::max(here, further_(now));
}

void load_shedder::adjust(steady::time_point now) {
  auto const passed = now - adjusted_;
  if (passed < interval) return;
  auto const wait = wait_until(now);
  double const target = seconds_of(target_);
  double const excess = std::min(seconds_of(wait) / target - 1, most_excess);
  double const growth = std::clamp(seconds_of(wait - before_) / target, -most_growth, most_growth);
  auto const lasted = excess > 0 ? std::min<steady::duration>(passed, 2 * interval) : passed;
  double const change = (of_wait * excess + of_growth * growth) * seconds_of(lasted);
  // The machine may have caused one long wait; two consecutive ones are a queue.
  if (change < 0 || before_ > target_) level_ = std::clamp(level_ + change, 0.0, most_level);
  before_ = wait;
  shortest_.reset();
  adjusted_ = now;
}

}  // namespace svc
