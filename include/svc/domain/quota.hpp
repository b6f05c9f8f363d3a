#pragma once

#include <cstddef>
#include <cstdint>

namespace svc {

/// What one project may hold; 0: any number. What already exceeds a quota, after an upgrade or when the quota is
/// lowered, stays; only growth is refused.
struct quota_table {
  std::size_t variables = 200;
  std::size_t variable_bytes = 256UL * 1024;
  std::size_t tests = 2000;
  std::size_t script_bytes = 256UL * 1024 * 1024;
  std::size_t jobs = 500;
  std::size_t monitors = 1000;                     ///< those that are not deleted
  std::size_t monitor_bytes = 64UL * 1024 * 1024;  ///< of their configs
  std::size_t providers = 100;                     ///< an alert is written for each provider that it is sent to
  std::size_t queued_runs = 5000;
  std::size_t output_bytes = 5UL * 1024 * 1024 * 1024;  ///< stored, compressed; the oldest is dropped first
};

/// The database's schema enforces these (V004, V012); they are here only to be shown.
inline constexpr std::int64_t most_cli_tokens = 20, most_trigger_keys = 10, most_tags = 200;

/// How much of one kind a project holds, or is about to add.
struct amount {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

/// Whether `now` and `more` together exceed `most` (0: no limit) in a number that grows.
enum class excess : std::uint8_t { none, count, bytes };
constexpr excess excess_of(amount now, amount more, amount most) {
  if (more.count > 0 && most.count > 0 && now.count + more.count > most.count) return excess::count;
  if (more.bytes > 0 && most.bytes > 0 && now.bytes + more.bytes > most.bytes) return excess::bytes;
  return excess::none;
}

}  // namespace svc
