#pragma once

#include <cstddef>
#include <cstdint>

namespace svc {

/// The limits of one project, and the last two of one organisation; 0 means no limit. After an upgrade or a lowered
/// quota, resources above the quota stay; only growth is refused.
struct quota_table {
  std::size_t variables = 200;
  std::size_t variable_bytes = 256UL * 1024;
  std::size_t tests = 2000;
  std::size_t script_bytes = 256UL * 1024 * 1024;
  std::size_t jobs = 500;
  std::size_t monitors = 1000;                     ///< monitors that are not deleted
  std::size_t monitor_bytes = 64UL * 1024 * 1024;  ///< total size of the monitors' configs
  std::size_t status_pages = 20;
  std::size_t page_bytes = 16UL * 1024 * 1024;  ///< total size of the posts of all status pages
  std::size_t providers = 100;                  ///< each alert is stored once for each provider that receives it
  std::size_t queued_runs = 5000;
  std::size_t output_bytes = 5UL * 1024 * 1024 * 1024;  ///< stored and compressed; the oldest output is dropped first
  std::size_t members = 1000;
  std::size_t projects = 100;  ///< archived ones count as well
};

/// Limits that the database's schema enforces (V004, V012). These constants only serve to show them.
inline constexpr std::int64_t most_cli_tokens = 20, most_trigger_keys = 10, most_tags = 200;

/// The amount of one resource that a project holds or is about to add.
struct amount {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

/// The part of `now` and `more` together, count or bytes, that exceeds `most` (0: no limit). A part that does not
/// grow never exceeds its limit.
enum class excess : std::uint8_t { none, count, bytes };
constexpr excess excess_of(amount now, amount more, amount most) {
  if (more.count > 0 && most.count > 0 && now.count + more.count > most.count) return excess::count;
  if (more.bytes > 0 && most.bytes > 0 && now.bytes + more.bytes > most.bytes) return excess::bytes;
  return excess::none;
}

}  // namespace svc
