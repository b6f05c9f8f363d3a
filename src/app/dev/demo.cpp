#include "app/dev/demo.hpp"

#include "app/dev/data_directory.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/domain/pages/address.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/delivery/provider_store.hpp"
#include "svc/store/heartbeats/heartbeat_store.hpp"
#include "svc/store/monitors/monitor_store.hpp"
#include "svc/store/pages/component_store.hpp"
#include "svc/store/pages/page_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

namespace svc::app::dev {
namespace {

constexpr std::string_view sink_name = "svcd dev", site_name = "This service", heartbeat_name = "Nightly backup";
constexpr std::string_view page_name = "Demo", page_slug = "demo";
/// The shortest interval that users may choose.
constexpr std::int64_t site_seconds = 30;
constexpr std::chrono::seconds demo_patience{10};
constexpr std::int64_t most_listed = 100;

template <class T>
T sure(result<T> secret) {
  if (!secret) throw std::runtime_error("the demo cannot be made: " + secret.error().message);
  return std::move(*secret);
}

std::string alerts_for(uuid provider) {
  return boost::json::serialize(
      boost::json::object{{"enabled", true},
                          {"notificationProviders", boost::json::array{provider.to_string()}},
                          {"alertOnFailure", true},
                          {"alertOnRecovery", true},
                          {"alertOnSslExpiration", false},
                          {"alertOnDegraded", false},
                          {"alertOnError", true},
                          {"failureThreshold", 1},
                          {"recoveryThreshold", 1},
                          {"reminderMinutes", nullptr},
                          {"customMessage", ""}});
}

constexpr std::string_view health_path = "/api/health";

/// Returns true if checks reach the URL here without further settings.
bool is_on_loopback(std::string_view url) {
  for (std::string_view const host : {"https://127.", "https://localhost:", "https://[::1]"})
    if (url.starts_with(host)) return true;
  return false;
}

/// Updates the addresses of the service and the sink; users may have edited the rest.
monitor_settings moved_settings(monitor_settings set, std::optional<std::string> const& target, uuid sink) {
  auto const is_now = set.target.value_or("");
  if (is_on_loopback(is_now) && is_now.ends_with(health_path)) set.target = target;
  if (!set.alert_config || std::ranges::find(set.alert_providers, sink) != set.alert_providers.end()) return set;
  auto alerts = boost::json::parse(*set.alert_config).as_object();
  auto& named = alerts["notificationProviders"];
  if (!named.is_array()) named.emplace_array();
  named.get_array().emplace_back(sink.to_string());
  set.alert_config = boost::json::serialize(alerts);
  set.alert_providers.push_back(sink);
  return set;
}

class demo_maker {
 public:
  explicit demo_maker(demo_parts const& parts)
      : parts_(parts),
        master_(master_keys::from_file(parts.master_key_file)),
        db_(io_, {.url = secret_string(parts.database_url), .size = 1}),
        owner_(uuid::parse(parts.seeded.user).value()),
        editor_{.project = uuid::parse(parts.seeded.project).value(),
                .organization = uuid::parse(parts.seeded.organization).value(),
                .actor = {.name = "svcd dev"}} {}

  demo run() {
    demo out;
    std::exception_ptr failed;
    db_.start();
    asio::co_spawn(io_, make(out), [&](std::exception_ptr exception) {
      failed = std::move(exception);
      db_.stop();
    });
    io_.run();
    if (failed) std::rethrow_exception(failed);
    return out;
  }

 private:
  static deadline soon() { return deadline::after(demo_patience); }

  task<> make(demo& into) {
    auto const sink = co_await ensure_sink();
    std::optional<uuid> site;
    if (is_on_loopback(parts_.url)) site = co_await ensure_monitor(site_settings(), sink);
    if (site) into.site = site->to_string();
    auto const heartbeat = co_await ensure_monitor(heartbeat_settings(), sink);
    into.heartbeat = heartbeat.to_string();
    if (auto const page = co_await ensure_page()) co_await show_monitors(*page, site, heartbeat, into);
    auto const key = sure(co_await hearts_.key_of(editor_.project, heartbeat, soon()));
    into.heartbeat_url = secret_string(parts_.url + "/api/heartbeats/" + std::string(key.reveal()));
  }

  task<uuid> ensure_sink() {
    auto const config = boost::json::serialize(boost::json::object{{"url", parts_.sink_url}, {"method", "POST"}});
    store::provider_settings const wanted{std::string(sink_name), "webhook", true, config};
    page_request asked{.limit = most_listed};
    do {
      auto const some = co_await providers_.list(editor_.project, asked, soon());
      for (auto const& each : some.rows)
        if (each.name == sink_name && each.type == "webhook") co_return co_await move_sink(each.id);
      asked.after = some.next;
    } while (asked.after);
    co_return sure(co_await providers_.create(editor_, wanted, soon())).id;
  }

