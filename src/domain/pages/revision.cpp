// The times and the short text by which readers see that a page has changed.
#include "domain/pages/frame.hpp"
#include "svc/core/hash.hpp"

#include <algorithm>

namespace svc::pages {
namespace {

void keep_newest(timestamp& newest, timestamp moment, timestamp now) {
  if (moment <= now) newest = std::max(newest, moment);
}

template <class Parent>
void keep_newest_posts(timestamp& newest, std::vector<Parent> const& parents, timestamp now) {
  for (auto const& parent : parents)
    for (auto const& each : parent.posts) keep_newest(newest, each.edited_at.value_or(each.published_at), now);
}

template <class Parent>
void add_posts_to(std::string& out, std::vector<Parent> const& parents) {
  for (auto const& parent : parents) {
    out.append(parent.id.to_string()).append(parent.name);
    for (auto const& each : parent.posts)
      out.append(each.id.to_string()).append(std::to_string(each.edited_at.value_or(each.published_at).micros));
  }
}

}  // namespace

timestamp changed_at(page_snapshot const& snapshot, timestamp now) {
  timestamp newest{};
  keep_newest_posts(newest, snapshot.incidents, now);
  keep_newest_posts(newest, snapshot.maintenance, now);
  for (auto const& each : snapshot.maintenance) keep_newest(newest, each.changed_at, now);
  for (auto const& each : snapshot.incidents) keep_newest(newest, each.resolved_at.value_or(each.started_at), now);
  return newest.micros == 0 ? snapshot.as_of : newest;
}

std::string revision_of(page_snapshot const& snapshot, status_table const& statuses, timestamp now) {
  std::string text = snapshot.page.name + snapshot.page.headline + snapshot.page.description;
  for (auto const& each : snapshot.components)
    text.append(each.id.to_string()).append(each.name).append(to_text(statuses.status(each.id)));
  add_posts_to(text, snapshot.incidents);
  add_posts_to(text, snapshot.maintenance);
  for (auto const& each : snapshot.maintenance)
    text.append(is_active(each, now) ? "a" : "-").append(is_coming(each, now) ? "c" : "-");
  return to_hex(byte_view(sha256(text)).first(8));
}

}  // namespace svc::pages
