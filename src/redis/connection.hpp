#pragma once

#include "redis/link.hpp"

namespace svc::redis {

/// What a client is made of: one link after the other, until `stop`. Worker-local; shared by the client and the
/// coroutine that reconnects.
class client::connection : public std::enable_shared_from_this<connection> {
 public:
  connection(asio::io_context& io, settings where, std::vector<script const*> scripts,
             std::function<void(bool)> on_change);

  void start();
  void stop();
  void reconnect();
  /// Nobody is to be told any more.
  void forget_listeners() { on_change_ = nullptr, lost_ = nullptr; }
  void on_loss(std::function<void()> lost) { lost_ = std::move(lost); }
  bool connected() const { return connected_; }
  task<bool> wait_connected(deadline until);

  /// False: `unsent`.
  bool submit(command_parts const& parts, waiter& who);
  /// A command whose reply nobody wants.
  void submit(command_parts const& parts);

  asio::io_context& io() { return io_; }
  settings const& where() const { return where_; }
  statistics const& stats() const { return counters_; }
  std::string const& last_fault() const { return last_fault_; }

 private:
  task<> run();
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
  steady_timer pause_;
  std::vector<steady_timer*> watchers_;  // in the frames of wait_connected
  std::string last_fault_;
  bool connected_ = false;
  bool told_ = false;       // what on_change was told last
  bool replacing_ = false;  // the link was closed for another one, which is no news
  steady::time_point replaced_at_{};
  bool ever_connected_ = false;
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace svc::redis
