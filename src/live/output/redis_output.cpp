#include "live/output/redis_output.hpp"

namespace svc::output {
namespace {

std::optional<run_event> event_of(redis::reply const& entry) {
  if (entry.elements.size() != 2 || entry.elements[1].elements.size() != 2) return std::nullopt;
  auto const& field = entry.elements[1].elements;
  auto const id = event_id::parse(entry.elements[0].text);
  auto const kind = field[0].text.size() == 1 ? event_kind_of(field[0].text[0]) : std::nullopt;
  if (!id || !kind) return std::nullopt;
  return run_event{*id, *kind, field[1].text};
}

}  // namespace

task<event_page> read_page(redis::client& redis, uuid run, event_id after, int most, deadline until) {
  std::string const key = stream_key(run), start = "(" + after.to_string(), count = std::to_string(most);
  std::string_view const words[] = {"XRANGE", key, start, "+", "COUNT", count};
  auto const answer = co_await redis.command(words, until);
  event_page out;
  if (answer.value.error_code() == "WRONGTYPE") out.state = page_state::unreadable;
  if (!answer.ok()) co_return out;
  out.state = page_state::read;
  for (auto const& entry : answer.value.elements) {
    if (auto event = event_of(entry)) out.events.push_back(std::move(*event));
  }
  out.more = !out.events.empty() && answer.value.elements.size() >= static_cast<std::size_t>(most);
  co_return out;
}

task<std::optional<std::vector<run_event>>> read_events(redis::client& redis, uuid run, event_id after, int most,
                                                        deadline until) {
  auto page = co_await read_page(redis, run, after, most, until);
  if (page.state != page_state::read) co_return std::nullopt;
  co_return std::move(page.events);
}

}  // namespace svc::output
