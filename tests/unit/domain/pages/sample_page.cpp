#include "unit/domain/pages/sample_page.hpp"

namespace svc::test {

using namespace svc::pages;

uuid id_with(unsigned number) {
  uuid out;
  out.bytes[6] = 0x70;
  out.bytes[8] = 0x80;
  for (std::size_t i = 0; i < 4; ++i) out.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return out;
}

timestamp minutes_before(int minutes) {
  return sample_now + std::chrono::minutes(-minutes);
}

namespace {

page_component component(unsigned number, std::string name, component_status status) {
  page_component out{.id = id_with(number), .name = std::move(name)};
  out.measured = {.status = status,
                  .valid_until = sample_now + std::chrono::minutes(3),
                  .evidence_at = minutes_before(1),
                  .last_result_at = minutes_before(1)};
  for (unsigned day = 0; day < most_days; ++day) {
    bool const bad = (day * 7 + number * 13) % 41 == 0;
    out.days.push_back({.worst = bad ? component_status::partial_outage : component_status::operational,
                        .up_seconds = bad ? 86'000 : 86'400,
                        .down_seconds = bad ? 400 : 0});
  }
  out.days.back().worst = status;
  return out;
}

post text_post(unsigned number, post_status status, int minutes, std::string body) {
  return {.id = id_with(number), .status = status, .body = std::move(body), .published_at = minutes_before(minutes)};
}

page_incident open_incident() {
  page_incident out{.id = id_with(1001),
                    .name = "Checkout answers with errors",
                    .effect = impact::major,
                    .status = post_status::identified,
                    .started_at = minutes_before(15),
                    .components = {{id_with(2), component_status::major_outage}}};
  out.posts = {text_post(1012, post_status::identified, 3,
                         "A release cannot reach its database.\n\nSee https://acme.example/a?b=1&c=2."),
               text_post(1011, post_status::investigating, 9, "Payments fail for most customers.")};
  out.posts.front().edited_at = minutes_before(1);
  return out;
}

page_incident old_incident() {
  page_incident out{.id = id_with(1002),
                    .name = "Order mail was late",
                    .effect = impact::minor,
                    .status = post_status::resolved,
                    .started_at = minutes_before(2 * 1440),
                    .resolved_at = minutes_before(2 * 1440 - 40),
                    .components = {{id_with(5), component_status::degraded_performance}}};
  out.posts = {text_post(1021, post_status::resolved, 2 * 1440 - 40, "No mail was lost.")};
  return out;
}

page_maintenance occurrence(unsigned number, std::string name, int start, int length) {
  page_maintenance out{.id = id_with(number),
                       .name = std::move(name),
                       .starts_at = minutes_before(-start),
                       .ends_at = minutes_before(-start - length),
                       .changed_at = minutes_before(3 * 1440),
                       .sequence = 2,
                       .components = {id_with(6)}};
  out.posts = {text_post(number, post_status::scheduled, 3 * 1440, "Payments can fail; baskets are kept, for now.")};
  return out;
}

/// Fills the texts of one list of incidents or occurrences.
template <class Parent>
void fill(std::vector<Parent>& parents, std::string const& text) {
  for (auto& parent : parents) {
    parent.name = text;
    for (auto& each : parent.posts) each.body = text;
  }
}

}  // namespace

page_snapshot empty_snapshot() {
  page_snapshot out;
  out.page = {.id = id_with(9000), .slug = "acme", .name = "Acme Shop"};
  out.as_of = sample_now;
  return out;
}

page_snapshot rich_snapshot() {
  auto out = empty_snapshot();
  out.page.headline = "The state of our shop";
  out.page.description = "All that customers use.";
  out.page.accent_color = "#0d6e63";
  out.page.support_url = "https://acme.example/help";
  out.page.subscribers = true;
  out.components = {component(1, "Shop front", component_status::operational),
                    component(2, "Checkout", component_status::major_outage),
                    component(3, "Payments", component_status::degraded_performance),
                    component(4, "Search", component_status::partial_outage),
                    component(5, "Order mail", component_status::operational),
                    component(6, "Warehouse link", component_status::operational),
                    component(7, "Newsletter", component_status::unknown)};
  out.components[4].group = out.components[5].group = "Back office";
  out.components[4].description = "Confirmations and invoices";
  out.incidents = {open_incident(), old_incident()};
  out.maintenance = {occurrence(2001, "Move of the line", -20, 120), occurrence(2002, "Database upgrade", 2000, 90)};
  set_evidence_time(out);
  return out;
}

page_snapshot snapshot_of(std::size_t components) {
  auto out = rich_snapshot();
  out.components.clear();
  for (unsigned i = 0; i < components; ++i)
    out.components.push_back(
        component(i + 1, "Service number " + std::to_string(i + 1), component_status::operational));
  return out;
}

page_snapshot huge_snapshot() {
  auto out = snapshot_of(most_components);
  std::string const name(255, 'n'), body(10'000, 'b');
  for (auto& each : out.components) each.name = each.group = name;
  auto incident = old_incident();
  incident.name = name;
  incident.components.assign(most_affected, {id_with(1), component_status::partial_outage});
  for (unsigned i = 0; i < most_posts; ++i)
    incident.posts.push_back(text_post(50'000 + i, post_status::investigating, 3 * 1440, body));
  out.incidents.assign(1000, incident);
  auto planned = occurrence(2002, name, 2000, 90);
  planned.posts.front().body = body;
  out.maintenance.assign(most_maintenance, planned);
  return out;
}

page_snapshot with_text(page_snapshot snapshot, std::string_view text) {
  std::string const field(text);
  auto& page = snapshot.page;
  page.name = page.headline = page.description = field;
  page.support_url = "https://acme.example/" + field;
  page.accent_color = page.time_zone = field;
  for (auto& each : snapshot.components) each.name = each.description = each.group = field;
  fill(snapshot.incidents, field);
  fill(snapshot.maintenance, field);
  return snapshot;
}

page_address sample_address() {
  return page_address::on_service(sample_origin, "acme");
}

std::vector<std::string> all_html(page_view const& view) {
  std::vector<std::string> out{status_html(view), history_html(view, current_month(view))};
  for (auto const& each : view.snapshot.incidents) out.push_back(*incident_html(view, each.id));
  for (auto const& each : view.snapshot.maintenance) out.push_back(*maintenance_html(view, each.id));
  for (int step = 0; step <= static_cast<int>(subscription_step::link_over); ++step)
    out.push_back(subscription_html(view, static_cast<subscription_step>(step), "tokenTOKEN_-1"));
  return out;
}

}  // namespace svc::test
