#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/secret.hpp"
#include "svc/redis/address.hpp"
#include "svc/redis/reply.hpp"

#include <cstddef>
#include <cstdint>
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

/// The address of Redis, and the limits of a connection. Immutable.
struct settings {
  std::string host = "127.0.0.1";
  std::string port = "6379";
  std::string unix_path{};  ///< replaces host and port when not empty
  /// Finds the primary for each connection, which ROLE must confirm. Replaces host, port and path. Null: none.
  std::shared_ptr<primary_locator> through{};
  /// Some nodes of a Redis Cluster, which name all other nodes. Replaces host and port. Empty: none.
  std::vector<address> cluster{};
  bool tls = false;
  std::string tls_ca_file{};  ///< empty: the system's store
  std::string username{};
  secret_string password{};
  int database = 0;
  milliseconds command_deadline{50};  ///< limit for one command, within the request's deadline
  milliseconds longest_wait{500};     ///< the same for a patient command (`reply_wait`)
  milliseconds silence_limit{500};    ///< a connection closes when Redis owes replies but sends nothing for this long
  /// Zero: no limit. Otherwise each connection must show at least this often that it works, with PING if there is no
  /// other command. The client closes the connection if more time passes between the sending of one answered command
  /// and the next reply. Redis or this process stopped in between and missed the changes of others.
  milliseconds longest_gap{0};
  milliseconds connect_timeout{2000};
  std::size_t max_waiting = 100'000;  ///< commands queued or in flight; further commands are `unsent`
};

/// The wait of a command for its reply.
enum class reply_wait : std::uint8_t {
  prompt,   ///< at most `command_deadline`
  patient,  ///< also for a late reply: at most `longest_wait`, and until `client::give_up`
};

/// Parses `redis://[user[:password]@]host[:port][/db]`, `rediss://...` and `unix:/path[?db=N]` (also `unix:///path`).
/// Throws `std::invalid_argument` with the reason, which never contains the password.
settings parse_url(std::string_view url);

/// Counters that a worker exports; plain numbers, worker-local.
struct statistics {
  std::uint64_t commands = 0, replies = 0, errors = 0, missed = 0, unsent = 0, writes = 0, reconnects = 0;
};

/// One pipelined connection, or in a Redis Cluster one connection to each master. Worker-local; lives as long as the
/// worker and is destroyed before its `io_context`. The client sends all waiting commands in one write and matches
/// replies in order. It discards a late reply and never gives it to another caller.
///
/// In a Cluster a command goes to the master of its key's slot. The client follows MOVED and ASK, which prove that
/// the command did not run. The client is connected when all slots have a master and all masters are connected. A
/// lost master counts as a lost Redis. A master whose slots another server has taken over is lost too, because that
/// server may lack data that this one had confirmed.
class client {
 public:
  class backend;

  /// The client loads `scripts` on each connection before it uses the connection. It calls `on_change(connected)`
  /// once for each change of state. Without a connection, commands end as `unsent` at once. Throws
  /// `std::runtime_error` if the CA file of a TLS connection cannot be read.
  client(asio::io_context& io, settings where, std::vector<script const*> scripts,
         std::function<void(bool)> on_change = {});
  ~client();
  client(client const&) = delete;
  client& operator=(client const&) = delete;

  /// Connects in the background, and reconnects with backoff and jitter until `stop`.
  void start();
  /// Closes the connection; all open commands end as `missed` or `unsent`.
  void stop();
  /// Closes the connection, finds the server again and connects, at most once a second; call this when the wrong
  /// server answers. The client calls `on_change` only if that fails. The client replaces the connection to a replica
  /// that refuses a write in the same way, without this call. In a Cluster this call only asks for the current
  /// masters.
  void reconnect();
  bool connected() const;
  /// The client calls `lost` each time a connection ends, is replaced or cannot be opened, before the next one
  /// exists.
  void on_loss(std::function<void()> lost);
  /// Waits until connected, stopped or the deadline; returns true if connected.
  task<bool> wait_connected(deadline until);

  /// Runs one command. With one server the arguments are encoded before the first suspension, and views need not live
  /// longer. In a Cluster the arguments must live until it returns. The second word must then be a key or a channel,
  /// and all keys must share its slot. No behaviour of Redis or the network makes it throw.
  task<outcome> command(std::span<std::string_view const> arguments, deadline until);
  /// Returns a name of each server, for `command_at`. In a Cluster the name of a master is a hash tag of one of its
  /// slots, such as `{7}`. A single server has the empty name. Empty while no master is known.
  std::vector<std::string> tags() const;
  /// The same as `command`, at the server of that tag. All keys contain the tag, or the command has no key.
  task<outcome> command_at(std::string tag, std::span<std::string_view const> arguments, deadline until);
  /// Runs MGET, for keys of any slots: in a Cluster one GET each. Like `command`; returns one element for each key,
  /// or a single outcome if anything went wrong.
  task<outcome> read_all(std::vector<std::string> keys, deadline until);

  /// Runs EVALSHA. On NOSCRIPT, which proves that nothing ran, it loads the script and sends EVALSHA once more. The
  /// views must therefore live until it returns. In a Cluster all keys must share a slot.
  task<outcome> evaluate(script const& script, std::span<std::string_view const> keys,
                         std::span<std::string_view const> arguments, deadline until,
                         reply_wait wait = reply_wait::prompt);

  /// The client calls `silent`, with the time, for each `command_deadline` in which a server sent no byte although it
  /// owed a late reply to a patient command.
  void on_silence(std::function<void(steady::time_point)> silent);
  /// Ends all patient commands, as `missed` or `unsent`. Their callers continue in a later turn of the event loop.
  void give_up();

  /// Returns the command that publishes on a channel with a hash tag: PUBLISH, or SPUBLISH in a Cluster (from Redis
  /// 7.0). SPUBLISH reaches only the subscribers of that slot, whereas PUBLISH passes through all nodes.
  std::string_view publish_word() const;
  /// Returns the key's slot in a Cluster, otherwise 0. One script may use keys of the same part.
  std::uint16_t part_of(std::string_view key) const;

  /// Returns the worker's `io_context`.
  asio::io_context& context() const;
  statistics const& stats() const;
  /// Returns the reason why the last attempt to connect or the last connection failed; empty until one has failed. It
  /// contains no secret, so it may be logged.
  std::string const& last_fault() const;

 private:
  std::shared_ptr<backend> impl_;
};

/// Sends the calls of one script that are made in the same turn of the event loop as one EVALSHA. The script takes
/// the keys and arguments of any number of calls in sequence, and replies with an array of one reply for each call.
/// In a Cluster the batch sends one EVALSHA for each slot, because a script may touch only one slot. The EVALSHAs for
/// one master leave in one write. Worker-local; the client outlives it.
class script_batch {
 public:
  script_batch(client& redis, script const& script, reply_wait wait = reply_wait::prompt);
  ~script_batch();
  script_batch(script_batch const&) = delete;
  script_batch& operator=(script_batch const&) = delete;

  /// Like `client::evaluate`; each call has a key. Calls run in the order in which they were made; in a Cluster this
  /// holds for the calls of one slot. The views must live until it returns. A batch has the latest deadline of its
  /// calls, and waits as `reply_wait` says. If a batch is missed or unsent, all its calls are.
  task<outcome> evaluate(std::span<std::string_view const> keys, std::span<std::string_view const> arguments,
                         deadline until);

  /// Redis does nothing else while a batch runs, so more calls than this are sent as several batches.
  static constexpr std::size_t most_calls = 32;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::redis
