#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::output {

/// What Redis says of its memory, in bytes. A value.
struct redis_memory {
  std::int64_t used = 0;
  std::int64_t most = 0;  ///< 0: as much as the machine has
};

/// Of the reply to `INFO memory`; nothing when it has not both.
std::optional<redis_memory> read_memory(std::string_view info);

/// What all live output may take.
struct memory_share {
  int percent = 50;                      ///< of Redis's `maxmemory`
  std::int64_t otherwise = 268'435'456;  ///< bytes, where Redis has no limit or does not tell it
};

/// The whole room for live output.
std::int64_t room_of(memory_share const& share, std::optional<redis_memory> const& told);
/// Half of what the share leaves to everything else is taken, whoever took it: output takes nothing more.
bool runs_short(memory_share const& share, std::optional<redis_memory> const& told);

}  // namespace svc::output
