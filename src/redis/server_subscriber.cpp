#include "redis/server_subscriber.hpp"

#include "redis/handshake.hpp"
#include "svc/core/log.hpp"
#include "svc/core/random.hpp"
#include "svc/core/spawn_task.hpp"

#include <boost/asio/co_spawn.hpp>

namespace svc::redis {
namespace {

/// A PING is sent at this interval; a connection that receives nothing for two intervals is closed.
constexpr std::chrono::seconds ping_interval{3};
/// A connection that ends earlier, perhaps because it is refused what it asks, does not shorten the next pause.
constexpr std::chrono::seconds good_connection{1};

}  // namespace

server_subscriber::server_subscriber(asio::io_context& io, settings where, shared_tls tls,
                                     subscriber::listener& listener, unheard gone)
    : io_(io),
      where_(std::move(where)),
      database_(std::to_string(where_.database)),
      listener_(&listener),
      gone_(std::move(gone)),
      tls_(std::move(tls)),
      route_(std::make_shared<route>(io, where_)) {}

void server_subscriber::start() {
  route_->start([this] {
    if (transport_) transport_->close();
  });
  auto const self = shared_from_this();
  spawn_task(io_, keep_running(
                      "the subscription to Redis", [self] { return !self->stopped_; },
                      [self] { self->give_up_transport(); }, [self] { return self->run(self); }));
}

/// After an exception that only a bug or exhausted memory causes.
void server_subscriber::give_up_transport() {
  connected_ = false;
  if (transport_) transport_->close();
}

void server_subscriber::stop() {
  stopped_ = true;
  listener_ = nullptr;
  gone_ = nullptr;
  route_->stop();
  if (transport_) transport_->close();
}

bool server_subscriber::sharded(std::string_view channel) const {
  return gone_ && channel.find('{') != std::string_view::npos;
}

void server_subscriber::subscribe(std::string const& channel) {
  if (!wanted_.insert(channel).second || !connected_) return;
  send_command(sharded(channel) ? "SSUBSCRIBE" : "SUBSCRIBE", channel);
}

void server_subscriber::unsubscribe(std::string const& channel) {
  if (wanted_.erase(channel) == 0 || !connected_) return;
  if (sharded(channel)) ++ending_[channel];
  send_command(sharded(channel) ? "SUNSUBSCRIBE" : "UNSUBSCRIBE", channel);
}

task<> server_subscriber::run([[maybe_unused]] std::shared_ptr<server_subscriber> self) {
  backoff pause = reconnect_pause;
  while (!stopped_) {
    if (auto const address = co_await route_->next())
      co_await use(std::make_shared<transport>(io_, where_, *address, tls_.get()), pause);
    if (stopped_) break;
    co_await route_->rest(pause.next(random_fraction()));
  }
}

/// One connection, from opening to its end.
task<> server_subscriber::use(std::shared_ptr<transport> current, backoff& pause) {
  transport_ = current;
  parser_.emplace();
  unsent_.clear();
  ending_.clear();
  flushing_ = false;
  auto const said = co_await converse(io_, current, handshake_steps(where_, database_, {}), where_.connect_timeout);
  if (said.fault.empty() && !stopped_) {
    connected_ = true;
    auto const opened = steady::now();
    co_await serve(current);
    connected_ = false;
    if (steady::now() - opened >= good_connection) pause.reset();
  }
  current->close();
}

task<> server_subscriber::serve(std::shared_ptr<transport> current) {
  last_heard_ = steady::now();
  // Unwatched, a dead connection could go unnoticed for hours: if the watch fails, the connection is closed.
  asio::co_spawn(io_, watch_over(shared_from_this(), current), [current](std::exception_ptr failure) {
    if (failure) current->close();
  });
  std::vector<std::string_view> all{"SUBSCRIBE"};
  for (auto const& text : wanted_) {
    // Sharded ones of one command would have to share a slot.
    if (sharded(text)) {
      send_command("SSUBSCRIBE", text);
    } else {
      all.push_back(text);
    }
  }
  if (all.size() > 1) send_command(all);
  while (!stopped_) {
    auto const received = co_await current->receive();
    if (received.state == transport::state::closed) co_return;
    if (received.state == transport::state::nothing) continue;
    last_heard_ = steady::now();
    parser_->feed(received.bytes);
    reply message;
    auto step = parser_->next(message);
    for (; step == reply_parser::step::complete && !stopped_; step = parser_->next(message)) hear(message);
    if (step == reply_parser::step::broken) co_return;
  }
}

/// RESP2: ["message", channel, payload], ["subscribe", channel, count], ["pong", ""]; sharded with an `s` before.
void server_subscriber::hear(reply const& message) {
  if (message.is_error()) return hear_refusal(message);
  if (listener_ == nullptr || message.elements.size() != 3) return;
  auto const& kind = message.elements[0].text;
  auto const& text = message.elements[1].text;
  if (kind == "message" || kind == "smessage") listener_->on_message(text, message.elements[2].text);
  if (kind == "subscribe" || kind == "ssubscribe") listener_->on_subscribed(text);
  if (kind == "sunsubscribe") hear_end(text);
}

/// A node of a Cluster does not take a subscription. Which one is not said, so all are made again.
void server_subscriber::hear_refusal(reply const& reply) {
  // A right that the user lacks stays away; a slot that moves is nothing to report.
  if (reply.error_code() == "NOPERM" && !std::exchange(refused_, true))
    log::warn("Redis refuses a subscription", {{"reason", reply.text}});
  if (!gone_) return;
  gone_({});
  if (transport_) transport_->close();
}

/// Either asked for, or its slot has moved.
void server_subscriber::hear_end(std::string const& text) {
  if (auto const asked = ending_.find(text); asked != ending_.end()) {
    if (--asked->second == 0) ending_.erase(asked);
    return;
  }
  if (!gone_ || wanted_.erase(text) == 0) return;
  gone_(text);
}

task<> server_subscriber::watch_over([[maybe_unused]] std::shared_ptr<server_subscriber> self,
                                     std::shared_ptr<transport> current) {
  steady_timer tick(io_);
  while (!current->closed() && !stopped_) {
    tick.expires_after(ping_interval);
    co_await tick.async_wait(awaiting);
    if (current->closed() || transport_ != current) co_return;
    if (steady::now() - last_heard_ > 2 * ping_interval) {
      current->close();
      co_return;
    }
    std::string_view const ping[] = {"PING"};
    send_command(ping);
  }
}

void server_subscriber::send_command(std::string_view word, std::string_view argument) {
  std::string_view const words[] = {word, argument};
  send_command(words);
}

void server_subscriber::send_command(std::span<std::string_view const> words) {
  append_command(unsent_, {.head = words});
  if (!flushing_) flush();
}

void server_subscriber::flush() {
  flushing_ = false;
  if (!transport_->writable()) return;
  unsent_.erase(0, transport_->send(unsent_));
  if (!transport_->blocked()) return;
  flushing_ = true;
  transport_->async_writable([self = shared_from_this(), mine = transport_](boost::system::error_code) {
    if (self->transport_ == mine) self->flush();
  });
}

}  // namespace svc::redis
