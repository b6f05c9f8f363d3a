#include "domain/pages/page_parts.hpp"

#include <algorithm>

namespace svc::pages {
namespace {

constexpr int past_days = 7;
constexpr std::size_t names_in_verdict = 10;

std::string_view heading_of(page_texts const& texts, component_status worst) {
  if (worst == component_status::operational) return texts.all_operational;
  return worst == component_status::unknown ? texts.status_unknown : word_of(texts, worst);
}

/// Returns the names of the components with a status, the first ones only.
std::string names_with(page_context const& page, component_status status) {
  std::string out;
  std::size_t count = 0;
  for (auto const& component : page.view.snapshot.components) {
    if (page.statuses.status(component.id) != status) continue;
    if (++count > names_in_verdict) return out.append(page.texts.list_mark.text()).append("…");
    if (!out.empty()) out += page.texts.list_mark.text();
    out += component.name;
  }
  return out;
}

void add_copy_banner(page_context& page) {
  auto const as_of = page.view.snapshot.as_of;
  page.out.raw("<section class=\"banner s-unknown\" role=\"status\">");
  add_sign(page.out, look_of(component_status::unknown));
  page.out.raw("<div class=\"stack g-1\"><p class=\"banner-title\">")
      .text(page.texts.copy_title(page.clock.moment(as_of)));
  page.out.raw("</p><p>").text(page.texts.copy_text(page.clock.moment(as_of))).raw("</p></div></section>\n");
}

void add_verdict(page_context& page) {
  auto const worst = page.statuses.worst();
  page.out.raw("<section class=\"verdict\">");
  add_sign(page.out, look_of(worst));
  page.out.raw("<div class=\"stack g-1\"><h1>").text(heading_of(page.texts, worst)).raw("</h1>");
  if (is_stale(page.view.snapshot, page.view.now)) {
    page.out.raw("<p class=\"muted\">").text(page.texts.results_too_old).raw("</p>");
  } else {
    for (auto status = component_status::major_outage; status > component_status::operational;
         status = static_cast<component_status>(static_cast<int>(status) - 1)) {
      auto const names = names_with(page, status);
      if (names.empty()) continue;
      auto const line = std::string(word_of(page.texts, status)).append(page.texts.colon.text()).append(names);
      page.out.raw("<p class=\"muted\">").text(line).raw("</p>");
    }
  }
  auto const as_of = page.view.snapshot.evidence_at.value_or(page.view.snapshot.as_of);
  page.out.raw("<p class=\"small faint\" id=\"as-of\">");
  add_timed(page, page.texts.as_of, as_of, page.clock.full_moment(as_of));
  page.out.raw("</p></div></section>\n");
}

void add_about(page_context& page) {
  auto const& facts = page.view.snapshot.page;
  if (facts.headline.empty() && facts.description.empty()) return;
  page.out.raw("<section class=\"stack g-2\">");
  if (!facts.headline.empty()) page.out.raw("<p class=\"medium\">").text(facts.headline).raw("</p>");
  if (!facts.description.empty())
    page.out.raw("<div class=\"muted stack g-2\">").body(facts.description).raw("</div>");
  page.out.raw("</section>\n");
}

void add_open_incidents(page_context& page) {
  auto const& all = page.view.snapshot.incidents;
  if (std::ranges::none_of(all, is_open)) return;
  page.out.raw("<section class=\"stack g-4\" aria-labelledby=\"open-h\"><h2 class=\"vh\" id=\"open-h\">");
  page.out.text(page.texts.open_incidents).raw("</h2>\n");
  for (auto const& incident : all)
    if (is_open(incident)) add_incident_card(page, incident);
  page.out.raw("</section>\n");
}

void add_evidence_line(page_context& page, page_component const& component, component_status status) {
  if (status != component_status::unknown) return;
  auto const& measured = component.measured;
  std::string line;
  if (measured.valid_until <= page.view.now && measured.status != component_status::unknown)
    line = page.texts.last_known(page.clock.moment(page.view.snapshot.as_of), word_of(page.texts, measured.status));
  else if (measured.last_result_at)
    line = page.texts.no_result_since(page.clock.moment(*measured.last_result_at));
  if (!line.empty()) page.out.raw("<p class=\"small faint\">").text(line).raw("</p>");
}

void add_component(page_context& page, page_component const& component, std::string_view heading) {
  auto const status = page.statuses.status(component.id);
  page.out.raw("<li class=\"component\" id=\"")
      .raw(component.id.to_string())
      .raw("\" data-until=\"")
      .number(component.measured.valid_until.micros / 1000)
      .raw("\">");
  page.out.raw("<div class=\"component-head\"><")
      .raw(heading)
      .raw(">")
      .text(component.name)
      .raw("</")
      .raw(heading)
      .raw(">");
  add_state(page.out, look_of(status), word_of(page.texts, status));
  page.out.raw("</div>");
  if (!component.description.empty())
    page.out.raw("<p class=\"small muted\">").text(component.description).raw("</p>");
  add_evidence_line(page, component, status);
  add_bars(page, component);
  page.out.raw("</li>\n");
}

void add_group(page_context& page, component_group const& group) {
  bool const named = !group.name.empty();
  if (named) page.out.raw("<section class=\"stack g-2\"><h3>").text(group.name).raw("</h3>");
  page.out.raw("<div class=\"panel\"><ul>\n");
  for (auto const* const component : group.components) add_component(page, *component, named ? "h4" : "h3");
  page.out.raw("</ul></div>\n");
  if (named) page.out.raw("</section>\n");
}

void add_legend(page_context& page) {
  page.out.raw("<ul class=\"legend\" aria-label=\"").text(page.texts.legend).raw("\">");
  for (auto const status :
       {component_status::operational, component_status::degraded_performance, component_status::partial_outage,
        component_status::major_outage, component_status::under_maintenance, component_status::unknown}) {
    page.out.raw("<li>");
    add_sign(page.out, look_of(status));
    page.out.text(word_of(page.texts, status)).raw("</li>");
  }
  page.out.raw("</ul>\n");
}

void add_systems(page_context& page) {
  page.out.raw("<section class=\"stack g-4\" aria-labelledby=\"sys-h\"><h2 id=\"sys-h\">")
      .text(page.texts.systems)
      .raw("</h2>\n");
  if (page.view.snapshot.components.empty()) {
    page.out.raw("<p class=\"muted\">").text(page.texts.no_systems).raw("</p></section>\n");
    return;
  }
  add_legend(page);
  for (auto const& group : groups_of(page.view.snapshot)) add_group(page, group);
  add_troubled_days(page);
  page.out.raw("</section>\n");
}

void add_maintenance(page_context& page) {
  auto const shown = [&](page_maintenance const& each) {
    return is_coming(each, page.view.now) || is_active(each, page.view.now);
  };
  auto const& all = page.view.snapshot.maintenance;
  if (std::ranges::none_of(all, shown)) return;
  page.out.raw("<section class=\"stack g-4\" aria-labelledby=\"sch-h\"><h2 id=\"sch-h\">")
      .text(page.texts.maintenance);
  page.out.raw("</h2>\n");
  for (auto const& each : all)
    if (shown(each)) add_maintenance_card(page, each);
  page.out.raw("</section>\n");
}

void add_past_day(page_context& page, std::int64_t day) {
  page.out.raw("<div class=\"day\"><h3>").text(page.clock.long_day(day)).raw("</h3>");
  bool any = false;
  for (auto const& incident : page.view.snapshot.incidents) {
    if (is_open(incident) || page.clock.day_of(incident.started_at) != day) continue;
    add_incident_line(page, incident);
    any = true;
  }
  if (!any) page.out.raw("<p class=\"muted\">").text(page.texts.no_incidents).raw("</p>");
  page.out.raw("</div>\n");
}

void add_past(page_context& page) {
  page.out.raw("<section class=\"stack g-2\" aria-labelledby=\"past-h\"><h2 id=\"past-h\">")
      .text(page.texts.past_days);
  page.out.raw("</h2><div>\n");
  auto const today = page.clock.day_of(page.view.now);
  for (int i = 0; i < past_days; ++i) add_past_day(page, today - i);
  page.out.raw("</div><p><a href=\"").text(page.view.address.history()).raw("\">").text(page.texts.all_incidents);
  page.out.raw("</a></p></section>\n");
}

void add_subscription_form(page_context& page) {
  auto const& texts = page.texts;
  if (!page.view.snapshot.page.subscribers || !can_send_requests(page.view.snapshot.page.visible)) return;
  page.out.raw("<section class=\"stack g-3\" aria-labelledby=\"subscribe\"><h2 id=\"subscribe\">")
      .text(texts.updates_by_mail);
  page.out.raw("</h2><form class=\"row\" method=\"post\" action=\"")
      .text(page.view.address.data("subscribe"))
      .raw("\">");
  page.out.raw("<label class=\"vh\" for=\"mail\">").text(texts.mail_address).raw("</label>");
  page.out.raw(
      R"(<input class="input input-l field-mail" id="mail" name="email" type="email" autocomplete="email" )");
  page.out.raw(
      R"(maxlength="254" placeholder="you@company.example" required><button class="btn btn-l" type="submit">)");
  page.out.text(texts.subscribe).raw("</button></form><p class=\"small muted\">").text(texts.subscribe_hint);
  page.out.raw("</p></section>\n");
}

}  // namespace

std::string status_html(page_view const& view) {
  page_context page(view);
  open_page(page, heading_of(page.texts, page.statuses.worst()));
  if (is_stale(view.snapshot, view.now)) add_copy_banner(page);
  add_verdict(page);
  add_about(page);
  add_open_incidents(page);
  add_systems(page);
  add_maintenance(page);
  add_past(page);
  add_subscription_form(page);
  close_page(page);
  return page.out.take();
}

}  // namespace svc::pages
