// Longer than other files: only this file shows all objects, in the order in which they need each other.

#include "app/application.hpp"

#include "app/admin_service.hpp"
#include "app/migrations/migrator.hpp"
#include "app/monitoring_threads.hpp"
#include "app/process/client_directory.hpp"
#include "app/process/dashboard_directory.hpp"
#include "app/process/descriptors.hpp"
#include "app/process/exit_deadline.hpp"
#include "app/process/inherited_sockets.hpp"
#include "app/process/listener_group.hpp"
#include "app/process/primaries.hpp"
#include "app/process/process_setup.hpp"
#include "app/process/reloader.hpp"
#include "app/process/service_manager.hpp"
#include "app/process/stall_watch.hpp"
#include "app/process/startup_wait.hpp"
#include "app/process/tls_reloader.hpp"
#include "app/process/worker_group.hpp"
#include "svc/access/relay.hpp"
#include "svc/core/build_info.hpp"
#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/net/listener.hpp"
#include "svc/postgres/primary_watch.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace svc::app {
namespace {

/// A database that answers so soon needs no pages from copies.
constexpr std::chrono::seconds patience_of_pages{2};
/// Clients of the API wait so long for the workers' connections to both stores, for example while an instance takes
/// over a socket; then pages are served.
constexpr std::chrono::seconds patience_of_workers{5};

using ready_callback = std::function<void(std::string const&, std::string const&)>;

/// The parts of the process that are given from outside and do not change.
struct surroundings {
  service_manager const& manager;
  configuration_reader read_again;
  ready_callback on_ready;
  /// The sockets of each listener, and at the end of the admin pages; `net::not_inherited` marks a new one.
  std::vector<int> descriptors;
};

/// The whole object graph; each member uses only members above it. The control thread (the caller's) accepts
/// connections, serves the admin pages and waits for signals; the workers do everything else.
class application {
 public:
  application(configuration const& config, surroundings around)
      : config_(config),
        around_(std::move(around)),
        master_(master_keys::from_file(config.master_key_file)),
        redis_(control_, config),
        shared_{config, load_public_contract(), master_, counters_, redis_, config.public_url},
        tls_(config.any_tls() ? std::make_unique<tls_reloader>(control_, config, counters_, shared_.loops) : nullptr),
        run_events_(control_, redis_.output(),
                    shared_.loops.add("live_hub", "control", output::run_event_hub::interval)),
        feed_(control_, redis_.output(), shared_.loops.add("feed_hub", "control", feed::feed_hub::interval),
              counters_),
        dispatch_(control_, redis_.decisions()),
        primaries_(control_, counters_, redis_.decisions().through),
        epoch_subscription_(control_, redis_.decisions(),
                            {[this](std::vector<subject_epoch> const& bumped) { workers_.revalidate(bumped); },
                             [this](std::vector<redis::address> const& masters, std::size_t taken_over) {
                               primaries_.follow(masters, taken_over);
                             }}),
        primary_(control_, config.to_postgres_settings(),
                 [this](postgres::primary_server const& where) { follow(where); }),
        streams_(config.http.streams, shared_.streams_open),
        descriptors_(claim_descriptors(config)),
        monitoring_(shared_, descriptors_),
        passwords_(make_hasher()),
        workers_(make_workers()),
        listeners_(control_, config, workers_, around_.descriptors),
        reloader_(make_reloader_parts()),
        admin_(make_admin_service(
            shared_, reloader_,
            {[this] { return states(); }, [this] { return instances_; }, [this] { return primaries_.to_json(); },
             [this] { return waiting_.sentence(); }, [this] { return master_key_problem_; }})),
        admin_connections_(control_, *admin_, config.to_admin_session_settings(), nullptr),
        admin_listener_(control_, config.admin.address, {.tls = false}, {&admin_connections_},
                        around_.descriptors.back()),
        stall_watch_(control_, counters_, shared_.loops, watched(), monitoring_.watched_mail(), around_.manager),
        signals_(control_, SIGTERM, SIGINT) {
    if (shared_.public_url.empty())
      shared_.public_url = (config.first_public()->tls ? "https://" : "http://") + listeners_.public_address();
    shared_.documents = api::make_contract_documents(shared_.public_url);
    shared_.client = read_client_files(config, shared_.public_url);
    shared_.invalidate = [this](std::vector<subject_epoch> const& touched) { workers_.invalidate(touched); };
    shared_.set_minimum_epoch = [this](std::int64_t lowest_epoch) { workers_.set_minimum_epoch(lowest_epoch); };
    shared_.publish = [this](std::vector<changed_thing> changes) { workers_.first().publish(std::move(changes)); };
    shared_.count_instances = [this] { workers_.first().count_instances(); };
    shared_.show_instances = [this](instance_view seen) {
      asio::post(control_, [this, seen = std::move(seen)]() mutable { instances_ = std::move(seen); });
    };
    shared_.show_master_key = [this](std::string found) {
      asio::post(control_, [this, found = std::move(found)]() mutable { master_key_problem_ = std::move(found); });
    };
    shared_.self = make_identity(listeners_.public_address());
    show_build(counters_);
  }

