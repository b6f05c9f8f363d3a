#include "redis/backend.hpp"

#include <algorithm>
#include <charconv>

namespace svc::redis {

std::optional<command_times> times_of(deadline until, settings const& where, reply_wait wait,
                                      steady::time_point now) {
  if (until.at() <= now) return std::nullopt;
  auto const late = now + where.command_deadline;
  if (wait == reply_wait::prompt || until.at() <= late || where.longest_wait <= where.command_deadline)
    return command_times{deadline(std::min(until.at(), late))};
  return command_times{deadline(std::min(until.at(), now + where.longest_wait)), late};
}

evalsha_head::evalsha_head(script const& script, std::size_t keys) {
  auto const end = std::to_chars(digits_.data(), digits_.data() + digits_.size(), keys).ptr;
  words_ = {"EVALSHA", script.sha(),
            std::string_view(digits_.data(), static_cast<std::size_t>(end - digits_.data()))};
}

client::backend::backend(asio::io_context& io, settings where, std::vector<script const*> scripts,
                         std::function<void(bool)> on_change)
    : io_(io),
      where_(std::move(where)),
      scripts_(std::move(scripts)),
      database_(std::to_string(where_.database)),
      on_change_(std::move(on_change)) {
  if (where_.tls) tls_.emplace(where_.tls_ca_file);
}

std::shared_ptr<connection> client::backend::make_connection(address address) {
  return std::make_shared<connection>(io_, where_, std::move(address), tls_ ? &*tls_ : nullptr, counters_,
                                      [this](steady::time_point now) {
                                        if (silent_) silent_(now);
                                      });
}

task<> client::backend::next_event(deadline until) {
  steady_timer watcher(io_, until.at());
  watchers_.push_back(&watcher);
  co_await watcher.async_wait(awaiting);
  std::erase(watchers_, &watcher);
}

void client::backend::wake() {
  for (auto* watcher : watchers_) watcher->cancel();
}

void client::backend::notify(bool connected) {
  if (std::exchange(notified_, connected) != connected && on_change_) on_change_(connected);
}

void client::backend::change(bool connected) {
  if (connected_ == connected) return;
  connected_ = connected;
  if (!connected) return;
  if (ever_connected_) ++counters_.reconnects;
  ever_connected_ = true;
  wake();
}

}  // namespace svc::redis
