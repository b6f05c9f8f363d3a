#include "svc/access/instance_count.hpp"

#include <algorithm>

namespace svc::access {
namespace {

/// A share is at least one request, so more instances make no difference.
constexpr std::int64_t most_instances = 30'000;
/// An entry may have ended this long before its end is certain: the store took that long to answer.
constexpr std::chrono::seconds entry_life = instance_age - std::chrono::seconds(2);

}  // namespace

instance_count::instance_count(int configured) : configured_(std::max(1, configured)) {}

void instance_count::heard(registry registry, int instances, steady::time_point now) {
  auto& its = of(registry);
  bool const continued = its.answers && now - its.time <= newcomer_time;
  if (!continued) less_since_.reset();
  if (registry == registry::postgres && (its.said == 0 || now - its.time >= entry_life)) came_ = now;
  // Itself at least, whatever the store says.
  its = {true, std::clamp(instances, 1, static_cast<int>(most_instances)), now};
  count_ = std::max(count_, its.said);
  settle(now);
}

void instance_count::missed(registry registry) {
  of(registry).answers = false;
  less_since_.reset();
}

int instance_count::larger() const {
  return std::max(of(registry::postgres).said, of(registry::redis).said);
}

void instance_count::settle(steady::time_point now) {
  bool const both = std::ranges::all_of(
      stores_, [now](account const& its) { return its.answers && now - its.time <= newcomer_time; });
  if (!both || larger() >= count_) {
    less_since_.reset();
    return;
  }
  if (!less_since_) {
    less_since_ = now;
    most_since_ = 0;
  }
  most_since_ = std::max(most_since_, larger());
  if (now - *less_since_ < agreement) return;
  count_ = most_since_;
  less_since_.reset();
}

bool instance_count::is_newcomer(steady::time_point now) const {
  return count_ > 0 && (!came_ || now - *came_ < newcomer_time);
}

int instance_count::divisor(steady::time_point now) const {
  std::int64_t const n = count();
  return static_cast<int>(is_newcomer(now) ? n * n : n);
}

instance_count::source instance_count::origin(steady::time_point now) const {
  if (count_ == 0) return source::configuration;
  if (is_newcomer(now)) return source::newcomer;
  int const now_said = std::max(said(registry::postgres).value_or(0), said(registry::redis).value_or(0));
  return count_ > now_said ? source::earlier : source::stores;
}

std::optional<int> instance_count::said(registry registry) const {
  if (!of(registry).answers) return std::nullopt;
  return of(registry).said;
}

std::string_view name_of(instance_count::source source) {
  switch (source) {
    case instance_count::source::configuration:
      return "configuration";
    case instance_count::source::stores:
      return "stores";
    case instance_count::source::earlier:
      return "earlier";
    case instance_count::source::newcomer:
      break;
  }
  return "newcomer";
}

}  // namespace svc::access
