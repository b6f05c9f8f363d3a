#include "svc/redis/client.hpp"

#include "redis/cluster.hpp"
#include "redis/single_server.hpp"
#include "svc/core/spawn_task.hpp"

namespace svc::redis {

namespace {

std::shared_ptr<client::backend> make_backend(asio::io_context& io, settings where,
                                              std::vector<script const*> scripts,
                                              std::function<void(bool)> on_change) {
  if (!where.cluster.empty())
    return std::make_shared<cluster>(io, std::move(where), std::move(scripts), std::move(on_change));
  return std::make_shared<single_server>(io, std::move(where), std::move(scripts), std::move(on_change));
}

task<> get_into(client::backend& backend, std::string const& key, deadline until, outcome& into) {
  std::string_view const words[] = {"GET", key};
  into = co_await backend.command(words, until);
}

}  // namespace

client::client(asio::io_context& io, settings where, std::vector<script const*> scripts,
               std::function<void(bool)> on_change)
    : impl_(make_backend(io, std::move(where), std::move(scripts), std::move(on_change))) {}

client::~client() {
  impl_->remove_listeners();
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
void client::on_silence(std::function<void(steady::time_point)> silent) {
  impl_->on_silence(std::move(silent));
}
void client::give_up() {
  impl_->give_up();
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
std::vector<std::string> client::tags() const {
  return impl_->tags();
}
std::uint16_t client::part_of(std::string_view key) const {
  return impl_->part_of(key);
}

std::string_view client::publish_word() const {
  return impl_->where().cluster.empty() ? "PUBLISH" : "SPUBLISH";
}

task<bool> client::wait_connected(deadline until) {
  auto const impl = impl_;
  while (!impl->connected() && !impl->stopped() && !until.passed()) co_await impl->next_event(until);
  co_return impl->connected();
}

task<outcome> client::command(std::span<std::string_view const> arguments, deadline until) {
  return impl_->command(arguments, until);
}

task<outcome> client::command_at(std::string tag, std::span<std::string_view const> arguments, deadline until) {
  return impl_->command_at(std::move(tag), arguments, until);
}

task<outcome> client::evaluate(script const& script, std::span<std::string_view const> keys,
                               std::span<std::string_view const> arguments, deadline until, reply_wait wait) {
  return impl_->evaluate(script, keys, arguments, until, wait);
}

task<outcome> client::read_all(std::vector<std::string> keys, deadline until) {
  auto const impl = impl_;
  if (impl->where().cluster.empty()) {
    std::vector<std::string_view> words{"MGET"};
    words.insert(words.end(), keys.begin(), keys.end());
    co_return co_await impl->command(words, until);
  }
  std::vector<outcome> got(keys.size());
  std::vector<task<>> reads;
  for (std::size_t i = 0; i < keys.size(); ++i) reads.push_back(get_into(*impl, keys[i], until, got[i]));
  co_await together(std::move(reads));
  outcome all{delivery::answered, {.kind = reply::type::array}};
  for (auto& outcome : got) {
    if (!outcome.ok()) co_return std::move(outcome);
    all.value.elements.push_back(std::move(outcome.value));
  }
  co_return all;
}

}  // namespace svc::redis
