#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/secret.hpp"
#include "svc/redis/reply.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::redis {

/// A Lua script of `schema/redis/`, embedded. Immutable; one object per script for the whole process.
class script {
 public:
  script(std::string_view name, std::string_view body);

  std::string_view name() const { return name_; }
  std::string_view body() const { return body_; }
  /// SHA-1 of the body in lower-case hex, as EVALSHA wants it.
  std::string_view sha() const { return sha_; }

 private:
  std::string_view name_;
  std::string_view body_;
  std::string sha_;
};

/// Where Redis is and how patient we are. Immutable.
struct settings {
  std::string host = "127.0.0.1";
  std::string port = "6379";
  std::string unix_path{};  ///< replaces host and port when not empty
  bool tls = false;
  std::string tls_ca_file{};  ///< empty: the system's store
  std::string username{};
  secret_string password{};
  int database = 0;
  milliseconds command_deadline{50};  ///< upper bound for one command, inside the request's deadline
  milliseconds silence_limit{500};    ///< a connection that owes replies and sends no byte is closed
  /// Zero: no limit. Otherwise a connection proves itself at least this often (by PING when there is nothing else to
  /// ask), and ends when more time passes between sending one answered command and the next answer: Redis or this
  /// process stood still in between and missed what others did.
  milliseconds longest_gap{0};
  milliseconds connect_timeout{2000};
  std::size_t max_waiting = 100'000;  ///< commands queued or in flight; more are `unsent`
};

/// Parses `redis://[user[:password]@]host[:port][/db]`, `rediss://...` and `unix:/path[?db=N]`
/// (also `unix:///path`). Throws `std::invalid_argument` that names what is wrong, never the password.
settings parse_url(std::string_view url);

/// Counters a worker exports; plain numbers, worker-local.
struct statistics {
  std::uint64_t commands = 0, replies = 0, errors = 0, missed = 0, unsent = 0, writes = 0, reconnects = 0;
};

/// One pipelined connection. Worker-local; lives as long as the worker and dies before its `io_context`. All commands
/// that wait go out in one write; replies are matched in order, and a late reply is discarded, never given to another
/// caller.
class client {
 public:
  /// `scripts` are loaded on each connection before it is used. `on_change(connected)` reports each change of state
  /// once. Without a connection, commands end as `unsent` at once. Throws `std::runtime_error` when the CA file of a
  /// TLS connection cannot be read.
  client(asio::io_context& io, settings where, std::vector<script const*> scripts,
         std::function<void(bool)> on_change = {});
  ~client();
  client(client const&) = delete;
  client& operator=(client const&) = delete;

  /// Starts connecting in the background: reconnects with backoff and jitter until `stop`.
  void start();
  /// Closes; all waiting commands end as `missed` or `unsent`.
  void stop();
  /// The wrong server answers: closes, looks the name up again and connects, once a second at most. `on_change` hears
  /// of it only if that fails. A replica that refuses a write is left in the same way, without this call.
  void reconnect();
  bool connected() const;
  /// `lost` is called at each end of a connection, also when it is replaced, before the next one exists.
  void on_loss(std::function<void()> lost);
  /// Waits until connected or the deadline; true when connected.
  task<bool> wait_connected(deadline until);

  /// One command. The arguments are encoded before the first suspension, so views need live no longer.
  /// Never throws for what Redis or the network does.
  task<outcome> command(std::span<std::string_view const> arguments, deadline until);

  /// EVALSHA; on NOSCRIPT (which proves that nothing ran) loads and sends once more, for which the views must
  /// live until it returns.
  task<outcome> evaluate(script const& what, std::span<std::string_view const> keys,
                         std::span<std::string_view const> arguments, deadline until);

  /// The worker's.
  asio::io_context& context() const;
  statistics const& stats() const;
  /// Why the last attempt to connect or the last connection failed; empty before. For the log: no secret.
  std::string const& last_fault() const;

 private:
  class connection;
  std::shared_ptr<connection> impl_;
};

/// Calls of one script that are made in the same round of the loop, sent as one EVALSHA. The script takes the keys
/// and arguments of any number of calls, one call after the other, and replies with an array of one reply for each.
/// All keys of a batch go to one server. Worker-local; the client outlives it.
class script_batch {
 public:
  script_batch(client& redis, script const& what);
  ~script_batch();
  script_batch(script_batch const&) = delete;
  script_batch& operator=(script_batch const&) = delete;

  /// As `client::evaluate`, in the order of the calls. The views live until it returns. A batch waits as long as its
  /// most patient call, but no longer than one command. If it is missed or unsent, so are all its calls.
  task<outcome> evaluate(std::span<std::string_view const> keys, std::span<std::string_view const> arguments,
                         deadline until);

  /// Redis does nothing else while a batch runs: more calls than this go out as several batches.
  static constexpr std::size_t most_calls = 32;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::redis
