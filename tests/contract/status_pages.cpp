// Tests limits and states of status pages that forbid an operation.
#include "contract/provoker.hpp"

namespace svc::test {
namespace {

namespace json = boost::json;

std::string page_path(contract_tenant const& tenant) {
  return "/api/status-pages/" + tenant.ids.at("status-pages");
}

/// A body that makes a page, with a slug that no page has.
std::string page_body(contract_fixture& s, contract_tenant const& tenant) {
  return s.fitted(tenant, R"({"name":"n","slug":"acme"})");
}

std::string slug_in(std::string const& body) {
  return std::string(json::parse(body).at("slug").as_string());
}

std::vector<attempt> play_taken_slug(contract_fixture& s, http::operation const& op) {
  auto r = s.good(op);
  auto const other = page_body(s, s.main());
  s.must(201, {"POST", "/api/status-pages", s.main().token, other});
  r.body = op.method == "POST" ? other : R"({"slug":")" + slug_in(other) + "\"}";
  return {s.ask(op, r)};
}

/// The sixth change within 90 days.
std::vector<attempt> play_slug_changes(contract_fixture& s, http::operation const& op) {
  auto const tenant = s.make_tenant();
  auto r = s.good(op, tenant);
  for (int i = 0; i < 6; ++i) {
    r.body = R"({"slug":")" + slug_in(page_body(s, tenant)) + "\"}";
    if (i < 5) s.must(200, r);
  }
  return {s.ask(op, r)};
}

/// Another project's page has proved the domain, and its proof is there still.
std::vector<attempt> play_taken_domain(contract_fixture& s, http::operation const& op) {
  auto const holder = s.make_tenant(), tenant = s.make_tenant();
  auto const domain = "taken-" + holder.ids.at("status-pages") + ".example.org";
  s.sql().run(
      "UPDATE status_pages SET custom_domain = $1, domain_verified_at = clock_timestamp(),"
      " domain_checked_at = clock_timestamp() WHERE id = $2",
      {domain, holder.ids.at("status-pages")});
  // The second page may claim the domain; only its proof is refused.
  s.must(200, {"PATCH", page_path(tenant), tenant.token, R"({"customDomain":")" + domain + "\"}"});
  std::vector<std::string> proofs;
  for (auto const& each : {holder, tenant}) {
    auto const shown = s.must(200, {"GET", page_path(each), each.token});
    proofs.emplace_back(shown.at("domain").at("txtValue").as_string());
  }
  s.set_text_records(proofs);
  std::vector out{s.ask(op, s.good(op, tenant))};
  s.set_text_records({});
  return out;
}

/// A page with 20 components, in addition to the standing one, that have 1 000 monitors.
void fill_monitors(contract_fixture& s, contract_tenant const& tenant) {
  s.sql().run(
      "WITH made AS (INSERT INTO page_components (id, project_id, page_id, slot, position, name)"
      " SELECT gen_random_uuid(), project_id, id, n, n, 'filling' FROM status_pages, generate_series(2, 21) n"
      " WHERE id = $1 RETURNING id, page_id, slot)"
      " INSERT INTO page_component_monitors (page_id, component_id, slot, page_slot, monitor_id)"
      " SELECT page_id, id, m, (slot - 2) * 50 + m, gen_random_uuid() FROM made, generate_series(1, 50) m",
      {tenant.ids.at("status-pages")});
}

std::vector<attempt> play_components(contract_fixture& s, http::operation const& op) {
  auto const tenant = s.make_tenant();
  auto r = s.good(op, tenant);
  if (op.method == "PATCH") {
    fill_monitors(s, tenant);
    r.body = R"({"monitorIds":[")" + tenant.ids.at("monitors") + "\"]}";
    return {s.ask(op, r)};
  }
  s.sql().run(
      "INSERT INTO page_components (id, project_id, page_id, slot, position, name) SELECT gen_random_uuid(),"
      " project_id, id, n, n, 'filling' FROM status_pages, generate_series(2, 100) n WHERE id = $1",
      {tenant.ids.at("status-pages")});
  return {s.ask(op, r)};
}

/// The 51st open incident: a new one, or one that is opened again.
std::vector<attempt> play_incidents(contract_fixture& s, http::operation const& op) {
  auto const tenant = s.make_tenant();
  auto const shelf = page_path(tenant) + "/incidents";
  auto const make = [&](std::string const& status) {
    auto const made =
        s.must(201, {"POST", shelf, tenant.token, R"({"name":"n","body":"b","status":")" + status + "\"}"});
    return std::string(made.at("id").as_string());
  };
  auto const over = make("resolved");
  for (int i = 1; i < 50; ++i) make("investigating");  // in addition to the standing one
  auto r = s.good(op, tenant);
  if (op.id == "create_incident_update") r.target = shelf + "/" + over + "/updates";
  return {s.ask(op, r)};
}

/// The page has notified of 20 posts in this hour.
std::vector<attempt> play_posts(contract_fixture& s, http::operation const& op) {
  auto const tenant = s.make_tenant();
  s.sql().run(
      "INSERT INTO page_mail_jobs (id, project_id, page_id, post_id, ended_at) SELECT gen_random_uuid(), project_id,"
      " id, gen_random_uuid(), clock_timestamp() FROM status_pages, generate_series(1, 20) WHERE id = $1",
      {tenant.ids.at("status-pages")});
  return {s.ask(op, s.good(op, tenant))};
}

}  // namespace

std::vector<provoker> status_page_states(contract_fixture& s) {
  std::vector<provoker> out;
  auto const add = [&](std::string code, std::string mode,
                       std::vector<attempt> (*play)(contract_fixture&, http::operation const&)) {
    out.push_back({std::move(code), std::move(mode), any_operation,
                   [&s, play](http::operation const& op) { return play(s, op); }});
  };
  add("slug_taken", "of another page", play_taken_slug);
  add("slug_change_limit_reached", "the sixth change", play_slug_changes);
  add("domain_taken", "proved", play_taken_domain);
  add("component_limit_reached", "the 101st, or a monitor too many", play_components);
  add("incident_limit_reached", "the 51st", play_incidents);
  add("post_limit_reached", "the 21st", play_posts);
  return out;
}

}  // namespace svc::test
