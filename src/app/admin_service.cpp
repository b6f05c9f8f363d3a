#include "app/admin_service.hpp"

#include "app/process/process_metrics.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/build_info.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/core/uuid.hpp"
#include "svc/http/error_table.hpp"
#include "svc/http/json.hpp"

#include <algorithm>

namespace svc::app {

namespace {

/// Returns the name or address in a `Host` field (RFC 9110 7.2), without the port.
std::string_view name_of(std::string_view host) {
  if (host.starts_with('[')) {
    auto const end = host.find(']');
    return end == std::string_view::npos ? std::string_view() : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

}  // namespace

bool admin_host_allowed(http::request const& head, std::vector<std::string> const& names) {
  auto const host = head.find("host");
  if (!host) return true;
  auto const name = name_of(*host);
  return ip_text_of(name).has_value() || iequals(name, "localhost") ||
         std::ranges::any_of(names, [name](std::string const& allowed) { return iequals(name, allowed); });
}

namespace {

class admin_service final : public http::service {
 public:
  admin_service(shared_parts& shared, reloader const& reloads, admin_views views)
      : shared_(shared), process_(shared.counters), reloads_(reloads), views_(std::move(views)) {}

  task<http::response> serve(http::request const& head, http::body_source& body) override;
  http::response refuse(error const& error, std::string_view) override { return failure(error); }

 private:
  http::response page(std::string_view target) const;
  http::response readiness(bool verbose) const;
  boost::json::object output_page() const;
  boost::json::object background_page() const;
  boost::json::object instances_page() const;
  boost::json::object configuration_page() const;
  static http::response failure(error const& error) {
    return http::error_response(error, uuid::generate_v7().to_string(), false);
  }
  static http::response text(std::string content, std::string_view type) {
    http::response out;
    out.content_type = type;
    out.body = std::move(content);
    return out;
  }

  shared_parts& shared_;
  process_metrics process_;
  reloader const& reloads_;
  admin_views views_;
};

http::response admin_service::readiness(bool verbose) const {
  bool const ready = shared_.accepting;
  boost::json::object answer{{"status", ready ? "ok" : "unready"}};
  if (verbose) {
    boost::json::array workers;
    auto const waiting = views_.waiting();
    auto const master_key = views_.master_key();
    bool whole = waiting.empty() && master_key.empty();
    for (auto const& s : views_.workers()) {
      whole = whole && s.redis_up && s.postgres_up && s.redis_trusted;
      boost::json::object object{{"redis", s.redis_up ? "up" : "down"},
                                 {"postgres", s.postgres_up ? "up" : "down"},
                                 {"limits", s.redis_trusted ? "shared" : "local"},
                                 {"connections", s.connections}};
      if (!s.redis_refusal.empty()) object["redisRefusal"] = s.redis_refusal;
      workers.push_back(std::move(object));
    }
    if (!waiting.empty()) answer["waiting"] = waiting;
    if (!master_key.empty()) answer["masterKey"] = master_key;
    answer["output"] = output_page();
    answer["background"] = background_page();
    answer["configuration"] = configuration_page();
    answer["instances"] = instances_page();
    answer["primaries"] = views_.primaries();
    answer["dependencies"] = whole ? "ok" : "degraded";
    answer["workers"] = std::move(workers);
    answer["version"] = this_build().version;
    answer["commit"] = this_build().commit;
  }
  auto out = text(http::to_json(answer) + "\n", "application/json");
  out.status = ready ? 200 : 503;
  return out;
}

/// Returns the worst state that any worker sees; all workers read the same accounts.
boost::json::object admin_service::output_page() const {
  output::output_state worst;
  for (auto const& s : views_.workers())
    worst = {std::max(worst.health, s.output.health), std::max(worst.held, s.output.held), s.output.budget};
  return {{"state", output::name_of(worst.health)}, {"heldBytes", worst.held}, {"budgetBytes", worst.budget}};
}

/// Returns the worst state of all loops, and each loop that fails or is stalled.
boost::json::object admin_service::background_page() const {
  auto worst = loop_health::good;
  boost::json::array loops;
  for (auto const& ailing : shared_.loops.look(steady::now())) {
    worst = std::max(worst, ailing.status.health);
    loops.push_back(
        {{"loop", ailing.loop->name()},
         {"worker", ailing.loop->owner()},
         {"state", name_of(ailing.status.health)},
         {"secondsSinceSuccess", std::chrono::floor<std::chrono::seconds>(ailing.status.since_success).count()}});
  }
  return {{"state", name_of(worst)}, {"loops", std::move(loops)}};
}

/// Returns the number of instances that share the limits, the source of that number, and the instances.
boost::json::object admin_service::instances_page() const {
  auto const seen = views_.instances();
  auto const number = [](std::optional<int> n) { return n ? boost::json::value(*n) : boost::json::value(); };
  boost::json::array array;
  for (auto const& instance : seen.instances) {
    auto shown = to_json(instance);
    shown["self"] = instance.identity.id == shared_.self.id;
    array.push_back(std::move(shown));
  }
  return {{"count", seen.count},
          {"source", access::name_of(seen.source)},
          {"limitsDividedBy", seen.divisor},
          {"postgres", number(seen.postgres)},
          {"redis", number(seen.redis)},
          {"who", std::move(array)}};
}

/// Returns the result of the last reading of the configuration, and the changed keys that wait for a restart.
boost::json::object admin_service::configuration_page() const {
  auto const& last = reloads_.last();
  boost::json::array waiting(last.waiting.begin(), last.waiting.end());
  return {{"state", last.refused ? "refused" : "loaded"},
          {"at", to_rfc3339(last.time)},
          {"needRestart", std::move(waiting)}};
}

http::response admin_service::page(std::string_view target) const {
  auto const path = target.substr(0, target.find('?'));
  auto const query = target.size() > path.size() ? target.substr(path.size() + 1) : std::string_view();
  if (path == "/metrics") {
    shared_.loops.show(steady::now());
    process_.show();
    shared_.accounts.show();
    return text(shared_.counters.expose(), "text/plain; version=0.0.4; charset=utf-8");
  }
  if (path == "/livez") return text("{\"status\":\"ok\"}\n", "application/json");
  if (path == "/readyz") return readiness(query == "verbose");
  if (path == "/debug/config") return text(print_configuration(reloads_.values()), "application/toml");
  return failure(
      error(errc::route_not_found,
            "This is the operator's listener (admin.address), with /metrics, /livez, /readyz, /readyz?verbose and "
            "/debug/config. The API is at the addresses of listeners."));
}

task<http::response> admin_service::serve(http::request const& head, [[maybe_unused]] http::body_source& body) {
  if (!admin_host_allowed(head, shared_.config.admin.hosts)) {
    co_return failure(
        error(errc::malformed_request, "Host must be an IP address, localhost or one of the names in admin.hosts."));
  }
#ifdef SVC_FAILPOINTS
  http::body_budget bodies(shared_.request_bytes, shared_.config.http.bodies.worker);
  if (head.method == "POST" && head.target == "/debug/failpoints") {
    auto const spec = co_await body.read(4096, {bodies, uuid()});
    if (!spec || !failpoint::configure(spec->joined())) co_return failure(errc::validation_failed);
    co_return text("configured\n", "text/plain");
  }
  if (head.method == "POST" && head.target == "/debug/clock") {
    auto const seconds = co_await body.read(32, {bodies, uuid()});
    if (!seconds || !failpoint::set_clock(seconds->joined())) co_return failure(errc::validation_failed);
    co_return text("set\n", "text/plain");
  }
#endif
  if (head.method != "GET" && head.method != "HEAD") co_return failure(errc::method_not_allowed);
  auto out = page(head.target);
  out.head_only = head.method == "HEAD";
  co_return out;
}

}  // namespace

std::unique_ptr<http::service> make_admin_service(shared_parts& shared, reloader const& reloads, admin_views views) {
  return std::make_unique<admin_service>(shared, reloads, std::move(views));
}

}  // namespace svc::app
