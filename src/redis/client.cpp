#include "svc/redis/client.hpp"

#include "redis/link.hpp"
#include "redis/route.hpp"
#include "redis/suspended.hpp"
#include "svc/core/random.hpp"

#include <boost/asio/co_spawn.hpp>

#include <charconv>

namespace svc::redis {

namespace {

/// The least time between two replacements by `reconnect`.
constexpr std::chrono::seconds shortest_stay{1};

/// Waits for one reply.
class one_reply final : public suspended {
  using suspended::suspended;
};

/// The deadline of a command: its own limit within the request's. Empty if the request's has passed: the command is
/// not sent.
std::optional<deadline> command_end(deadline until, steady::duration limit) {
  auto const now = steady::now();
  if (until.at() <= now) return std::nullopt;
  return deadline(std::min(until.at(), now + limit));
}

}  // namespace

/// The client's implementation: opens one link after the other until `stop`. Worker-local; shared by the client and
/// the coroutine that reconnects.
class client::connection : public std::enable_shared_from_this<connection> {
 public:
  connection(asio::io_context& io, settings where, std::vector<script const*> scripts,
             std::function<void(bool)> on_change);

  void start();
  void stop();
  void reconnect();
  /// Neither callback is called from now on.
  void forget_listeners() { on_change_ = nullptr, lost_ = nullptr; }
  void on_loss(std::function<void()> lost) { lost_ = std::move(lost); }
  bool connected() const { return connected_; }
  task<bool> wait_connected(deadline until);

  /// False: `unsent`.
  bool submit(command_parts const& parts, waiter& who);
  /// Submits a command and ignores its reply.
  void submit(command_parts const& parts);

  asio::io_context& io() { return io_; }
  settings const& where() const { return where_; }
  statistics const& stats() const { return counters_; }
  std::string const& last_fault() const { return last_fault_; }

 private:
  task<> run();
  task<bool> use(address to, backoff& pause);
  void leave(char const* why);
  void change(bool connected);
  void tell(bool connected);

