#include "app/dev/demo.hpp"

#include "app/dev/data_directory.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/heartbeat_store.hpp"
#include "svc/store/monitor_store.hpp"
#include "svc/store/provider_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/json.hpp>

#include <exception>
#include <stdexcept>
#include <utility>

namespace svc::app::dev {
namespace {

constexpr std::string_view sink_name = "svcd dev", site_name = "This service", heartbeat_name = "Nightly backup";
/// The shortest interval that users may choose.
constexpr std::int64_t site_seconds = 30;
constexpr std::chrono::seconds demo_patience{10};
constexpr std::int64_t most_listed = 100;

template <class T>
T sure(result<T> of) {
  if (!of) throw std::runtime_error("the demo cannot be made: " + of.error().message);
  return std::move(*of);
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

class demo_maker {
 public:
  explicit demo_maker(demo_parts const& of)
      : of_(of),
        master_(master_keys::from_file(of.master_key_file)),
        db_(io_, {.url = secret_string(of.database_url), .size = 1}),
        owner_(uuid::parse(of.seeded.user).value()),
        by_{.project = uuid::parse(of.seeded.project).value(),
            .organization = uuid::parse(of.seeded.organization).value(),
            .actor = {.name = "svcd dev"}} {}

  demo run() {
    demo out;
    std::exception_ptr failed;
    db_.start();
    asio::co_spawn(io_, make(out), [&](std::exception_ptr why) {
      failed = std::move(why);
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
    auto const site = co_await ensure_monitor(site_settings(), sink);
    auto const heartbeat = co_await ensure_monitor(heartbeat_settings(), sink);
    into.site = site.to_string();
    into.heartbeat = heartbeat.to_string();
    auto const key = sure(co_await hearts_.key_of(by_.project, heartbeat, soon()));
    into.heartbeat_url = secret_string(of_.url + "/api/heartbeats/" + std::string(key.reveal()));
  }

  task<uuid> ensure_sink() {
    auto const config = boost::json::serialize(boost::json::object{{"url", of_.sink_url}, {"method", "POST"}});
    store::provider_settings const wanted{std::string(sink_name), "webhook", true, config};
    auto const all = co_await providers_.list(by_.project, {.limit = most_listed}, soon());
    for (auto const& each : all.rows) {
      if (each.name != sink_name || each.type != "webhook") continue;
      auto const moved = [&](notification_provider const& now) {
        auto set = wanted;
        set.enabled = now.enabled;
        return result<store::provider_settings>(std::move(set));
      };
      co_return sure(co_await providers_.update(by_, each.id, moved, soon())).id;
    }
    co_return sure(co_await providers_.create(by_, wanted, soon())).id;
  }

  monitor_settings site_settings() const {
    boost::json::object config;
    config["tls"].emplace_object()["ca"] = read_file(of_.ca_file).value_or("");
    return {.name = std::string(site_name),
            .description = "Whether the service answers, as its users see it",
            .target = of_.url + "/api/health",
            .frequency_minutes = 1,
            .frequency_seconds = site_seconds,
            .config = boost::json::serialize(config),
            .attempts_seconds = site_seconds * 4 / 5};
  }

  static monitor_settings heartbeat_settings() {
    return {.name = std::string(heartbeat_name),
            .description = "Scheduled work that says each day that it was done",
            .type = "heartbeat",
            .frequency_minutes = 1440,
            .config = R"({"schedule":{"everySeconds":86400},"graceSeconds":3600})"};
  }

  task<uuid> ensure_monitor(monitor_settings wanted, uuid sink) {
    wanted.alert_config = alerts_for(sink);
    wanted.alert_providers = {sink};
    store::monitor_filter const called{.type = wanted.type, .search = wanted.name};
    auto const found = co_await monitors_.list(by_.project, called, {.limit = most_listed}, soon());
    for (auto const& each : found.rows) {
      if (each.set.name != wanted.name) continue;
      bool const told = each.set.alert_config.value_or("").find(sink.to_string()) != std::string::npos;
      if (each.set.target == wanted.target && told) co_return each.id;
      auto const moved = [&](monitor const& now) {
        auto set = now.set;
        set.target = wanted.target;
        set.alert_config = wanted.alert_config;
        set.alert_providers = wanted.alert_providers;
        return result<monitor_settings>(std::move(set));
      };
      co_return sure(co_await monitors_.update(by_, each.id, moved, "updated", soon())).id;
    }
    co_return sure(co_await monitors_.create(by_, owner_, wanted, soon())).id;
  }

  demo_parts const& of_;
  asio::io_context io_{1};
  master_keys master_;
  postgres::pool db_;
  store::provider_store providers_{db_, master_};
  store::monitor_store monitors_{db_, master_};
  store::heartbeat_store hearts_{db_, master_};
  uuid owner_;
  store::editor by_;
};

}  // namespace

demo make_demo(demo_parts const& of) {
  return demo_maker(of).run();
}

}  // namespace svc::app::dev
