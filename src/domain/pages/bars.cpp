#include "domain/pages/page_parts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace svc::pages {
namespace {

constexpr std::size_t most_troubled_rows = 40;

/// The look of a day: class, top of the bar, dashes.
struct bar_look {
  std::string_view stroke, top, dashes;
};

bar_look bar_look_of(component_status status) {
  constexpr std::array<bar_look, component_status_count> looks{{{"k-passed", "16", ""},
                                                                {"k-unknown", "23", "2 2"},
                                                                {"k-maintenance", "12.2", "4 2"},
                                                                {"k-degraded", "8", ""},
                                                                {"k-timed-out", "4.5", ""},
                                                                {"k-failed", "0", ""}}};
  return looks.at(static_cast<std::size_t>(status));
}

constexpr std::array<component_status, component_status_count> statuses{
    component_status::operational,          component_status::unknown,        component_status::under_maintenance,
    component_status::degraded_performance, component_status::partial_outage, component_status::major_outage};

/// Appends the days of one status as one path.
void add_path(markup& out, std::vector<day_bar> const& days, component_status status) {
  auto const look = bar_look_of(status);
  std::string path;
  for (std::size_t i = 0; i < days.size(); ++i)
    if (days[i].worst == status) path.append("M").append(std::to_string(4 + 8 * i)).append(" 32V").append(look.top);
  if (path.empty()) return;
  out.raw("<path class=\"").raw(look.stroke).raw("\"");
  if (!look.dashes.empty()) out.raw(" stroke-dasharray=\"").raw(look.dashes).raw("\"");
  out.raw(" d=\"").raw(path).raw("\"/>");
}

std::string_view word_of_day(page_texts const& texts, component_status status) {
  return status == component_status::unknown ? texts.not_observed : word_of(texts, status);
}

/// `Checkout, last 90 days: Operational: 88 days, Major outage: 2 days`.
std::string sentence_of(page_context const& page, page_component const& component, std::vector<day_bar> const& days) {
  std::string parts;
  for (auto const status : statuses) {
    auto const count = static_cast<std::uint64_t>(std::ranges::count(days, status, &day_bar::worst));
    if (count == 0) continue;
    if (!parts.empty()) parts += page.texts.list_mark.text();
    parts.append(word_of_day(page.texts, status)).append(page.texts.colon.text());
    parts += page.texts.days(page.texts.rule, count);
  }
  return page.texts.last_days(component.name, parts);
}

struct troubled_day {
  std::int64_t day;
  page_component const* component;
  day_bar bar;
};

std::vector<troubled_day> troubled_days(page_context const& page) {
  std::vector<troubled_day> out;
  auto const today = page.clock.day_of(page.view.now);
  for (auto const& component : page.view.snapshot.components) {
    auto const days = bars_of(page, component);
    for (std::size_t i = 0; i < days.size(); ++i)
      if (days[i].worst >= component_status::degraded_performance)
        out.push_back({today - static_cast<std::int64_t>(days.size() - 1 - i), &component, days[i]});
  }
  // Newer days come first; on one day the components keep their order.
  std::ranges::sort(out, {}, [](troubled_day const& row) { return std::pair(-row.day, row.component); });
  if (out.size() > most_troubled_rows) out.resize(most_troubled_rows);
  return out;
}

void add_troubled_row(page_context& page, troubled_day const& row) {
  page.out.raw("<tr><th scope=\"row\">")
      .text(page.clock.short_day(row.day))
      .raw("</th><td>")
      .text(row.component->name);
  page.out.raw("</td><td>");
  add_state(page.out, look_of(row.bar.worst), word_of(page.texts, row.bar.worst));
  auto const down = row.bar.down_seconds;
  page.out.raw("</td><td class=\"num\">").text(down > 0 ? duration(page.texts, down) : "–").raw("</td></tr>");
}

}  // namespace

std::vector<day_bar> bars_of(page_context const& page, page_component const& component) {
  std::vector<day_bar> out(most_days);
  auto const age = page.clock.day_of(page.view.now) - page.clock.day_of(page.view.snapshot.as_of);
  auto const shift = std::clamp<std::int64_t>(age, 0, most_days);
  auto place = static_cast<std::int64_t>(most_days) - shift;
  for (auto day = component.days.rbegin(); day != component.days.rend() && place > 0; ++day)
    out[static_cast<std::size_t>(--place)] = *day;
  if (page.statuses.status(component.id) == component_status::unknown) out.back().worst = component_status::unknown;
  return out;
}

void add_bars(page_context& page, page_component const& component) {
  auto const days = bars_of(page, component);
  page.out.raw("<div class=\"bars bars-90\" role=\"img\" aria-label=\"").text(sentence_of(page, component, days));
  page.out.raw(R"("><svg viewBox="0 0 720 32" preserveAspectRatio="none" aria-hidden="true" stroke-width="5.5">)");
  for (auto const status : statuses) add_path(page.out, days, status);
  page.out.raw("</svg></div><div class=\"bars-ends\"><span><span class=\"ends-l\">").text(page.texts.days_ago("90"));
  page.out.raw("</span><span class=\"ends-s\">").text(page.texts.days_ago("45")).raw("</span></span>");
  auto const uptime = uptime_of(component);
  if (component.show_uptime && uptime)
    page.out.raw("<span>").text(page.texts.uptime(percentage(page.texts, *uptime))).raw("</span>");
  page.out.raw("<span>").text(page.texts.today).raw("</span></div>");
}

void add_troubled_days(page_context& page) {
  auto const rows = troubled_days(page);
  if (rows.empty()) {
    page.out.raw("<p class=\"small muted\">").text(page.texts.no_trouble).raw("</p>\n");
    return;
  }
  auto const& texts = page.texts;
  page.out.raw(
      R"(<details class="details"><summary><svg class="icon icon-s" aria-hidden="true"><use href="#i-right"/></svg>)");
  page.out.text(texts.troubled_days)
      .raw("</summary><div class=\"table-box\" tabindex=\"0\" role=\"region\" aria-label=\"");
  page.out.text(texts.troubled_caption).raw("\"><table class=\"table\"><caption class=\"vh\">");
  page.out.text(texts.troubled_caption).raw("</caption><thead><tr><th scope=\"col\">").text(texts.day);
  page.out.raw("</th><th scope=\"col\">").text(texts.system).raw("</th><th scope=\"col\">").text(texts.worst_status);
  page.out.raw("</th><th scope=\"col\" class=\"num\">").text(texts.downtime).raw("</th></tr></thead><tbody>");
  for (auto const& row : rows) add_troubled_row(page, row);
  page.out.raw("</tbody></table></div></details>\n");
}

}  // namespace svc::pages