  asio::io_context& io_;
  settings const where_;
  std::vector<script const*> const scripts_;
  std::string const database_;
  std::function<void(bool)> on_change_;
  std::function<void()> lost_;
  std::optional<tls_context> tls_;
  statistics counters_;
  std::shared_ptr<link> link_;  // null before the first attempt
  std::shared_ptr<route> const route_;
  std::vector<steady_timer*> watchers_;  // in the frames of wait_connected
  std::string last_fault_;
  bool connected_ = false;
  bool told_ = false;       // what `on_change` was last called with
  bool replacing_ = false;  // the link was closed to be replaced, which is not reported
  steady::time_point replaced_at_{};
  bool ever_connected_ = false;
  bool started_ = false;
  bool stopped_ = false;
};

client::connection::connection(asio::io_context& io, settings where, std::vector<script const*> scripts,
                               std::function<void(bool)> on_change)
    : io_(io),
      where_(std::move(where)),
      scripts_(std::move(scripts)),
      database_(std::to_string(where_.database)),
      on_change_(std::move(on_change)),
      route_(std::make_shared<route>(io, where_)) {
  if (where_.tls) tls_.emplace(where_.tls_ca_file);
}

void client::connection::start() {
  if (started_ || stopped_) return;
  started_ = true;
  route_->start([this] { leave("the primary has changed"); });
  // `run` throws only because of a bug or exhausted memory, which must not go unnoticed.
  asio::co_spawn(io_, run(), [self = shared_from_this()](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
}

task<> client::connection::run() {
  backoff pause = reconnect_pause;
  while (!stopped_) {
    bool quiet = false;
    if (auto const to = co_await route_->next()) {
      quiet = co_await use(*to, pause);
    } else if (!stopped_) {
      last_fault_ = route_->fault();
    }
    change(false);
    if (lost_) lost_();
    if (!quiet) tell(false);
    if (stopped_) break;
    co_await route_->rest(pause.next(random_fraction()));
  }
}

/// One link, from opening to its end. True when another one replaces it, which is not reported.
task<bool> client::connection::use(address to, backoff& pause) {
  auto const current = std::make_shared<link>(io_, where_, std::move(to), tls_ ? &*tls_ : nullptr, counters_);
  link_ = current;
  if (co_await current->open(handshake_steps(where_, database_, scripts_)) && !stopped_) {
    pause.reset();
    change(true);
    tell(true);
    co_await current->serve();
  }
  current->close({});
  last_fault_ = current->fault();
  co_return std::exchange(replacing_, false) || current->read_only();
}

void client::connection::stop() {
  stopped_ = true;
  route_->stop();
  if (link_) link_->close("stopped");
  change(false);
  tell(false);
  for (auto* watcher : watchers_) watcher->cancel();
}

void client::connection::reconnect() {
  auto const now = steady::now();
  if (!connected_ || now - replaced_at_ < shortest_stay) return;
  replaced_at_ = now;
  leave("another connection is wanted");
}

/// Closes the link, open or not yet.
void client::connection::leave(char const* why) {
  replacing_ = connected_;
  change(false);
  link_->close(why);
}

void client::connection::tell(bool connected) {
  if (std::exchange(told_, connected) != connected && on_change_) on_change_(connected);
}

void client::connection::change(bool connected) {
  if (connected_ == connected) return;
  connected_ = connected;
  if (connected) {
    if (ever_connected_) ++counters_.reconnects;
    ever_connected_ = true;
    for (auto* watcher : watchers_) watcher->cancel();
  }
}

task<bool> client::connection::wait_connected(deadline until) {
  auto const self = shared_from_this();
  while (!connected_ && !stopped_ && !until.passed()) {
    steady_timer watcher(io_, until.at());
    watchers_.push_back(&watcher);
    co_await watcher.async_wait(awaiting);
    std::erase(watchers_, &watcher);
  }
  co_return connected_;
}

bool client::connection::submit(command_parts const& parts, waiter& who) {
  if (connected_) return link_->submit(parts, &who);
  who.result.how = delivery::unsent;
  ++counters_.unsent;
  return false;
}

void client::connection::submit(command_parts const& parts) {
  if (connected_) link_->submit(parts, nullptr);
}

client::client(asio::io_context& io, settings where, std::vector<script const*> scripts,
               std::function<void(bool)> on_change)
    : impl_(std::make_shared<connection>(io, std::move(where), std::move(scripts), std::move(on_change))) {}

client::~client() {
  impl_->forget_listeners();
  impl_->stop();
}

void client::start() {
  impl_->start();
}
void client::stop() {
  impl_->stop();
}
void client::reconnect() {
  impl_->reconnect();
}
bool client::connected() const {
  return impl_->connected();
}
void client::on_loss(std::function<void()> lost) {
  impl_->on_loss(std::move(lost));
}
task<bool> client::wait_connected(deadline until) {
  return impl_->wait_connected(until);
}
asio::io_context& client::context() const {
  return impl_->io();
}
statistics const& client::stats() const {
  return impl_->stats();
}
std::string const& client::last_fault() const {
  return impl_->last_fault();
}

task<outcome> client::command(std::span<std::string_view const> arguments, deadline until) {
  auto const end = command_end(until, impl_->where().command_deadline);
  if (!end) co_return outcome{};
  one_reply self(*end);
  if (impl_->submit({.head = arguments}, self)) co_await self.resumed();
  co_return std::move(self.result);
}

task<outcome> client::evaluate(script const& what, std::span<std::string_view const> keys,
                               std::span<std::string_view const> arguments, deadline until) {
  auto const end = command_end(until, impl_->where().command_deadline);
  if (!end) co_return outcome{};
  std::array<char, 24> digits;
  auto const digits_end = std::to_chars(digits.data(), digits.data() + digits.size(), keys.size()).ptr;
  std::string_view const count(digits.data(), static_cast<std::size_t>(digits_end - digits.data()));
  std::array<std::string_view, 3> const call{"EVALSHA", what.sha(), count};

  one_reply first(*end);
  if (impl_->submit({call, keys, arguments}, first)) co_await first.resumed();
  if (first.result.value.error_code() != "NOSCRIPT") co_return std::move(first.result);

  // Both go in this order over one connection: the script is loaded when EVALSHA runs, without a second round trip.
  std::array<std::string_view, 3> const load{"SCRIPT", "LOAD", what.body()};
  impl_->submit({.head = load});
  one_reply second(*end);
  if (impl_->submit({call, keys, arguments}, second)) co_await second.resumed();
  co_return std::move(second.result);
}

}  // namespace svc::redis
