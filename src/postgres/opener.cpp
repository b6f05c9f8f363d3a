#include "postgres/opener.hpp"

#include "svc/core/spawn_task.hpp"

namespace svc::postgres {

namespace {

/// After this time, the next server is tried in addition to a silent one. It is longer than a session with TLS takes
/// to open over a long distance; otherwise standbys would be asked for nothing.
constexpr milliseconds head_start{250};
/// Entering a new timeline may rewrite a large table, which no statement of a request does. Who is served meanwhile
/// waits for it.
constexpr std::chrono::seconds entry_patience{120};
/// The COMMIT waits for no standby: a new primary may have none yet, and reads must go on. What is lost with a
/// further promotion is done again on that timeline.
constexpr statement entry_settings{"entry_settings",
                                   "SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, "
                                   "true), set_config('synchronous_commit', 'local', true)",
                                   true};

}  // namespace

/// Attempts of which the first good one wins. The coroutine that started them sleeps on the timer; each attempt wakes
/// it.
struct opener::race {
  explicit race(asio::io_context& io) : changed(io) {}
  steady_timer changed;
  std::unique_ptr<connection> won{};
  std::string reason{};
  int running = 0, ended = 0;
  bool silent = false, superseded = false, over = false;

  bool decided() const { return won || superseded; }
};

opener::opener(asio::io_context& io, settings settings)
    : io_(io), settings_(std::move(settings)), servers_(servers_of(std::string(settings_.url.reveal()).c_str())) {}

task<opener::outcome> opener::open() {
  auto const run = std::make_shared<race>(io_);
  std::erase_if(races_, [](auto const& old) { return old.expired(); });
  races_.push_back(run);
  auto const order = order_of(servers_.size(), good_);
  for (std::size_t next = 0; next < order.size() && !run->decided(); ++next) {
    ++run->running;
    auto const ended = run->ended;
    bool const last = next + 1 == order.size();
    // The attempts end by themselves, but a look-up of names may take longer than it should.
    run->changed.expires_after(last ? settings_.connect_timeout + head_start : head_start);
    spawn_task(io_, attempt(shared_from_this(), run, order[next]));
    // A failure gives the next server its turn early; after the last one all that still run are waited for.
    while (!run->decided() && (last ? run->running > 0 : run->ended == ended) &&
           steady::now() < run->changed.expiry())
      co_await run->changed.async_wait(awaiting);
  }
  run->over = true;
  if (run->running > 0 && !run->decided()) run->silent = true;
  if (run->reason.empty()) run->reason = "PostgreSQL: no connection in time";
  co_return outcome{std::move(run->won), std::move(run->reason), run->silent, run->superseded};
}

task<> opener::attempt(std::shared_ptr<opener> self, std::shared_ptr<race> race, std::size_t server) {
  std::string reason;
  try {
    auto made = co_await self->greet(server, deadline::after(self->settings_.connect_timeout));
    if (!race->over && !race->decided()) {
      self->good_ = server;
      race->won = std::move(made);
    }
  } catch (deadline_passed const& late) {
    reason = late.what();
    race->silent = race->silent || server == self->good_;
  } catch (std::exception const& e) {
    reason = e.what();
  }
  if (!reason.empty()) race->reason += (race->reason.empty() ? "" : "; ") + reason;
  --race->running;
  ++race->ended;
  race->changed.cancel();
}

/// A session with its server's identity. Throws `unavailable` for a former primary too.
task<std::unique_ptr<connection>> opener::greet(std::size_t server, deadline until) {
  bool const asks = identifies_;
  auto session = co_await open_session(io_, settings_, servers_[server], session_target::chosen, until);
  auto made = std::make_unique<connection>(io_, std::move(session), settings_);
  if (!asks) co_return made;
  auto const identity = (co_await identify(*made, until)).identity;
  made->set_server(identity);
  if (made->now() == pipeline::phase::broken) {
    identifies_ = false;
    co_return co_await greet(server, until);
  }
  if (identity.is_before(newest_))
    throw unavailable("PostgreSQL: " + servers_[server].text() + ": " + why_former(identity));
  if (!settings_.entry.ask.name.empty() && identity.timeline != 0 && identity != entered_) co_await enter(*made);
  if (newest_.is_before(identity) || !newest_.known()) newest_ = identity;
  co_return made;
}

/// Throws `unavailable` when the server's timeline cannot be entered.
task<> opener::enter(connection& connection) {
  auto const identity = connection.server();
  auto const until = deadline::after(entry_patience);
  query const patient{entry_settings, parameters(std::to_string(milliseconds(entry_patience).count()))};
  query const ask{settings_.entry.ask, parameters(identity.system, identity.timeline)};
  auto begun = co_await connection.run({&patient, 1}, framing::begins, until);
  if (begun) begun = co_await connection.run({&ask, 1}, framing::commits, until);
  constexpr std::string_view undefined_function = "42883";
  if (!begun && begun.error().sqlstate == undefined_function) {
    co_await connection.run({}, framing::rolls_back, until);
    co_return;
  }
  if (!begun)
    throw unavailable("PostgreSQL: the server's timeline cannot be entered: " + begun.error().sqlstate + " " +
                      begun.error().message);
  entered_ = identity;
  if (settings_.entry.entered) settings_.entry.entered(begun->front().front().integer(0));
}

std::string opener::why_former(server_identity const& old) const {
  return "a former primary: it writes timeline " + std::to_string(old.timeline) + ", and timeline " +
         std::to_string(newest_.timeline) + " exists";
}

bool opener::follow(primary_server const& where) {
  if (where.identity.is_before(newest_) || where.server >= servers_.size()) return false;
  newest_ = where.identity;
  if (std::exchange(good_, where.server) == where.server) return false;
  for (auto const& weak : races_)
    if (auto const run = weak.lock(); run && !run->over) {
      run->superseded = true;
      run->changed.cancel();
    }
  return true;
}

}  // namespace svc::postgres
