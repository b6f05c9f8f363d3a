#include "http/public_pages/renderings.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/core/turns.hpp"
#include "svc/http/deflate.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <utility>

namespace svc::public_pages {
namespace {

constexpr int page_level = 6;
/// A smaller text fits into one packet or two.
constexpr std::size_t least_packed = 1024;
constexpr std::size_t piece_of_gzip = 64UL * 1024;
constexpr std::array<std::string_view, 3> logo_types{"image/png", "image/jpeg", "image/webp"};

/// Adds the worker's time to `spent`.
task<std::string> packed_in_turns(std::shared_ptr<std::string const> plain, std::chrono::nanoseconds& spent) {
  http::deflater encoder(http::deflate_format::gzip, page_level);
  for (std::string_view rest = *plain; !rest.empty(); rest.remove_prefix(std::min(piece_of_gzip, rest.size()))) {
    auto const start = thread_time();
    encoder.add(rest.substr(0, piece_of_gzip));
    spent += thread_time() - start;
    if (rest.size() > piece_of_gzip) co_await others_turn();
  }
  co_return encoder.finish();
}

std::string tag_of(std::string_view text) {
  return to_hex(byte_view(sha256(text)).first(16));
}

std::size_t bytes_of(rendering const& made) {
  return sizeof(made) + made.plain->size() + (made.gzip ? made.gzip->size() : 0);
}

/// Feeds change with their entries only; all else names the time of the snapshot.
bool is_feed(page_form form) {
  return form == page_form::rss || form == page_form::json_feed || form == page_form::calendar;
}

/// Calls `use` with each time at which the texts of the snapshot change, whatever else happens.
template <class Use>
void visit_changes(pages::page_snapshot const& snapshot, Use use) {
  for (auto const& each : snapshot.components) {
    use(each.measured.valid_until);
    if (each.override_until) use(*each.override_until);
  }
  for (auto const& each : snapshot.maintenance) {
    use(each.starts_at);
    use(each.ends_at);
  }
}

std::chrono::year_month month_of(int number) {
  return {std::chrono::year(number / 12), std::chrono::month(static_cast<unsigned>(number % 12) + 1)};
}

}  // namespace

std::size_t rendering_key_hash::operator()(rendering_key const& key) const noexcept {
  auto const mixed = static_cast<std::size_t>(key.month) * 64 + static_cast<std::size_t>(key.form) * 2 +
                     static_cast<std::size_t>(key.on_domain);
  return uuid_hash()(key.page) ^ (uuid_hash()(key.item) * 31) ^ (mixed * 0x9E3779B97F4A7C15U);
}

account_terms rendering_terms(std::size_t worker_bytes, std::size_t workers) {
  auto const total = 2 * worker_bytes * std::max<std::size_t>(workers, 1);
  return {.name = "status_pages", .total = total, .project_share = total / 4};
}

timestamp next_change(pages::page_snapshot const& snapshot, timestamp now) {
  auto first = now + renderings::longest_use;
  visit_changes(snapshot, [&](timestamp moment) {
    if (moment > now) first = std::min(first, moment);
  });
  return first;
}

timestamp last_change(pages::page_snapshot const& snapshot, timestamp now) {
  auto last = snapshot.as_of;
  visit_changes(snapshot, [&](timestamp moment) {
    if (moment <= now) last = std::max(last, moment);
  });
  return last;
}

std::optional<std::string> text_of(rendering_key const& key, pages::page_view const& view) {
  switch (key.form) {
    case page_form::status:
      return pages::status_html(view);
    case page_form::history:
      return pages::history_html(view, month_of(key.month));
    case page_form::incident:
      return pages::incident_html(view, key.item);
    case page_form::maintenance:
      return pages::maintenance_html(view, key.item);
    case page_form::summary:
      return pages::summary_json(view);
    case page_form::rss:
      return pages::rss_feed(view);
    case page_form::json_feed:
      return pages::json_feed(view);
    case page_form::calendar:
      return pages::calendar(view);
    case page_form::badge:
      return pages::badge_svg(view);
    case page_form::logo:
    case page_form::subscription:
    case page_form::subscribe:
      break;
  }
  return std::nullopt;
}

std::string_view content_type_of(page_form form) {
  switch (form) {
    case page_form::summary:
      return "application/json";
    case page_form::rss:
      return "application/rss+xml; charset=utf-8";
    case page_form::json_feed:
      return "application/feed+json";
    case page_form::calendar:
      return "text/calendar; charset=utf-8";
    case page_form::badge:
      return "image/svg+xml";
    default:
      return "text/html; charset=utf-8";
  }
}

task<renderings::answer> renderings::find(rendering_key key, held_page held, pages::page_address address,
                                          timestamp now, deadline until) {
  auto const kept = cache_.find(key);
  if (kept && kept->generation == held.generation && now < kept->until) co_return answer{kept};
  auto flight = flights_.find(key);
  if (!flight) {
    if (!shares_.allow(held.page->project, key.form, steady::now())) {
      // The text of the last snapshot is better than none, as long as time alone has not changed it.
      if (kept && now < kept->until) co_return answer{kept};
      co_return answer{.no_room = true};
    }
    flight = flights_.lead(key);
    spawn_task(io_, fly(key, std::move(held), std::move(address), now, flight));
  }
  co_await flights::wait(flight, until);
  if (!flight->done) throw unavailable("rendering a status page takes too long");
  co_return flight->outcome;
}

task<> renderings::fly(rendering_key key, held_page held, pages::page_address address, timestamp now,
                       flights::flight_ptr flight) {
  try {
    auto const& snapshot = held.page->snapshot;
    auto const start = thread_time();
    auto text = text_of(key, {snapshot, address, now});
    auto spent = thread_time() - start;
    if (text) {
      rendering made{.content_type = content_type_of(key.form),
                     .plain = std::make_shared<std::string const>(std::move(*text)),
                     .changed = is_feed(key.form) ? pages::changed_at(snapshot, now) : last_change(snapshot, now),
                     .generation = held.generation,
                     .until = next_change(snapshot, now)};
      made.tag = tag_of(*made.plain);
      if (made.plain->size() >= least_packed)
        made.gzip = std::make_shared<std::string const>(co_await packed_in_turns(made.plain, spent));
      shares_.charge(held.page->project, key.form, spent, steady::now());
      flight->outcome = hold(held.page->project, key, std::move(made));
    }
  } catch (std::exception const& bug) {
    log::error("a status page could not be rendered", {{"page", key.page.to_string()}, {"reason", bug.what()}});
    flight->outcome.no_room = true;
  }
  flights_.remove(key, flight);
  flights::complete(flight);
}

renderings::answer renderings::hold(uuid const& project, rendering_key const& key, rendering made) {
  auto const bytes = bytes_of(made);
  made.held = std::make_shared<account_share>(memory_, account_owner{.project = project, .organisation = {}});
  // The old text is dropped first, because its memory may be all that the project has.
  cache_.erase(key);
  if (!made.held->hold(bytes)) return {.no_room = true};
  auto const kept = std::make_shared<rendering const>(std::move(made));
  cache_.keep(key, project, kept, bytes);
  return {kept};
}

rendering_ptr renderings::find_logo(uuid const& page, std::int64_t version) {
  auto kept = cache_.find({.page = page, .form = page_form::logo});
  return kept && kept->generation == static_cast<std::uint64_t>(version) ? kept : nullptr;
}

renderings::answer renderings::keep_logo(published_page const& page, page_logo logo, timestamp now) {
  auto const type = std::ranges::find(logo_types, logo.type);
  if (type == logo_types.end()) return {};
  rendering made{.content_type = *type,
                 .plain = std::make_shared<std::string const>(std::move(logo.bytes)),
                 .changed = now,
                 .generation = static_cast<std::uint64_t>(page.version)};
  made.tag = tag_of(*made.plain);
  return hold(page.project, {.page = page.snapshot.page.id, .form = page_form::logo}, std::move(made));
}

}  // namespace svc::public_pages
