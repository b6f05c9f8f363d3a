#include "svc/access/window_reader.hpp"

#include "svc/access/admission.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"

#include <algorithm>
#include <optional>

namespace svc::embedded {
extern std::string_view const peek_lua;
}  // namespace svc::embedded

namespace svc::access {
namespace {

/// Reads the reply for one window; empty for anything that the script never returns.
std::optional<window_use> read_use(redis::outcome const& outcome) {
  auto const& parts = outcome.value.elements;
  if (!outcome.ok() || parts.size() != 2) return std::nullopt;
  for (auto const& part : parts)
    if (part.kind != redis::reply::type::integer) return std::nullopt;
  return window_use{parts[0].number, parts[1].number};
}

task<> read_into(redis::script_batch& calls, subject_window const& window, deadline until,
                 std::optional<window_use>& use) {
  std::string const log = window_key(window.subject, window.window);
  std::string const length = window_micros(window.window.window);
  std::string_view const keys[] = {log}, arguments[] = {length};
  use = read_use(co_await calls.evaluate(keys, arguments, until));
}

}  // namespace

redis::script const& window_reader::script() {
  static redis::script const peek("peek", embedded::peek_lua);
  return peek;
}

task<std::vector<window_use>> window_reader::read(std::vector<subject_window> windows, deadline until) {
  if (fallback_.redis().is_open()) throw unavailable("Redis is lost, so each instance counts by itself");
  std::vector<std::optional<window_use>> uses(windows.size());
  std::vector<task<>> reads;
  for (std::size_t i = 0; i < windows.size(); ++i) reads.push_back(read_into(calls_, windows[i], until, uses[i]));
  co_await together(std::move(reads));
  std::vector<window_use> out;
  for (auto const& use : uses) {
    if (!use) throw unavailable("Redis did not return what a window counts");
    out.push_back(*use);
  }
  co_return out;
}

}  // namespace svc::access
