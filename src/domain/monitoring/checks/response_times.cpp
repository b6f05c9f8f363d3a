#include "svc/domain/monitoring/checks/response_times.hpp"

#include "domain/monitoring/checks/varint.hpp"

#include <algorithm>
#include <array>

namespace svc::checks {
namespace {

constexpr std::uint32_t next_bound(std::uint32_t bound) {
  return bound + std::max<std::uint32_t>(1, bound / 40);
}

constexpr std::size_t count_buckets() {
  std::size_t out = 0;
  for (std::uint32_t bound = 1; bound <= response_times::longest_ms; bound = next_bound(bound)) ++out;
  return out;
}

constexpr auto bucket_count = count_buckets();

/// The start of each bucket, and at the end the start of the bucket that would follow. They are integers, so that
/// they are the same on each machine, for ever.
constexpr auto bounds = [] {
  std::array<std::uint32_t, bucket_count + 1> out{};
  out[0] = 1;
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = next_bound(out[i - 1]);
  return out;
}();

std::size_t bucket_of(std::uint32_t ms) {
  auto const in_range = std::clamp(ms, bounds.front(), response_times::longest_ms);
  return static_cast<std::size_t>(std::ranges::upper_bound(bounds, in_range) - bounds.begin()) - 1;
}

std::uint32_t middle_of(std::size_t bucket) {
  auto const last = std::min(bounds[bucket + 1] - 1, response_times::longest_ms);
  return bounds[bucket] + (last - bounds[bucket]) / 2;
}

}  // namespace

void response_times::add_to(std::size_t bucket, std::uint64_t times) {
  if (times == 0) return;
  if (buckets_.size() <= bucket) buckets_.resize(bucket + 1);
  buckets_[bucket] += times;
  count_ += times;
}

void response_times::add(std::uint32_t ms, std::uint64_t times) {
  add_to(bucket_of(ms), times);
}

void response_times::add(response_times const& other) {
  for (std::size_t i = 0; i < other.buckets_.size(); ++i) add_to(i, other.buckets_[i]);
}

std::optional<std::uint32_t> response_times::percentile(unsigned percent) const {
  if (count_ == 0) return std::nullopt;
  // ⌈count × percent / 100⌉ without an overflow.
  auto const rank = std::max<std::uint64_t>(1, count_ / 100 * percent + (count_ % 100 * percent + 99) / 100);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    before += buckets_[i];
    if (before >= rank) return middle_of(i);
  }
  return middle_of(buckets_.size() - 1);
}

byte_vector response_times::packed() const {
  byte_vector out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    append_varint(out, i - next);
    append_varint(out, buckets_[i]);
    next = i + 1;
  }
  return out;
}

std::optional<response_times> response_times::read(byte_view bytes) {
  // A sum of years of hours stays far below 64 bits if none of them can claim more than this.
  constexpr std::uint64_t most = std::uint64_t{1} << 40;
  response_times out;
  std::size_t next = 0;
  while (!bytes.empty()) {
    auto const gap = take_varint(bytes);
    auto const times = gap ? take_varint(bytes) : std::nullopt;
    if (!times || *gap >= bucket_count - std::min(next, bucket_count) || *times == 0 || *times > most) {
      return std::nullopt;
    }
    out.add_to(next + static_cast<std::size_t>(*gap), *times);
    next += static_cast<std::size_t>(*gap) + 1;
  }
  return out;
}

}  // namespace svc::checks
