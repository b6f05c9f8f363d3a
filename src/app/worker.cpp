#include "app/worker.hpp"

#include "app/process/dashboard_directory.hpp"
#include "app/process/worker_gauges.hpp"
#include "app/process/worker_settings.hpp"
#include "svc/core/build_info.hpp"
#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/core/thread_name.hpp"
#include "svc/monitoring/scheduler/suppression_meter.hpp"
#include "svc/store/tokens/outbox_store.hpp"

#include <array>
#include <exception>

namespace svc::app {
namespace {

constexpr std::chrono::seconds watch_interval{1};
constexpr std::chrono::seconds use_interval{10};
constexpr std::chrono::seconds use_patience{2};
constexpr milliseconds sign_off_patience{500};

}  // namespace

worker::worker(shared_parts& shared, net::tls_context tls, int index)
    : turns_(steady::now(), {}),
      activity_("worker-" + std::to_string(index)),
      index_(index),
      shared_(shared),
      bodies_(shared.request_bytes, shared.config.http.bodies.worker),
      queue_(
          io_, shared.config.http.queue_time, [this](auto now) { return db_.queue_time(now); }, shared.counters,
          std::to_string(index)),
      loops_{shared.loops, io_, std::to_string(index), [this] { return !stopping_ && shared_.schema_fits; }},
      redis_(io_, without_gaps(shared.redis.decisions()), all_scripts(),
             announce_store(redis_up_, "redis", index, stopping_)),
      output_redis_(io_, shared.redis.output(), page_serving::scripts()),
      db_(io_, database(shared), announce_store(postgres_up_, "postgres", index, stopping_)),
      master_(shared.master),
      stores_{{io_, db_, master_, shared.config.quotas,
               store::queue_gate(queue_bounds(shared.config, shared.sharing)),
               std::chrono::duration_cast<std::chrono::seconds>(shared.config.runners.lease),
               std::chrono::ceil<std::chrono::seconds>(shared.config.runners.first_lease),
               shared.config.runners.max_per_project, shared.config.to_session_times()}},
      auth_reader_(db_, shared.config.to_session_times().idle),
      authenticator_(io_, redis_, auth_reader_, shared.config.to_read_rates()),
      admission_(redis_),
      fallback_(io_, shared.sharing, shared.config.redis.deadline),
      advancer_(db_),
      change_maintenance_({redis_, fallback_, authenticator_, stores_.outbox,
                           [&shared](std::vector<subject_epoch> const& touched) { shared.invalidate(touched); },
                           shared.relayed, loops_, index}),
      instances_({db_, redis_, fallback_.redis(), shared, loops_}),
      uses_(stores_.last_uses, stores_.sessions),
      changes_(
          redis_, stores_.outbox, access::longest_hold(shared.redis.decisions()), &authenticator_,
          shared.counters.make_counter("svc_epoch_raise_failures_total", "Epochs that Redis did not take in time")),
      output_budget_(output_redis_,
                     {shared.config.output.memory_share, static_cast<std::int64_t>(shared.config.output.memory)},
                     shared.counters),
      writer_(output_redis_, shared.config.output.limits, &output_budget_),
      subscriptions_(io_, *shared.run_events, stores_.runs,
                     shared.loops.add("run_poll", std::to_string(index), output::subscriptions::interval)),
      watch_(io_, stores_.runs, subscriptions_, writer_),
      archive_(io_, output_redis_, stores_.outputs, shared.output_texts),
      streams_({io_, output_redis_, subscriptions_, archive_, stores_.runs, *shared.streams,
                shared.counters.make_gauge("svc_streams", "Streams of runs that are being sent"),
                shared.config.output.heartbeat}),
      feed_(io_, output_redis_, shared.counters),
      audiences_(io_, *shared.feed, shared.counters),
      output_maintenance_(
          {output_redis_, stores_.outputs, writer_, output_budget_, shared.config, shared.counters, index, loops_}),
      dispatch_(
          io_, *shared.dispatch, redis_,
          [this](std::vector<uuid> runs, deadline until) { return stores_.runners.changed(std::move(runs), until); },
          shared.loops.add("dispatch_poll", std::to_string(index), dispatch::dispatcher::interval)),
      maintenance_({db_, writer_, watch_, dispatch_, feed_, stores_.needs.gate, shared.config, shared.counters,
                    loops_of_service(shared)}),
      heartbeats_({stores_.hearts, shared.counters, loops_of_service(shared)}),
      store_maintenance_({stores_, store::run_partition_width(shared.config.retention.runs_age), loops_}),
      page_maintenance_({stores_.page_upkeep, feed_, loops_}),
      window_maintenance_({stores_.occurrences, feed_, loops_}),
      names_(io_, shared.config.to_resolver_settings()),
      domain_maintenance_({stores_.status_pages, names_, loops_}),
      key_check_({db_, shared.config.master_key_file, shared.counters, loops_,
                  [&shared](std::string found) { shared.show_master_key(std::move(found)); }}),
      health_{shared.accepting,
              [this] {
                return std::vector<api::dependency>{{"redis", redis_.connected() && fallback_.refusal().empty()},
                                                    {"postgres", db_.healthy()}};
              },
              std::string(this_build().version), [&shared] { return check_health_of(shared.checks); }},
      limits_(shared.config.limits),
      outside_(shared.config.http.outside_waits, &shared.outside_waits),
      answers_(io_, stores_.requests),
      scripts_(io_, &shared.script_texts),
      sign_in_(shared.config.to_session_times(),
               {.hasher = shared.passwords,
                .windows = access::attempt_windows(admission_, fallback_, limits_, [this] { return database_now(); }),
                .cookies = sign_in::cookie_sealer(master_),
                .now = [this] { return database_now(); },
                .providers = *shared.identity_providers,
                .sends_mail = !shared.config.smtp.url.empty(),
                .recoveries = *shared.recoveries},
               shared.counters),
      pages_(shared.config.dashboard.enabled, page_source(shared.config, shared.embedded_pages), shared.counters),
      status_pages_({shared, io_, db_, stores_, output_redis_, bodies_, limits_,
                     access::attempt_windows(admission_, fallback_, limits_, [this] { return database_now(); }),
                     [this] { return database_now(); }, loops_of_service(shared)}),
      windows_(redis_, fallback_),
      limit_views_(io_, stores_, windows_, limits_),
      views_(io_, stores_, shared.counters),
      services_{stores_,
                watch_,
                streams_,
                archive_,
                dispatch_,
                changes_,
                health_,
                shared.public_url,
                limits_,
                outside_,
                answers_,
                *shared.check_workers,
                *shared.provider_tests,
                shared.documents,
                shared.monitor_rules,
                shared.responses,
                scripts_,
                shared.client,
                sign_in_,
                pages_,
                limit_views_,
                views_,
                {feed_, audiences_, [this] { return database_now(); }},
                names_},
      internal_services_{stores_.runners, writer_, dispatch_, feed_, shared.responses},
      pipeline_(api::make_pipeline({shared.contract,
                                    services_,
                                    authenticator_,
                                    admission_,
                                    fallback_,
                                    advancer_,
                                    uses_,
                                    shared.counters,
                                    bodies_,
                                    queue_.shedder(),
                                    shared.config.http.json_values,
                                    shared.config.http.deadline,
                                    shared.config.http.in_flight,
                                    shared.config.cors_origins,
                                    shared.config.to_read_rates().seen,
                                    [this](auto const& owner, auto now) { return db_.queue_time(owner, now); },
                                    shared.config.http.queue_time,
                                    [this] { return db_.stats().waiting != 0; },
                                    &shared.config.public_url,
                                    &status_pages_.site(),
                                    [&shared] { return !shared.opened; }})),
      internal_(runner_api::make_pipeline({.contract = shared.internal_contract,
                                           .use = internal_services_,
                                           .authenticator = authenticator_,
                                           .admission = admission_,
                                           .fallback = fallback_,
                                           .limits = limits_,
                                           .load = queue_.shedder(),
                                           .counters = shared.counters,
                                           .bodies = bodies_,
                                           .most_json_values = shared.config.http.json_values,
                                           .request_deadline = shared.config.http.deadline,
                                           .max_in_flight = shared.config.http.in_flight,
                                           .unseen_reads = shared.config.to_read_rates().unseen})),
      connections_(io_, *pipeline_, shared.session, tls, shared.config.to_forwarding(), shared.connections),
      internal_connections_(io_, *internal_, shared.session, std::move(tls), shared.config.to_forwarding(),
                            shared.internal_connections),
      gauges_(std::make_unique<worker_gauges>(shared.counters, index)) {
  stores_.triggers.on_queued([this](uuid project, uuid job, uuid run) { feed_.note_queued(project, job, run); });
  stores_.hearts.when_decided([this](std::vector<changed_thing> const& changes) { feed_.note(changes); });
  stores_.hearts.when_suppressed(scheduler::count_suppressed(shared.counters));
  changes_.measure(shared.counters.make_histogram("revocation_propagation_seconds",
                                                  "Time from COMMIT until Redis holds the epochs of a change"));
}

timestamp worker::database_now() const {
  return authenticator_.clock().now().value_or(system_now());
}

worker::~worker() = default;

loop_starter worker::loops_of_service(shared_parts& shared) {
  return {shared.loops, io_, std::to_string(index_), [this, &shared] { return shared.accepting && !stopping_; }};
}

std::vector<redis::script const*> worker::all_scripts() const {
  auto scripts = access::scripts();
  scripts.push_back(&access::admission::script());
  scripts.push_back(&access::instance_list::script());
  scripts.push_back(&access::window_reader::script());
  return scripts;
}

/// Each worker's first session of a timeline gives all workers the lowest valid epoch.
postgres::settings worker::database(shared_parts const& shared) {
  auto out = shared.config.to_postgres_settings();
  out.connections = &shared.database;
  // One project's waiting requests leave a quarter of the places of requests to others.
  out.max_waiting_of_project = shared.config.http.in_flight - shared.config.http.in_flight / 4;
  store::begin_timelines(out, [&shared, this](std::int64_t lowest_epoch) {
    authenticator_.set_minimum_epoch(lowest_epoch);
    shared.set_minimum_epoch(lowest_epoch);
  });
  return out;
}

void worker::start() {
  // Once at the start too, so that the first second is not shown as zeros.
  spawn_task(io_, show_state());
  loops_.start("worker_state", watch_interval, this, &worker::show_state);
  loops_.start("last_uses", use_interval, this, &worker::record_uses);
  loops_.start("check_answers", scheduler::check_answers::interval, &answers_, &scheduler::check_answers::look);
  change_maintenance_.start();
  // Nobody waits for a lost Redis: the requests that wait for a late reply are decided here.
  fallback_.when_lost([this] {
    redis_.give_up();
    shared_.count_instances();
  });
  output_maintenance_.start();
  // One worker does this for the whole instance.
  if (index_ == 0) {
    store_maintenance_.start();
    page_maintenance_.start();
    window_maintenance_.start();
    domain_maintenance_.start();
    status_pages_.start();
    maintenance_.start();
    heartbeats_.start();
    key_check_.start();
    instances_.start();
  }
  thread_ = std::thread(&worker::run, this);
}

void worker::run() {
  name_this_thread(activity_.name());
  redis_.start();
  output_redis_.start();
  db_.start();
  run_turns(io_, turns_, activity_);
  finished_ = true;
}

void worker::enroll() {
  asio::post(io_, [this] { instances_.enroll(); });
}

void worker::count_instances() {
  asio::post(io_, [this] { instances_.hurry(); });
}

watched_thread worker::watched() {
  return {.activity = &activity_,
          .resource = "requests",
          .finished = [this] { return finished(); },
          .ask_turn = [this] { asio::post(io_, [] {}); },
          .index = index_,
          .vital = true};
}

task<> worker::show_state() {
  stores_.needs.gate.change(queue_bounds(shared_.config, shared_.sharing));
  auto const& redis = redis_.stats();
  auto const db = db_.stats();
  gauges_->redis_commands.raise_to(static_cast<double>(redis.commands));
  gauges_->redis_missed.raise_to(static_cast<double>(redis.missed));
  gauges_->redis_refusals.raise_to(static_cast<double>(fallback_.refusals()));
  gauges_->redis_writes.raise_to(static_cast<double>(redis.writes));
  gauges_->redis_up.set(redis_.connected() ? 1 : 0);
  gauges_->redis_trusted.set(redis_trusted() ? 1 : 0);
  gauges_->db_queries.raise_to(static_cast<double>(db.queries));
  gauges_->db_timeouts.raise_to(static_cast<double>(db.timeouts));
  gauges_->db_busy.set(db.busy);
  gauges_->db_abandoned.set(db.abandoned);
  gauges_->db_read_only.set(db.read_only ? 1 : 0);
  gauges_->db_waiting.set(db.waiting);
  gauges_->db_up.set(db_.healthy() ? 1 : 0);
  gauges_->connections.set(static_cast<double>(load()));
  gauges_->show(turns_);
  gauges_->body_bytes.set(static_cast<double>(bodies_.held()));
  gauges_->bodies_refused.raise_to(static_cast<double>(bodies_.refused()));
  auto const outer = connections_.turned(), inner = internal_connections_.turned();
  gauges_->turned_away[0].raise_to(static_cast<double>(outer.address + inner.address));
  gauges_->turned_away[1].raise_to(static_cast<double>(outer.user + inner.user));
  gauges_->turned_away[2].raise_to(static_cast<double>(outer.room + inner.room));
  co_return;
}

task<> worker::record_uses() {
  co_await uses_.flush(deadline::after(use_patience));
}

void worker::invalidate(std::vector<subject_epoch> touched) {
  asio::post(io_, [this, touched = std::move(touched)] {
    authenticator_.invalidate(touched);
    streams_.revalidate(touched);
  });
}

void worker::set_minimum_epoch(std::int64_t lowest_epoch) {
  asio::post(io_, [this, lowest_epoch] { authenticator_.set_minimum_epoch(lowest_epoch); });
}

void worker::revalidate(std::vector<subject_epoch> bumped) {
  asio::post(io_, [this, raised = std::move(bumped)] { streams_.revalidate(raised); });
}

void worker::follow(postgres::primary_server where) {
  asio::post(io_, [this, where] {
    if (!stopping_) db_.follow(where);
  });
}

void worker::replace_tls(net::tls_context tls) {
  asio::post(io_, [this, tls = std::move(tls)] {
    connections_.replace_tls(tls);
    internal_connections_.replace_tls(tls);
  });
}

void worker::take(limit_table limits, http::forwarding forwarding, std::function<void()> taken) {
  asio::post(io_, [this, limits, forwarding = std::move(forwarding), taken = std::move(taken)] {
    limits_ = limits;
    connections_.replace_forwarding(forwarding);
    internal_connections_.replace_forwarding(forwarding);
    taken();
  });
}

void worker::announce_drain() {
  asio::post(io_, [this] {
    connections_.announce_drain();
    internal_connections_.announce_drain();
    watch_.drain();
    answers_.drain();
    dispatch_.drain();
  });
}

void worker::drain(deadline until) {
  asio::post(io_, [this, until] { spawn_task(io_, finish(until)); });
}

net::worker_connections& worker::connections(listener_kind kind) {
  return kind == listener_kind::internal_api ? internal_connections_ : connections_;
}

task<> worker::finish_connections(deadline until) {
  std::array const all{&connections_, &internal_connections_};
  for (auto* each : all) each->drain();
  for (auto* each : all) co_await each->emptied(until);
  if (load() == 0) co_return;
  log::warn("the drain timeout passed; closing the remaining connections", {{"connections", load()}});
  for (auto* each : all) each->close_all();
  for (auto* each : all) co_await each->emptied(deadline::after(std::chrono::seconds(1)));
}

task<> worker::finish(deadline until) {
  co_await finish_connections(until);
  try {
    co_await uses_.flush(deadline::after(use_patience));
  } catch (std::exception const& e) {
    log::warn("the last uses of tokens could not be written", {{"worker", index_}, {"why", e.what()}});
  }
  if (index_ == 0) co_await instances_.leave(deadline::after(sign_off_patience));
  drained_ = true;
}

void worker::stop() {
  asio::post(io_, [this] {
    stopping_ = true;
    redis_.stop();
    output_redis_.stop();
    db_.stop();
    // Only handlers of closed connections are still queued; nothing new can start.
    asio::post(io_, [this] { io_.stop(); });
  });
}

void worker::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace svc::app
