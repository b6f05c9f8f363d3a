#include "domain/pages/page_parts.hpp"

namespace svc::pages {
namespace {

constexpr std::size_t posts_on_card = 3;

void add_names(page_context& page, std::vector<uuid> const& ids) {
  auto const names = names_of(page, ids);
  if (!names.empty()) page.out.raw("<span class=\"muted\">").text(names).raw("</span>");
}

std::string_view newest_text(std::vector<post> const& posts) {
  for (auto const& each : posts)
    if (!each.body.empty()) return each.body;
  return {};
}

}  // namespace

void add_incident_card(page_context& page, page_incident const& incident) {
  auto const look = look_of(incident.effect);
  page.out.raw("<article class=\"incident-card ")
      .raw(look.state)
      .raw("\"><header><h3><a class=\"quiet-link\" href=\"");
  page.out.text(page.view.address.incident(incident.id)).raw("\">").text(incident.name).raw("</a></h3>");
  page.out.raw("<p class=\"row g-3 small\">");
  add_state(page.out, look, word_of(page.texts, incident.effect));
  add_names(page, ids_of(incident));
  page.out.raw("<span class=\"muted\">");
  add_timed(page, page.texts.since, incident.started_at, page.clock.moment(incident.started_at));
  page.out.raw("</span></p></header><div>");
  add_posts(page, incident.posts, posts_on_card, false);
  page.out.raw("</div></article>\n");
}

void add_span(page_context& page, page_maintenance const& maintenance) {
  auto const whole = page.texts.range("\x01", "\x02");
  auto const first = whole.find('\x01'), second = whole.find('\x02');
  std::string_view const text = whole;
  page.out.text(text.substr(0, first));
  add_time(page.out, maintenance.starts_at, page.clock.moment(maintenance.starts_at));
  page.out.text(text.substr(first + 1, second - first - 1));
  add_time(page.out, maintenance.ends_at, page.clock.moment(maintenance.ends_at));
  page.out.text(text.substr(second + 1));
}

void add_maintenance_card(page_context& page, page_maintenance const& maintenance) {
  auto const now = page.view.now;
  auto const state = state_of(page.texts, maintenance, now);
  page.out.raw("<article class=\"incident-card ")
      .raw(state.look.state)
      .raw("\"><header><h3><a class=\"quiet-link\" href=\"");
  page.out.text(page.view.address.maintenance(maintenance.id)).raw("\">").text(maintenance.name).raw("</a></h3>");
  page.out.raw("<p class=\"row g-3 small\">");
  add_state(page.out, state.look, state.word);
  add_names(page, maintenance.components);
  if (is_coming(maintenance, now))
    page.out.raw("<span class=\"muted\">").text(wait(page.texts, maintenance.starts_at - now)).raw("</span>");
  page.out.raw("</p></header><div class=\"stack g-2\"><p class=\"muted small\">");
  add_span(page, maintenance);
  page.out.raw("</p>").body(newest_text(maintenance.posts)).raw("</div></article>\n");
}

void add_incident_line(page_context& page, page_incident const& incident) {
  page.out.raw("<div class=\"stack g-1\"><p class=\"row g-2\"><a href=\"")
      .text(page.view.address.incident(incident.id));
  page.out.raw("\">").text(incident.name).raw("</a>");
  add_state(page.out, look_of(incident.status), word_of(page.texts, incident.status));
  page.out.raw("</p><div class=\"muted stack g-1\">").body(newest_text(incident.posts)).raw("</div></div>");
}

}  // namespace svc::pages
