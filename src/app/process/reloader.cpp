#include "app/process/reloader.hpp"

#include "app/process/tls_reloader.hpp"
#include "svc/core/joined.hpp"
#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <utility>

namespace svc::app {
namespace {

counter config_reloads(metrics& counters, char const* result) {
  return counters.make_counter("svc_config_reloads_total", "Attempts to read the configuration again",
                               {{"result", result}});
}

}  // namespace

reload_plan plan_reload(configuration const& started, configuration const& holds, loaded_configuration const& fresh) {
  reload_plan out{.values = holds, .problems = fresh.problems};
  if (!out.problems.empty()) return out;
  for (auto const& key : configuration_keys().all) {
    if (key.reloads && !key.same(&holds, &fresh.values)) {
      key.copy(&out.values, &fresh.values);
      out.taken.emplace_back(key.name);
    }
    if (!key.reloads && !key.same(&started, &fresh.values)) out.waiting.emplace_back(key.name);
  }
  if (started.listeners != fresh.values.listeners) out.waiting.emplace_back("listeners");
  if (printed_sign_in(started) != printed_sign_in(fresh.values)) out.waiting.emplace_back("sign_in");
  // The listeners that were started must be able to live with the new values too.
  check_listeners(out.values, out.problems);
  return out;
}

reloader::reloader(parts parts)
    : parts_(std::move(parts)),
      holds_(parts_.started),
      last_{.time = system_now()},
      loaded_(config_reloads(parts_.counters, "loaded")),
      refused_(config_reloads(parts_.counters, "refused")),
      loaded_at_(parts_.counters.make_gauge("svc_config_loaded_timestamp_seconds",
                                            "When the configuration was last loaded, in Unix time")),
      waiting_(parts_.counters.make_gauge("svc_config_keys_waiting_for_restart",
                                          "Changed keys of the configuration that need a restart to take effect")),
      hangups_(parts_.control, SIGHUP) {
  loaded_at_.set(static_cast<double>(last_.time.micros / 1'000'000));
}

void reloader::start() {
  spawn_task(parts_.control, watch_signal());
}

void reloader::stop() {
  boost::system::error_code ignored;
  hangups_.cancel(ignored);
}

std::string reloader::summary() const {
  auto out = "serving on " + parts_.address() + "; configuration " + (last_.refused ? "refused " : "loaded ") +
             to_rfc3339(last_.time);
  if (last_.refused) out += " (see the log), the earlier one stays in effect";
  if (!last_.waiting.empty()) out += "; changed keys that need a restart: " + std::to_string(last_.waiting.size());
  return out;
}

task<> reloader::watch_signal() {
  for (;;) {
    auto const [ec, number] = co_await hangups_.async_wait(awaiting);
    if (ec) co_return;
    co_await reload();
  }
}

/// A service that starts or drains says nothing of it: `ready` would be taken for the end of that.
task<> reloader::reload() {
  if (parts_.serving()) parts_.manager.reloading("reading the configuration again");
  co_await read_again();
  if (parts_.tls != nullptr) parts_.tls->load_at_once();
  if (parts_.serving()) parts_.manager.ready(summary());
}

task<> reloader::read_again() {
  std::vector<std::string> unexpected;
  try {
    auto const fresh = read();
    for (auto const& warning : fresh.warnings) log::warn("the configuration must be changed", {{"reason", warning}});
    auto plan = plan_reload(parts_.started, holds_, fresh);
    last_.time = system_now();
    if (plan.problems.empty())
      co_await take(std::move(plan));
    else
      refuse(plan.problems);
  } catch (std::exception const& e) {
    unexpected.emplace_back(e.what());
  }
  if (!unexpected.empty()) refuse(unexpected);
}

/// The TLS files are checked only where others than those that are loaded are named; these have their own watch.
loaded_configuration reloader::read() const {
  auto fresh = parts_.read(configuration_use::reloading);
  auto const& tls = parts_.started.tls;
  auto const& named = fresh.values.tls;
  bool const others = tls.cert_file != named.cert_file || tls.key_file != named.key_file ||
                      tls.ticket_keys_file != named.ticket_keys_file;
  return others ? parts_.read(configuration_use::serving) : std::move(fresh);
}

task<> reloader::take(reload_plan plan) {
  auto const before = holds_.log_level(), level = plan.values.log_level();
  holds_ = std::move(plan.values);
  last_.refused = false;
  last_.waiting = std::move(plan.waiting);
  co_await parts_.spread(holds_);
  loaded_.add();
  loaded_at_.set(static_cast<double>(last_.time.micros / 1'000'000));
  waiting_.set(static_cast<double>(last_.waiting.size()));
  // These lines appear if either level shows them.
  log::set_level(std::min(before, level));
  log::info("configuration loaded", {{"changed", joined(plan.taken, ", ")}});
  for (auto const& key : last_.waiting) log::warn("a changed key needs a restart to take effect", {{"key", key}});
  log::set_level(level);
}

void reloader::refuse(std::vector<std::string> const& problems) {
  last_.refused = true;
  refused_.add();
  log::error("the configuration cannot be used; the values loaded before stay", {{"reason", joined(problems, "; ")}});
}

}  // namespace svc::app
