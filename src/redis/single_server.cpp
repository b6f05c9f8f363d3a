#include "redis/single_server.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/core/random.hpp"
#include "svc/core/spawn_task.hpp"

namespace svc::redis {

namespace {

/// The least time between two replacements by `reconnect`.
constexpr std::chrono::seconds shortest_stay{1};

}  // namespace

single_server::single_server(asio::io_context& io, settings where, std::vector<script const*> scripts,
                             std::function<void(bool)> on_change)
    : backend(io, std::move(where), std::move(scripts), std::move(on_change)),
      route_(std::make_shared<route>(io, where_)) {}

void single_server::start() {
  if (started_ || stopped_) return;
  started_ = true;
  route_->start([this] { leave("the primary has changed"); });
  auto const self = std::static_pointer_cast<single_server>(shared_from_this());
  spawn_task(io_, keep_running(
                      "the connection to Redis", [self] { return !self->stopped_; },
                      [self] { self->give_up_connection(); }, [self] { return self->run(); }));
}

void single_server::give_up_connection() {
  if (connection_) connection_->close("it failed inside");
  change(false);
  lose();
  notify(false);
}

task<> single_server::run() {
  backoff pause = reconnect_pause;
  while (!stopped_) {
    bool quiet = false;
    if (auto const address = co_await route_->next()) {
      quiet = co_await use(*address, pause);
    } else if (!stopped_) {
      last_fault_ = route_->fault();
    }
    change(false);
    lose();
    if (!quiet) notify(false);
    if (stopped_) break;
    co_await route_->rest(pause.next(random_fraction()));
  }
}

/// One link, from opening to its end. True when another one replaces it, which is not reported.
task<bool> single_server::use(address address, backoff& pause) {
  auto const current = make_connection(std::move(address));
  connection_ = current;
  if (co_await current->open(steps()) && !stopped_) {
    SVC_FAILPOINT("redis.connected");
    pause.reset();
    change(true);
    notify(true);
    co_await current->serve();
  }
  current->close({});
  last_fault_ = current->fault();
  co_return std::exchange(replacing_, false) || current->read_only();
}

void single_server::stop() {
  stopped_ = true;
  route_->stop();
  if (connection_) connection_->close("stopped");
  change(false);
  notify(false);
  wake();
}

void single_server::reconnect() {
  auto const now = steady::now();
  if (!connected() || now - replaced_at_ < shortest_stay) return;
  replaced_at_ = now;
  leave("another connection is wanted");
}

/// Closes the link, open or not yet.
void single_server::leave(char const* reason) {
  replacing_ = connected();
  change(false);
  connection_->close(reason);
}

void single_server::give_up() {
  if (connection_) connection_->give_up();
}

bool single_server::submit(command_parts const& parts, waiter& waiter) {
  if (connected()) return connection_->submit(parts, &waiter);
  waiter.result.state = delivery::unsent;
  ++counters_.unsent;
  return false;
}

task<outcome> single_server::command(std::span<std::string_view const> arguments, deadline until) {
  auto const times = times_of(until, where_, reply_wait::prompt, steady::now());
  if (!times) co_return outcome{};
  one_reply self(times->end);
  if (submit({.head = arguments}, self)) co_await self.resumed();
  co_return std::move(self.result);
}

task<outcome> single_server::evaluate(script const& script, std::span<std::string_view const> keys,
                                      std::span<std::string_view const> arguments, deadline until, reply_wait wait) {
  auto const times = times_of(until, where_, wait, steady::now());
  if (!times) co_return outcome{};
  evalsha_head const call(script, keys.size());

  one_reply first(times->end, times->late);
  if (submit({call.words(), keys, arguments}, first)) co_await first.resumed();
  if (first.result.value.error_code() != "NOSCRIPT") co_return std::move(first.result);

  // Both go in this order over one connection: the script is loaded when EVALSHA runs, without a second round trip.
  std::array<std::string_view, 3> const load{"SCRIPT", "LOAD", script.body()};
  if (connected()) connection_->submit({.head = load}, nullptr);
  one_reply second(times->end, times->late);
  if (submit({call.words(), keys, arguments}, second)) co_await second.resumed();
  co_return std::move(second.result);
}

}  // namespace svc::redis
