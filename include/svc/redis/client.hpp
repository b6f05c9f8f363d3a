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

/// An embedded Lua script from `schema/redis/`. Immutable; one object per script for the whole process.
class script {
 public:
  script(std::string_view name, std::string_view body);

  std::string_view name() const { return name_; }
  std::string_view body() const { return body_; }
  /// SHA-1 of the body in lower-case hex, as EVALSHA expects it.
  std::string_view sha() const { return sha_; }

 private:
  std::string_view name_;
  std::string_view body_;
  std::string sha_;
};

class primary_locator;

/// Where Redis is, and the limits for talking to it. Immutable.
struct settings {
  std::string host = "127.0.0.1";
  std::string port = "6379";
  std::string unix_path{};  ///< replaces host and port when not empty
  /// Replaces all of these: finds the primary for each connection, which ROLE must confirm. Null: none.
  std::shared_ptr<primary_locator> through{};
  bool tls = false;
  std::string tls_ca_file{};  ///< empty: the system's store
  std::string username{};
  secret_string password{};
  int database = 0;
  milliseconds command_deadline{50};  ///< limit for one command, within the request's deadline
  milliseconds silence_limit{500};    ///< a connection closes when Redis owes replies but sends nothing for this long
  /// Zero: no limit. Otherwise a connection must show at least this often that it works (with PING when there is no
  /// other command). It is closed when more time passes between sending one answered command and the next reply:
  /// Redis or this process stopped in between and missed what others did.
  milliseconds longest_gap{0};
  milliseconds connect_timeout{2000};
  std::size_t max_waiting = 100'000;  ///< commands queued or in flight; more are `unsent`
};

/// Parses `redis://[user[:password]@]host[:port][/db]`, `rediss://...` and `unix:/path[?db=N]`
/// (also `unix:///path`). Throws `std::invalid_argument`, which says what is wrong and never contains the password.
settings parse_url(std::string_view url);

/// Counters a worker exports; plain numbers, worker-local.
struct statistics {
  std::uint64_t commands = 0, replies = 0, errors = 0, missed = 0, unsent = 0, writes = 0, reconnects = 0;
};

/// One pipelined connection. Worker-local; lives as long as the worker and is destroyed before its `io_context`. All
/// waiting commands are sent in one write. Replies are matched in order; a late reply is discarded, never given to
/// another caller.
class client {
 public:
  /// `scripts` are loaded on each connection before it is used. `on_change(connected)` is called once for each change
  /// of state. Without a connection, commands end as `unsent` at once. Throws `std::runtime_error` when the CA file
  /// of a TLS connection cannot be read.
  client(asio::io_context& io, settings where, std::vector<script const*> scripts,
         std::function<void(bool)> on_change = {});
  ~client();
  client(client const&) = delete;
  client& operator=(client const&) = delete;

  /// Connects in the background, and reconnects with backoff and jitter until `stop`.
  void start();
  /// Closes the connection; all open commands end as `missed` or `unsent`.
  void stop();
  /// Call it when the wrong server answers: closes the connection, finds the server again and connects, at most once
  /// a second. `on_change` is called only if that fails. The client replaces the connection to a replica that refuses
  /// a write in the same way, without this call.
  void reconnect();
  bool connected() const;
  /// `lost` is called each time a connection ends, is replaced or cannot be opened, before the next one exists.
  void on_loss(std::function<void()> lost);
  /// Waits until connected, stopped or the deadline; true when connected.
  task<bool> wait_connected(deadline until);

  /// One command. The arguments are encoded before the first suspension; views need not live longer.
  /// Nothing that Redis or the network does makes it throw.
  task<outcome> command(std::span<std::string_view const> arguments, deadline until);

  /// EVALSHA. On NOSCRIPT, which proves that nothing ran, loads the script and sends EVALSHA once more; the views
  /// must therefore live until it returns.
  task<outcome> evaluate(script const& what, std::span<std::string_view const> keys,
                         std::span<std::string_view const> arguments, deadline until);

  /// The worker's `io_context`.
  asio::io_context& context() const;
  statistics const& stats() const;
  /// Why the last attempt to connect or the last connection failed; empty until one has. Contains no secret, so it
  /// may be logged.
  std::string const& last_fault() const;

 private:
  class connection;
  std::shared_ptr<connection> impl_;
};

/// Sends the calls of one script that are made in the same turn of the event loop as one EVALSHA. The script takes
/// the keys and arguments of any number of calls, one call after the other, and replies with an array that has one
/// reply for each. All keys of a batch go to one server. Worker-local; the client outlives it.
class script_batch {
 public:
  script_batch(client& redis, script const& what);
  ~script_batch();
  script_batch(script_batch const&) = delete;
  script_batch& operator=(script_batch const&) = delete;

  /// Like `client::evaluate`; calls run in the order in which they were made. The views must live until it returns. A
  /// batch has the latest deadline of its calls, but at most `command_deadline`. If it is missed or unsent, so are
  /// all its calls.
  task<outcome> evaluate(std::span<std::string_view const> keys, std::span<std::string_view const> arguments,
                         deadline until);

  /// Redis does nothing else while a batch runs, so more calls than this are sent as several batches.
  static constexpr std::size_t most_calls = 32;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::redis