  task<uuid> move_sink(uuid sink) {
    auto const moved = [&](notification_provider const& now) {
      auto config = boost::json::parse(now.config).as_object();
      config["url"] = parts_.sink_url;
      return result<store::provider_settings>(store::provider_settings{
          now.name, now.type, now.enabled, boost::json::serialize(config), now.group_seconds, now.rate_per_minute});
    };
    co_return sure(co_await providers_.update(editor_, sink, moved, soon())).id;
  }

  monitor_settings site_settings() const {
    boost::json::object config;
    config["tls"].emplace_object()["ca"] = read_file(parts_.ca_file).value_or("");
    return {.name = std::string(site_name),
            .description = "Checks that the service answers, as its users see it",
            .target = parts_.url + std::string(health_path),
            .frequency_minutes = 1,
            .frequency_seconds = site_seconds,
            .config = boost::json::serialize(config),
            .attempts_seconds = site_seconds * 4 / 5};
  }

  static monitor_settings heartbeat_settings() {
    return {.name = std::string(heartbeat_name),
            .description = "Scheduled work that reports its success each day",
            .type = "heartbeat",
            .frequency_minutes = 1440,
            .config = R"({"schedule":{"everySeconds":86400},"graceSeconds":3600})"};
  }

  task<uuid> ensure_monitor(monitor_settings wanted, uuid sink) {
    wanted.alert_config = alerts_for(sink);
    wanted.alert_providers = {sink};
    store::monitor_filter const called{.type = wanted.type, .search = wanted.name};
    auto const found = co_await monitors_.list(editor_.project, called, {.limit = most_listed}, soon());
    for (auto const& each : found.rows) {
      if (each.set.name != wanted.name) continue;
      auto const set = moved_settings(each.set, wanted.target, sink);
      if (set.target == each.set.target && set.alert_config == each.set.alert_config) co_return each.id;
      auto const moved = [&](monitor const& now) {
        return result<monitor_settings>(moved_settings(now.set, wanted.target, sink));
      };
      co_return sure(co_await monitors_.update(editor_, each.id, moved, "updated", soon())).id;
    }
    co_return sure(co_await monitors_.create(editor_, owner_, wanted, soon())).id;
  }

  /// Returns `std::nullopt` if the page cannot be created.
  task<std::optional<pages::status_page>> ensure_page() {
    auto const found =
        co_await pages_.list(editor_.project, {.search = std::string(page_name)}, {.limit = most_listed}, soon());
    for (auto const& each : found.rows)
      if (each.set.name == page_name || each.set.slug == page_slug) co_return each;
    pages::page_settings const wanted{.name = std::string(page_name),
                                      .slug = std::string(page_slug),
                                      .headline = "What svcd dev shows to everybody",
                                      .status = pages::page_status::published};
    auto made = co_await pages_.create(editor_, owner_, wanted, soon());
    co_return made ? std::optional(std::move(*made)) : std::nullopt;
  }

  task<> show_monitors(pages::status_page const& page, std::optional<uuid> site, uuid heartbeat, demo& into) {
    if (site) co_await ensure_component(page.id, std::string(site_name), *site);
    co_await ensure_component(page.id, std::string(heartbeat_name), heartbeat);
    if (page.set.status != pages::page_status::published) co_return;
    into.page = page.id.to_string();
    into.page_url = pages::page_address::on_service(parts_.url, page.set.slug).page();
  }

  task<> ensure_component(uuid page, std::string name, uuid monitor) {
    auto const found = sure(co_await components_.list(editor_.project, page, {.limit = most_listed}, soon()));
    for (auto const& each : found.rows)
      if (each.set.name == name || std::ranges::find(each.set.monitors, monitor) != each.set.monitors.end())
        co_return;
    pages::component_settings const wanted{
        .name = std::move(name), .position = found.total, .monitors = std::vector<uuid>{monitor}};
    sure(co_await components_.create(editor_, page, wanted, soon()));
  }

  demo_parts const& parts_;
  asio::io_context io_{1};
  master_keys master_;
  postgres::pool db_;
  store::provider_store providers_{db_, master_};
  store::monitor_store monitors_{db_, master_};
  store::heartbeat_store hearts_{db_, master_};
  store::page_store pages_{db_, {}};
  store::component_store components_{db_};
  uuid owner_;
  store::editor editor_;
};

}  // namespace

demo make_demo(demo_parts const& parts) {
  return demo_maker(parts).run();
}

}  // namespace svc::app::dev
