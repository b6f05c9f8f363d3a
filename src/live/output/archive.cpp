#include "svc/live/output/archive.hpp"

#include "live/output/redis_output.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/turns.hpp"
#include "svc/http/deflate.hpp"
#include "svc/live/output/whole_output.hpp"
#include "svc/store/runs/output_store.hpp"

#include <algorithm>
#include <utility>

namespace svc::output {
namespace {

/// The least share of a project: two of the largest outputs, as the limits are by default.
constexpr std::size_t least_archive_share = 16UL * 1024 * 1024;
/// Bytes that a stored event takes in addition to its line, at most: `append_stored`.
constexpr std::size_t bytes_around_line = 32;
constexpr int moving_page = 200;
/// Bytes of text inflated in one turn of the loop: 1 to 2 ms.
constexpr std::size_t packed_at_once = 256UL * 1024;

error no_archive_room() {
  return {errc::overloaded,
          "The outputs that are being read already use all the memory allowed for them; read them with fewer clients "
          "at a time, or retry after the time in Retry-After."};
}

}  // namespace

account_terms archive_terms(output_limits const& limits) {
  auto const largest = limits.bytes + bytes_around_line * limits.lines;
  auto const share = std::max(least_archive_share, 2 * largest);
  return {.name = "run_outputs", .total = 4 * share, .project_share = share, .rule = share_rule::remainder};
}

std::shared_ptr<shared_text> archive::new_text(uuid project) const {
  return std::make_shared<shared_text>(shared_text{.held = {held_, {.project = project}}});
}

task<result<archive::found_part>> archive::stored(uuid project, uuid run, deadline until) {
  auto const key = run.to_string();
  if (auto const here = texts_.in_use(key)) co_return found_part{.text = bytes_of(here)};
  auto const row = co_await outputs_.look(run, until);
  if (row.silent) co_return found_part{.text = std::make_shared<std::string const>(text_of_silent(*row.silent))};
  if (!row.stored) co_return found_part{.moving = row.due, .dropped = row.dropped};
  auto const size = static_cast<std::size_t>(row.stored->size);
  auto const made = co_await texts_.find(
      key, [this, project, run, size, until] { return inflate(project, run, size, until); }, until);
  if (!made) co_return made.error();
  // It was dropped since its size was read.
  if (!*made) co_return found_part{.dropped = true};
  co_return found_part{.text = bytes_of(*made)};
}

task<result<shared_text_ptr>> archive::inflate(uuid project, uuid run, std::size_t size, deadline until) {
  auto const out = new_text(project);
  if (!out->held.hold(size)) co_return no_archive_room();
  auto const row = co_await outputs_.find(run, until);
  if (!row.stored) co_return shared_text_ptr();
  http::inflater packed(row.stored->content, size);
  while (packed.step(packed_at_once)) co_await others_turn();
  auto text = packed.finish();
  if (!text) throw std::runtime_error("stored output cannot be inflated");
  out->text = std::move(*text);
  co_return shared_text_ptr(out);
}

task<result<archive::text_ptr>> archive::all(uuid project, uuid run, deadline until) {
  auto here = co_await stored(project, run, until);
  if (here && here->moving) {
    SVC_FAILPOINT("archive.before_live");
    auto const live = co_await moving(project, run, until);
    if (!live) co_return live.error();
    // The mover may have deleted the output from Redis during the read, but only if PostgreSQL has it now.
    here = co_await stored(project, run, until);
    if (here && here->moving) co_return bytes_of(*live);
  }
  if (!here) co_return here.error();
  if (here->dropped) co_return errc::output_dropped;
  co_return here->text ? std::move(here->text) : std::make_shared<std::string const>();
}

task<result<shared_text_ptr>> archive::moving(uuid project, uuid run, deadline until) {
  auto const out = new_text(project);
  for (event_id last;;) {
    auto const events = co_await read_events(redis_, run, last, moving_page, until);
    if (!events) throw unavailable("Redis holds the output and does not answer");
    for (auto const& event : *events) append_stored(out->text, event);
    if (!out->held.hold(out->text.size())) co_return no_archive_room();
    if (events->size() < moving_page) co_return shared_text_ptr(out);
    last = events->back().id;
  }
}

}  // namespace svc::output
