#include "svc/redis/subscriber.hpp"

#include "redis/channel.hpp"
#include "redis/conversation.hpp"
#include "redis/resp.hpp"
#include "redis/route.hpp"
#include "svc/core/random.hpp"

#include <boost/asio/co_spawn.hpp>

#include <set>

namespace svc::redis {
namespace {

/// A PING is sent at this interval; a connection that receives nothing for two intervals is closed.
constexpr std::chrono::seconds ping_interval{3};

}  // namespace

/// Shared by the subscriber and its own pending operations.
class subscriber::connection : public std::enable_shared_from_this<connection> {
 public:
  connection(asio::io_context& io, settings where, listener& to)
      : io_(io),
        where_(std::move(where)),
        database_(std::to_string(where_.database)),
        to_(&to),
        route_(std::make_shared<route>(io, where_)) {
    if (where_.tls) tls_.emplace(where_.tls_ca_file);
  }

  void start() {
    route_->start([this] {
      if (channel_) channel_->close();
    });
    asio::co_spawn(io_, run(shared_from_this()), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  }
  void stop() {
    stopped_ = true;
    to_ = nullptr;
    route_->stop();
    if (channel_) channel_->close();
  }
  bool connected() const { return connected_; }

  void subscribe(std::string const& channel) {
    if (wanted_.insert(channel).second && connected_) tell("SUBSCRIBE", channel);
  }
  void unsubscribe(std::string const& channel) {
    if (wanted_.erase(channel) > 0 && connected_) tell("UNSUBSCRIBE", channel);
  }

 private:
  task<> run(std::shared_ptr<connection> self);
  task<> use(std::shared_ptr<channel> current, backoff& pause);
  task<> serve(std::shared_ptr<channel> current);
  task<> watch_over(std::shared_ptr<connection> self, std::shared_ptr<channel> current);
  void tell(std::string_view word, std::string_view argument);
  void tell(std::span<std::string_view const> words);
  void flush();
  void hear(reply const& message);

  asio::io_context& io_;
  settings const where_;
  std::string const database_;
  listener* to_;
  std::optional<tls_context> tls_;
  std::set<std::string, std::less<>> wanted_;
  std::shared_ptr<channel> channel_;
  std::optional<reply_parser> parser_;
  std::string unsent_;
  bool flushing_ = false;  ///< the socket is full
  steady::time_point last_heard_{};
  std::shared_ptr<route> const route_;
  bool connected_ = false;
  bool stopped_ = false;
};

task<> subscriber::connection::run([[maybe_unused]] std::shared_ptr<connection> self) {
  backoff pause = reconnect_pause;
  while (!stopped_) {
    if (auto const to = co_await route_->next())
      co_await use(std::make_shared<channel>(io_, where_, *to, tls_ ? &*tls_ : nullptr), pause);
    if (stopped_) break;
    co_await route_->rest(pause.next(random_fraction()));
  }
}

/// One connection, from opening to its end.
task<> subscriber::connection::use(std::shared_ptr<channel> current, backoff& pause) {
  channel_ = current;
  parser_.emplace();
  unsent_.clear();
  flushing_ = false;
  auto const said = co_await converse(io_, current, handshake_steps(where_, database_, {}), where_.connect_timeout);
  if (said.fault.empty() && !stopped_) {
    pause.reset();
    connected_ = true;
    co_await serve(current);
    connected_ = false;
  }
  current->close();
}

task<> subscriber::connection::serve(std::shared_ptr<channel> current) {
  last_heard_ = steady::now();
  // Unwatched, a dead connection could go unnoticed for hours: if the watch fails, the connection is closed.
  asio::co_spawn(io_, watch_over(shared_from_this(), current), [current](std::exception_ptr failure) {
    if (failure) current->close();
  });
  std::vector<std::string_view> all{"SUBSCRIBE"};
  all.insert(all.end(), wanted_.begin(), wanted_.end());
  if (all.size() > 1) tell(all);
  while (!stopped_) {
    auto const received = co_await current->receive();
    if (received.how == channel::state::closed) co_return;
    if (received.how == channel::state::nothing) continue;
    last_heard_ = steady::now();
    parser_->feed(received.bytes);
    reply message;
    auto step = parser_->next(message);
    for (; step == reply_parser::step::complete && !stopped_; step = parser_->next(message)) hear(message);
    if (step == reply_parser::step::broken) co_return;
  }
}

/// RESP2: ["message", channel, payload], ["subscribe", channel, count], ["pong", ""].
void subscriber::connection::hear(reply const& message) {
  if (to_ == nullptr || message.elements.size() != 3) return;
  auto const& kind = message.elements[0].text;
  if (kind == "message") to_->on_message(message.elements[1].text, message.elements[2].text);
  if (kind == "subscribe") to_->on_subscribed(message.elements[1].text);
}

task<> subscriber::connection::watch_over([[maybe_unused]] std::shared_ptr<connection> self,
                                          std::shared_ptr<channel> current) {
  steady_timer tick(io_);
  while (!current->closed() && !stopped_) {
    tick.expires_after(ping_interval);
    co_await tick.async_wait(awaiting);
    if (current->closed() || channel_ != current) co_return;
    if (steady::now() - last_heard_ > 2 * ping_interval) {
      current->close();
      co_return;
    }
    std::string_view const ping[] = {"PING"};
    tell(ping);
  }
}

void subscriber::connection::tell(std::string_view word, std::string_view argument) {
  std::string_view const words[] = {word, argument};
  tell(words);
}

void subscriber::connection::tell(std::span<std::string_view const> words) {
  append_command(unsent_, {.head = words});
  if (!flushing_) flush();
}

void subscriber::connection::flush() {
  flushing_ = false;
  if (!channel_->writable()) return;
  unsent_.erase(0, channel_->send(unsent_));
  if (!channel_->blocked()) return;
  flushing_ = true;
  channel_->async_writable([self = shared_from_this(), mine = channel_](boost::system::error_code) {
    if (self->channel_ == mine) self->flush();
  });
}

subscriber::subscriber(asio::io_context& io, settings where, listener& to)
    : impl_(std::make_shared<connection>(io, std::move(where), to)) {}
subscriber::~subscriber() {
  impl_->stop();
}
void subscriber::start() {
  impl_->start();
}
void subscriber::stop() {
  impl_->stop();
}
bool subscriber::connected() const {
  return impl_->connected();
}
void subscriber::subscribe(std::string const& channel) {
  impl_->subscribe(channel);
}
void subscriber::unsubscribe(std::string const& channel) {
  impl_->unsubscribe(channel);
}

}  // namespace svc::redis