  int run() {
    shared_.loops.rest();
    admin_listener_.start();
    if (tls_) {
      tls_->start([this](net::tls_context const& tls) { workers_.replace_tls(tls); });
    }
    reloader_.start();
    spawn_task(control_, until_signalled());
    // Waiting for the database blocks; signals and /livez must work during that time.
    std::thread starter(&application::wait_for_stores, this);
    turn_meter turns(steady::now(), {});
    run_turns(control_, turns, control_activity_);
    if (!started_) {
      // The instance has served no more than copies of status pages, and the wait cannot be interrupted.
      log::stop();
      std::_Exit(0);
    }
    starter.join();
    workers_.join();
    monitoring_.join();
    // Its last jobs answer to executors of workers.
    if (passwords_) passwords_->stop();
    return 0;
  }

 private:
  worker_group make_workers() {
    shared_.embedded_pages = embedded_pages(config_);
    shared_.run_events = &run_events_;
    shared_.feed = &feed_;
    shared_.streams = &streams_;
    shared_.check_workers = &monitoring_.checks();
    shared_.provider_tests = &monitoring_.provider_tests();
    shared_.recoveries = &monitoring_.recoveries();
    shared_.subscriptions = &monitoring_.subscriptions();
    shared_.passwords = passwords_.get();
    shared_.identity_providers = &monitoring_.identity_providers();
    shared_.session = settings_within(config_, descriptors_);
    shared_.dispatch = &dispatch_;
    shared_.internal_contract = load_internal_contract();
    return worker_group(shared_, tls_ ? tls_->current() : nullptr, config_.worker_count());
  }

  std::unique_ptr<sign_in::password_hasher> make_hasher() {
    auto const& passwords = config_.passwords;
    if (!passwords.enabled) return nullptr;
    return std::make_unique<sign_in::password_hasher>(passwords.hashing, passwords.rules,
                                                      sign_in::denied_passwords(passwords.denied_file),
                                                      shared_.password_hashes, counters_);
  }

  void follow(postgres::primary_server const& where) {
    auto const& server = primary_.reports()[where.server];
    log::info("the primary of PostgreSQL is known",
              {{"server", server.address.text()}, {"timeline", where.identity.timeline}, {"place", where.server}});
    primaries_.follow(server, where);
    workers_.follow(where);
    monitoring_.follow(where);
  }

  std::vector<watched_thread> watched() {
    auto out = workers_.watched();
    for (auto& thread : monitoring_.watched()) out.push_back(std::move(thread));
    return out;
  }

  reloader::parts make_reloader_parts() {
    return {.control = control_,
            .started = config_,
            .read = around_.read_again,
            .counters = counters_,
            .manager = around_.manager,
            .tls = tls_.get(),
            .spread = [this](configuration const& values) { return workers_.take(values); },
            .serving = [this] { return shared_.accepting.load(); },
            .address = [this] { return listeners_.public_address(); }};
  }

