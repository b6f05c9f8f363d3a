#include "live/output/announcements.hpp"

#include <algorithm>

namespace svc::output {

std::optional<uuid> run_of_channel(std::string_view channel) {
  auto const open = channel.find('{');
  auto const close = channel.find('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return std::nullopt;
  auto const run = uuid::parse(channel.substr(open + 1, close - open - 1));
  return run && channel_of(*run) == channel ? run : std::nullopt;
}

std::optional<news_line> read_news(std::string_view payload) {
  news_line out;
  if (payload == "!") {
    out.ended = true;
    return out;
  }
  constexpr std::string_view end = " !";
  if (payload.ends_with(end)) {
    out.ended = true;
    payload.remove_suffix(end.size());
  }
  auto const space = payload.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  auto const before = event_id::parse(payload.substr(0, space));
  auto const newest = event_id::parse(payload.substr(space + 1));
  if (!before || !newest) return std::nullopt;
  out.events.emplace(*before, *newest);
  return out;
}

bool announcements::hear(news_line const& line) {
  ended_ = ended_ || line.ended;
  if (line.events) {
    if (!reported_) reported_ = line.events->first;
    newest_ = std::max(newest_, line.events->second);
  }
  return !std::exchange(reading_, true);
}

std::optional<event_id> announcements::unread() const {
  return reported_ && *reported_ < newest_ ? reported_ : std::nullopt;
}

batch_ptr announcements::found(std::optional<std::vector<run_event>> const& page) {
  if (!page || page->empty()) {
    reported_.reset();
    return nullptr;
  }
  auto made = make_batch(*reported_, *page);
  reported_ = page->back().id;
  return made;
}

bool announcements::finish() {
  reading_ = false;
  return std::exchange(ended_, false);
}

}  // namespace svc::output
