#include "svc/output/redis_memory.hpp"

#include <charconv>

namespace svc::output {
namespace {

std::optional<std::int64_t> number_of(std::string_view info, std::string_view field) {
  while (!info.empty()) {
    auto const end = info.find('\n');
    auto line = info.substr(0, end);
    info = end == std::string_view::npos ? std::string_view() : info.substr(end + 1);
    if (!line.starts_with(field)) continue;
    line.remove_prefix(field.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::int64_t value = 0;
    auto const read = std::from_chars(line.data(), line.data() + line.size(), value);
    if (read.ec != std::errc() || read.ptr != line.data() + line.size() || value < 0) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<redis_memory> read_memory(std::string_view info) {
  auto const used = number_of(info, "used_memory:"), most = number_of(info, "maxmemory:");
  if (!used || !most) return std::nullopt;
  return redis_memory{*used, *most};
}

std::int64_t room_of(memory_share const& share, std::optional<redis_memory> const& told) {
  if (!told || told->most == 0) return share.otherwise;
  return told->most / 100 * share.percent;
}

bool runs_short(memory_share const& share, std::optional<redis_memory> const& told) {
  if (!told || told->most == 0) return false;
  return told->used > told->most / 200 * (100 + share.percent);
}

}  // namespace svc::output
