#include "svc/output/archive.hpp"

#include "output/redis_output.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/turns.hpp"
#include "svc/http/deflate.hpp"
#include "svc/output/whole_output.hpp"
#include "svc/store/output_store.hpp"

namespace svc::output {
namespace {

constexpr std::size_t most_held = 64UL * 1024 * 1024;  ///< bytes of text that readers on this worker hold
constexpr int moving_page = 200;
/// Bytes of text inflated in one turn of the loop: 1 to 2 ms.
constexpr std::size_t packed_at_once = 256UL * 1024;

}  // namespace

task<result<archive::found>> archive::stored(uuid run, deadline until) {
  if (auto const here = shared_.find(run); here != shared_.end()) {
    if (auto text = here->second.lock()) co_return found{.text = std::move(text)};
  }
  auto const row = co_await outputs_.find(run, until);
  if (row.silent) co_return found{.text = std::make_shared<std::string const>(text_of_silent(*row.silent))};
  if (!row.stored) co_return found{.moving = row.due, .dropped = row.dropped};
  http::inflater packed(row.stored->content, static_cast<std::size_t>(row.stored->size));
  while (packed.step(packed_at_once)) co_await others_turn();
  auto text = packed.finish();
  if (!text) throw std::runtime_error("stored output cannot be inflated");
  auto kept = keep(run, std::move(*text));
  if (!kept) co_return kept.error();
  co_return found{.text = std::move(*kept)};
}

result<archive::text_ptr> archive::keep(uuid run, std::string text) {
  std::erase_if(shared_, [](auto const& one) { return one.second.expired(); });
  std::size_t held = text.size();
  for (auto const& [id, weak] : shared_) {
    auto const other = weak.lock();
    held += other ? other->size() : 0;
  }
  if (held > most_held) return errc::overloaded;
  auto made = std::make_shared<std::string const>(std::move(text));
  shared_[run] = made;
  return made;
}

task<result<archive::text_ptr>> archive::all(uuid run, deadline until) {
  auto here = co_await stored(run, until);
  if (here && here->moving) {
    SVC_FAILPOINT("archive.before_live");
    auto live = co_await moving(run, until);
    // The mover may have deleted the output from Redis during the read, but only if PostgreSQL has it now.
    here = co_await stored(run, until);
    if (here && here->moving) co_return std::make_shared<std::string const>(std::move(live));
  }
  if (!here) co_return here.error();
  if (here->dropped) co_return errc::output_dropped;
  co_return here->text ? std::move(here->text) : std::make_shared<std::string const>();
}

task<std::string> archive::moving(uuid run, deadline until) {
  std::string text;
  for (event_id last;;) {
    auto const events = co_await read_events(redis_, run, last, moving_page, until);
    if (!events) throw unavailable("Redis holds the output and does not answer");
    for (auto const& one : *events) append_stored(text, one);
    if (events->size() < moving_page) co_return text;
    last = events->back().id;
  }
}

}  // namespace svc::output
