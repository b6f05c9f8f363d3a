#include "domain/pages/page_parts.hpp"
#include "svc/core/numbers.hpp"

#include <algorithm>
#include <charconv>

namespace svc::pages {
namespace {

bool in_month(page_context const& page, timestamp moment, std::chrono::year_month month) {
  return month_of(page.clock.day_of(moment)) == month;
}

std::string address_of_month(page_context const& page, std::chrono::year_month month) {
  auto const number = static_cast<unsigned>(month.month());
  return page.view.address.history() + "?month=" + std::to_string(static_cast<int>(month.year())) +
         (number < 10 ? "-0" : "-") + std::to_string(number);
}

/// Returns the month of the oldest thing in the snapshot.
std::chrono::year_month first_month(page_context const& page) {
  auto first = page.view.now;
  for (auto const& each : page.view.snapshot.incidents) first = std::min(first, each.started_at);
  for (auto const& each : page.view.snapshot.maintenance) first = std::min(first, each.starts_at);
  return month_of(page.clock.day_of(first));
}

void add_month_link(page_context& page, std::chrono::year_month month, std::string_view word) {
  page.out.raw("<a class=\"btn\" href=\"").text(address_of_month(page, month)).raw("\">").text(word).raw(": ");
  page.out.text(page.clock.month(month)).raw("</a>");
}

void add_month_links(page_context& page, std::chrono::year_month month) {
  auto const current = month_of(page.clock.day_of(page.view.now));
  page.out.raw("<nav class=\"row g-2\" aria-label=\"").text(page.texts.history).raw("\">");
  if (month > first_month(page)) add_month_link(page, month - std::chrono::months(1), page.texts.earlier);
  if (month < current) add_month_link(page, month + std::chrono::months(1), page.texts.later);
  page.out.raw("</nav>\n");
}

void add_incident_entry(page_context& page, page_incident const& incident) {
  page.out.raw("<div class=\"day\"><h3>")
      .text(page.clock.long_day(page.clock.day_of(incident.started_at)))
      .raw("</h3>");
  add_incident_line(page, incident);
  page.out.raw("</div>\n");
}

bool add_incidents_of(page_context& page, std::chrono::year_month month) {
  bool any = false;
  for (auto const& incident : page.view.snapshot.incidents) {
    if (!in_month(page, incident.started_at, month)) continue;
    add_incident_entry(page, incident);
    any = true;
  }
  return any;
}

void add_maintenance_of(page_context& page, std::chrono::year_month month) {
  bool any = false;
  for (auto const& each : page.view.snapshot.maintenance) {
    if (each.starts_at > page.view.now || !in_month(page, each.starts_at, month)) continue;
    if (!any) page.out.raw("<section class=\"stack g-4\"><h2>").text(page.texts.maintenance).raw("</h2>\n");
    add_maintenance_card(page, each);
    any = true;
  }
  if (any) page.out.raw("</section>\n");
}

}  // namespace

std::optional<std::chrono::year_month> parse_month(std::string_view text) {
  if (text.size() != 7 || text[4] != '-') return std::nullopt;
  auto const year = parse_number<int>(text.substr(0, 4)), month = parse_number<int>(text.substr(5));
  if (!year || !month || *year < 1970 || *month < 1 || *month > 12) return std::nullopt;
  return std::chrono::year(*year) / std::chrono::month(static_cast<unsigned>(*month));
}

std::chrono::year_month current_month(page_view const& view) {
  page_clock const clock(texts_of(view.snapshot.page.language), view.snapshot.page.time_zone, view.now);
  return month_of(clock.day_of(view.now));
}

std::string history_html(page_view const& view, std::chrono::year_month month) {
  page_context page(view);
  auto const title = std::string(page.texts.history.text()) + ": " + page.clock.month(month);
  open_page(page, title);
  page.out.raw("<header class=\"stack g-3\"><h1>").text(title).raw("</h1>");
  add_month_links(page, month);
  page.out.raw("</header>\n<section class=\"stack g-2\"><h2>").text(page.texts.all_incidents).raw("</h2><div>\n");
  if (!add_incidents_of(page, month)) page.out.raw("<p class=\"muted\">").text(page.texts.no_incidents).raw("</p>");
  page.out.raw("</div></section>\n");
  add_maintenance_of(page, month);
  close_page(page);
  return page.out.take();
}

}  // namespace svc::pages