  /// Starts the work on the control thread, after the schema exists: earlier work would only find that tables are
  /// missing.
  void start_work() {
    shared_.schema_fits = true;
    if (!pages_open_) redis_.start();
    run_events_.start();
    feed_.start();
    dispatch_.start();
    epoch_subscription_.start();
    primary_.start();
    if (!pages_open_) workers_.start();
    monitoring_.start();
    stall_watch_.start();
    working_ = true;
  }

  /// Serves status pages from their copies while PostgreSQL is away. Background work and the API wait for the schema.
  task<> open_pages() {
    steady_timer pause(control_, patience_of_pages);
    co_await pause.async_wait(awaiting);
    if (working_ || pages_open_) co_return;
    redis_.start();
    workers_.start();
    show_pages();
  }

  /// Accepts visitors of status pages before the API is open.
  void show_pages() {
    if (!std::exchange(pages_open_, true)) listeners_.start(listener_kind::public_api);
  }

  /// Returns no states before `start_work`, because the state of the stores is not known then.
  std::vector<worker_state> states() { return working_ ? workers_.states() : std::vector<worker_state>(); }

  /// Runs on its own thread until both stores are ready; then posts to the control thread.
  void wait_for_stores() {
    waiting_.show("connecting to PostgreSQL");
    wait_for_schema(
        config_, [](std::string const& sentence) { log::warn(sentence); },
        [this](std::string const& sentence) {
          waiting_.begin(sentence);
          // A database without the schema has no pages.
          if (sentence.starts_with("waiting for PostgreSQL"))
            asio::post(control_, [this] { spawn_task(control_, open_pages()); });
        });
    waiting_.show("connecting to the stores");
    asio::post(control_, [this] { start_work(); });
    wait_for_workers();
    be_counted();
    asio::post(control_, [this] { open(); });
  }

  /// Returns when each worker has both stores. Status pages need only one of them, so they do not wait.
  void wait_for_workers() {
    // The threads have only just started; such a short wait deserves no message.
    auto const soon = deadline::after(std::chrono::seconds(1)), late = deadline::after(patience_of_workers);
    std::string notified;
    for (bool shown = false;;) {
      auto const all = workers_.missing();
      if (std::ranges::none_of(all, &missing_stores::any)) break;
      if (late.passed() && !std::exchange(shown, true)) asio::post(control_, [this] { show_pages(); });
      auto sentence = waiting_sentence(all, redis_.description());
      if (soon.passed() && sentence != notified) waiting_.begin(notified = std::move(sentence));
      std::this_thread::sleep_for(milliseconds(20));
    }
  }

  /// Counts this instance before it serves. Without Redis, the other instances must know it first.
  void be_counted() {
    workers_.first().enroll();
    auto const soon = deadline::after(std::chrono::seconds(1));
    for (bool notified = false; !workers_.first().enrolled(); std::this_thread::sleep_for(milliseconds(2))) {
      if (!soon.passed() || std::exchange(notified, true)) continue;
      waiting_.begin("waiting until the other instances have counted this one, because Redis is not trusted");
    }
  }

  void open() {
    started_ = true;
    waiting_.end();
    shared_.opened = true;
    shared_.accepting = true;
    listeners_.start(pages_open_ ? std::optional(listener_kind::internal_api) : std::nullopt);
    log::info("serving", {{"address", listeners_.public_address()},
                          {"admin", admin_listener_.address()},
                          {"configuration", config_.file},
                          {"workers", workers_.size()},
                          {"version", this_build().version},
                          {"commit", this_build().commit}});
    around_.manager.ready(reloader_.summary());
    if (around_.on_ready) around_.on_ready(listeners_.public_address(), admin_listener_.address());
  }

  task<> until_signalled() {
    co_await signals_.async_wait(awaiting);
    reloader_.stop();
    around_.manager.stopping("draining: requests in progress may finish");
    if (started_) co_await drain();
    control_.stop();
  }

