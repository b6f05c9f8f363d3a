#pragma once

#include "redis/connection.hpp"
#include "redis/suspended.hpp"
#include "redis/tls.hpp"
#include "svc/core/async.hpp"
#include "svc/redis/client.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace svc::redis {

/// Waits for one reply.
class one_reply final : public suspended_waiter {
  using suspended_waiter::suspended_waiter;
};

/// The end of a command, and for a patient command the time after which its reply is late.
struct command_times {
  deadline end;
  std::optional<steady::time_point> late{};
};

/// Returns the times of a command: its own limit within the request's deadline. Returns `std::nullopt` if
/// that deadline has passed, because the command is then not sent. A patient command whose request has less
/// than `command_deadline` left counts as prompt. Pure.
std::optional<command_times> times_of(deadline until, settings const& where, reply_wait wait, steady::time_point now);

/// The words of EVALSHA before its keys. A view of the script and of itself.
class evalsha_head {
 public:
  evalsha_head(script const& script, std::size_t keys);
  evalsha_head(evalsha_head const&) = delete;
  evalsha_head& operator=(evalsha_head const&) = delete;

  std::span<std::string_view const> words() const { return words_; }

 private:
  std::array<char, 24> digits_;
  std::array<std::string_view, 3> words_;
};

/// The implementation of a client, over one server (`single_server`) or over the masters of a Cluster (`cluster`).
/// `client` describes the functions. Worker-local; shared by the client and its own pending operations.
class client::backend {
 public:
  virtual ~backend() = default;
  backend(backend const&) = delete;
  backend& operator=(backend const&) = delete;

  virtual void start() = 0;
  virtual void stop() = 0;
  virtual void reconnect() = 0;
  virtual task<outcome> command(std::span<std::string_view const> arguments, deadline until) = 0;
  virtual task<outcome> command_at(std::string tag, std::span<std::string_view const> arguments, deadline until) = 0;
  virtual task<outcome> evaluate(script const& script, std::span<std::string_view const> keys,
                                 std::span<std::string_view const> arguments, deadline until, reply_wait wait) = 0;
  virtual void give_up() = 0;
  virtual std::vector<std::string> tags() const = 0;
  virtual std::uint16_t part_of(std::string_view key) const = 0;

  /// Removes the callbacks, so that none is called from now on.
  void remove_listeners() { on_change_ = nullptr, lost_ = nullptr, silent_ = nullptr; }
  void on_loss(std::function<void()> lost) { lost_ = std::move(lost); }
  void on_silence(std::function<void(steady::time_point)> silent) { silent_ = std::move(silent); }
  bool connected() const { return connected_; }
  bool stopped() const { return stopped_; }
  asio::io_context& io() const { return io_; }
  settings const& where() const { return where_; }
  statistics const& stats() const { return counters_; }
  std::string const& last_fault() const { return last_fault_; }
  /// Waits for anything that may make `connected` true, or a command possible; at most until the deadline.
  task<> next_event(deadline until);

 protected:
  backend(asio::io_context& io, settings where, std::vector<script const*> scripts,
          std::function<void(bool)> on_change);

  std::shared_ptr<connection> make_connection(address address);
  std::vector<handshake_step> steps() const { return handshake_steps(where_, database_, scripts_); }
  /// Resumes the coroutines that wait for an event.
  void wake();
  void change(bool connected);
  /// Calls `on_change`, once for each change.
  void notify(bool connected);
  void lose() {
    if (lost_) lost_();
  }

  asio::io_context& io_;
  settings const where_;
  std::vector<script const*> const scripts_;
  std::string const database_;
  std::optional<tls_context> tls_;
  statistics counters_;
  std::string last_fault_;
  bool stopped_ = false;

 private:
  std::function<void(bool)> on_change_;
  std::function<void()> lost_;
  std::function<void(steady::time_point)> silent_;
  std::vector<steady_timer*> watchers_;  // in the frames of next_event
  bool connected_ = false;
  bool notified_ = false;  // the last argument of `on_change`
  bool ever_connected_ = false;
};

}  // namespace svc::redis
