#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::heartbeats {

enum class signal_kind : std::uint8_t { success, failure, start, log };

/// What the work says.
struct signal {
  signal_kind kind = signal_kind::success;
  std::optional<std::uint8_t> exit_code{};  ///< of a failure that is told by it

  friend bool operator==(signal const&, signal const&) = default;
};

/// The end of the path: empty or `0` is success, `1` to `255` an exit code of a failure, `fail`, `start`, `log`.
/// Numbers have one spelling. Nothing for anything else.
std::optional<signal> parse_signal(std::string_view text);

/// success, fail, start, log.
std::string_view name_of(signal_kind of);

}  // namespace svc::heartbeats