  /// Returns when the condition is true.
  template <class Condition>
  task<> becomes(Condition condition) {
    while (!condition()) {
      pause_.expires_after(milliseconds(5));
      co_await pause_.async_wait(awaiting);
    }
  }

  /// Reports unready at once, and still accepts for the drain delay so that load balancers notice. Then finishes the
  /// running requests. A second signal ends the delay.
  task<> drain() {
    log::info("draining");
    shared_.accepting = false;
    workers_.announce_drain();
    // Other instances take over at once.
    monitoring_.drain_checks();
    signals_.async_wait([this](boost::system::error_code, int) { pause_.cancel(); });
    pause_.expires_after(config_.drain_delay);
    co_await pause_.async_wait(awaiting);
    listeners_.stop();
    auto const until = deadline::after(config_.drain_timeout);
    workers_.drain(until);
    // The admin pages still answer while the workers finish.
    co_await becomes([this] { return workers_.drained(); });
    // No worker ends while another one may still ask it.
    workers_.stop();
    co_await becomes([this] { return workers_.finished(); });
    // Notifications drain only now, because requests of workers may test providers. The notifier claims no more
    // messages.
    monitoring_.drain_notifications(until);
    co_await becomes([this] { return monitoring_.finished(); });
    admin_listener_.stop();
    admin_connections_.close_all();
    co_await admin_connections_.emptied(deadline::after(std::chrono::seconds(1)));
    run_events_.stop();
    feed_.stop();
    dispatch_.stop();
    epoch_subscription_.stop();
    redis_.stop();
    primary_.stop();
    log::info("drained");
  }

  configuration const& config_;
  surroundings around_;
  asio::io_context control_{1};
  loop_activity control_activity_{"control"};
  metrics counters_;
  startup_wait waiting_{around_.manager};
  master_keys master_;
  redis_servers redis_;
  shared_parts shared_;
  std::unique_ptr<tls_reloader> tls_;  ///< null when no listener speaks TLS
  output::run_event_hub run_events_;
  feed::feed_hub feed_;
  dispatch::claim_hub dispatch_;
  primaries primaries_;
  access::epoch_subscriber epoch_subscription_;
  postgres::primary_watch primary_;
  output::stream_slots streams_;
  std::size_t descriptors_;                                                            ///< the process's limit
  instance_view instances_{.count = config_.instances, .divisor = config_.instances};  ///< control thread only
  std::string master_key_problem_{};  ///< empty if the key file fits; control thread only
  monitoring_threads monitoring_;
  std::unique_ptr<sign_in::password_hasher> passwords_;  ///< null if nobody signs in with a password
  worker_group workers_;
  listener_group listeners_;
  reloader reloader_;
  std::unique_ptr<http::service> admin_;
  net::worker_connections admin_connections_;
  net::listener admin_listener_;
  stall_watch stall_watch_;
  asio::basic_signal_set<executor> signals_;
  steady_timer pause_{control_};
  bool working_ = false;     ///< control thread only: the workers run
  bool pages_open_ = false;  ///< control thread only: status pages are served already
  bool started_ = false;     ///< control thread only: the instance has served
};

}  // namespace

int serve(configuration const& config, configuration_reader read_again, ready_callback on_ready) {
  forbid_dumps();
  ignore_signals();
  if (!set_failpoints()) return 2;
  auto const manager = service_manager::from_environment();
  auto descriptors = descriptors_for(listener_names(config), take_inherited());
  log::start(config.log_level());
  std::optional<exit_deadline> latest;
  int code = 0;
  {
    application app(config, {manager, std::move(read_again), std::move(on_ready), std::move(descriptors)});
    // The deadline's handler is set after the application's own handler of signals: until then a signal ends the
    // process at once.
    latest.emplace(config.drain_delay + config.drain_timeout + exit_deadline::slack);
    code = app.run();
  }
  log::stop();
  return code;
}

}  // namespace svc::app
