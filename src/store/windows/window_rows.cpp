// Rows of maintenance windows as values.
#include "store/windows/window_sql.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace svc::store {
namespace {

using namespace windows;

/// Reads the rule, which starts at column `first`.
void read_rule(postgres::row r, int first, window_settings& into) {
  if (!r.is_null(first)) {
    into.once = single_rule{.starts_at = r.time(first), .ends_at = r.time(first + 1)};
    return;
  }
  into.recurring = recurring_rule{.cron = std::string(r.text(first + 2)),
                                  .time_zone = std::string(r.text(first + 3)),
                                  .duration = std::chrono::minutes(r.integer(first + 4)),
                                  .first_at = r.maybe_time(first + 5),
                                  .until = r.maybe_time(first + 6)};
}

/// Reads the publication, which starts at column `first`.
window_publication read_publication(postgres::row r, int first) {
  window_publication out{.status_pages = r.ids(first), .components = r.ids(first + 1)};
  if (auto title = r.maybe_text(first + 2))
    out.announcement = window_announcement{.title = std::move(*title), .body = std::string(r.text(first + 3))};
  out.announced_before = std::chrono::hours(r.integer(first + 4));
  out.notify = r.boolean(first + 5);
  return out;
}

std::optional<occurrence> read_occurrence(postgres::row r, int first) {
  if (r.is_null(first)) return std::nullopt;
  return occurrence{.id = r.id(first), .starts_at = r.time(first + 1), .ends_at = r.time(first + 2)};
}

window_state state_named(std::string_view name) {
  auto const found = parse_state(name);
  if (!found) throw std::logic_error("unknown state of a maintenance window");
  return *found;
}

}  // namespace

window read_window_row(postgres::row r, int first) {
  window out{.id = r.id(first), .set = {.name = std::string(r.text(first + 1))}};
  auto& set = out.set;
  set.description = r.maybe_text(first + 2);
  set.targets.all = r.boolean(first + 3);
  read_rule(r, first + 4, set);
  set.exclude_from_uptime = r.boolean(first + 11);
  out.state = state_named(r.text(first + 12));
  if (out.state == window_state::active) out.current = read_occurrence(r, first + 13);
  if (out.state != window_state::finished) out.next = read_occurrence(r, first + 16);
  out.monitor_count = r.integer(first + 19);
  set.targets.monitors = r.ids(first + 20);
  set.targets.tags = r.ids(first + 21);
  out.created_by = r.id(first + 22);
  out.version = r.integer(first + 23);
  out.created_at = r.time(first + 24);
  out.updated_at = r.time(first + 25);
  set.shown = read_publication(r, first + 28);
  return out;
}

std::optional<timestamp> read_over_at(postgres::row r) {
  return r.maybe_time(26);
}

std::optional<timestamp> read_planned_until(postgres::row r) {
  return r.maybe_time(27);
}

}  // namespace svc::store
