#include "svc/redis/client.hpp"

#include "redis/connection.hpp"
#include "redis/suspended.hpp"

#include <charconv>

namespace svc::redis {
namespace {

/// Waits for one reply.
class one_reply final : public suspended {
  using suspended::suspended;
};

/// The end of a command: its own limit inside the request's. Nothing when that has passed: then it is not sent.
std::optional<deadline> command_end(deadline until, steady::duration limit) {
  auto const now = steady::now();
  if (until.at() <= now) return std::nullopt;
  return deadline(std::min(until.at(), now + limit));
}

}  // namespace

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

  // Behind one another on one connection: the script is there when EVALSHA runs, and no second trip is needed.
  std::array<std::string_view, 3> const load{"SCRIPT", "LOAD", what.body()};
  impl_->submit({.head = load});
  one_reply second(*end);
  if (impl_->submit({call, keys, arguments}, second)) co_await second.resumed();
  co_return std::move(second.result);
}

}  // namespace svc::redis
