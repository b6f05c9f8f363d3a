#include "domain/pages/entries.hpp"

#include "svc/core/harmless_text.hpp"

#include <algorithm>

namespace svc::pages {

std::vector<feed_entry> entries_of(page_view const& view, std::size_t most) {
  std::vector<feed_entry> out;
  for (auto const& incident : view.snapshot.incidents)
    for (auto const& each : incident.posts) out.push_back({.text = &each, .incident = &incident});
  for (auto const& maintenance : view.snapshot.maintenance)
    for (auto const& each : maintenance.posts) out.push_back({.text = &each, .maintenance = &maintenance});
  std::erase_if(out, [&](feed_entry const& entry) { return view.now < entry.text->published_at; });
  std::ranges::sort(out, [](feed_entry const& a, feed_entry const& b) {
    return std::pair(b.text->published_at, b.text->id) < std::pair(a.text->published_at, a.text->id);
  });
  if (out.size() > most) out.resize(most);
  return out;
}

std::string title_of(page_texts const& texts, feed_entry const& entry) {
  auto const& name = entry.incident != nullptr ? entry.incident->name : entry.maintenance->name;
  return one_line("[" + std::string(word_of(texts, entry.text->status)) + "] " + name);
}

std::string address_of(page_view const& view, feed_entry const& entry) {
  auto const page = entry.incident != nullptr ? view.address.incident(entry.incident->id)
                                              : view.address.maintenance(entry.maintenance->id);
  return page + "#" + entry.text->id.to_string();
}

std::string urn_of(feed_entry const& entry) {
  return "urn:uuid:" + entry.text->id.to_string();
}

std::string_view category_of(feed_entry const& entry) {
  return entry.incident != nullptr ? "incident" : "maintenance";
}

std::string planned_time(page_context const& page, feed_entry const& entry) {
  if (entry.text->status != post_status::scheduled || entry.maintenance == nullptr) return {};
  return page.texts.planned(page.clock.long_moment(entry.maintenance->starts_at),
                            page.clock.long_moment(entry.maintenance->ends_at));
}

}  // namespace svc::pages
