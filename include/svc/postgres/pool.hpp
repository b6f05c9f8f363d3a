#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/secret.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/postgres/server_identity.hpp"

#include <boost/system/result.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

namespace svc {
class account;
struct account_terms;
}  // namespace svc

namespace svc::postgres {

/// Returns the `target_session_attrs` that libpq gets in addition to this connection string; null: none. If the
/// string names several hosts, one of them may be a standby, which returns old data. The pool therefore accepts only
/// a primary, unless the operator chooses otherwise (in the string or in PGTARGETSESSIONATTRS).
char const* default_session_target(char const* url);

/// A setting that decides how soon each side of a session notices that the other side has vanished. Keepalives notice
/// it on an idle session; their values are seconds, or a number of probes. On other sessions unacknowledged data
/// shows it; the value of `tcp_user_timeout` is in milliseconds. The URL may override the client's side.
struct tcp_setting {
  char const* client;  ///< libpq's keyword
  char const* server;  ///< the server's setting
  char const* value;
};
inline constexpr tcp_setting tcp_settings[] = {{"keepalives_idle", "tcp_keepalives_idle", "5"},
                                               {"keepalives_interval", "tcp_keepalives_interval", "2"},
                                               {"keepalives_count", "tcp_keepalives_count", "3"},
                                               {"tcp_user_timeout", "tcp_user_timeout", "5000"}};

/// The result of a statement, or the server's refusal. An unavailable database throws `svc::unavailable` instead.
template <class T>
using outcome = boost::system::result<T, server_error>;
/// The server refused a statement whose caller expected no refusal: a mistake in the service, or a database that has
/// another schema or other rights.
class unexpected_refusal : public std::logic_error {
 public:
  explicit unexpected_refusal(server_error const& e)
      : std::logic_error("unchecked server error " + e.sqlstate + ": " + e.message), error_(e) {}
  server_error const& refusal() const { return error_; }

 private:
  server_error error_;
};
[[noreturn]] void throw_exception_from_error(server_error const& e, boost::source_location const&);

/// A check that must succeed on a server's timeline before the pool lends a session of that server.
struct timeline_entry {
  /// Takes the system identifier and the timeline, and returns one number. The pool runs it for each timeline until
  /// it succeeds. A database without the function is accepted, because its schema does not exist yet. Empty: no
  /// check.
  statement ask{};
  std::function<void(std::int64_t)> entered{};
};

struct settings {
  // libpq connection string or URI; among several hosts, the primary by default
  secret_string url{};
  int size = 8;                          ///< most connections of this worker
  bool prepared_statements = true;       ///< false for PgBouncer older than 1.21
  milliseconds connect_timeout{2000};    ///< for each server that the pool tries
  milliseconds statement_timeout{5000};  ///< the server's own limit
  milliseconds lock_timeout{2000};       ///< limit of a wait for another transaction's lock, within statement_timeout
  /// The longest pause between two statements of a transaction; the server ends the session after it. This frees the
  /// locks of a process that freezes or vanishes, because transactions that wait for them must proceed within five
  /// seconds. Our own pauses take milliseconds.
  milliseconds idle_in_transaction{3000};
  timeline_entry entry{};
  std::size_t max_waiting = 10'000;  ///< callers waiting for a connection; further callers get `unavailable`
  std::size_t max_waiting_of_project = 5'000;  ///< the same for the callers of one project
  account* connections = nullptr;              ///< counts lent connections, for operators; outlives the pool
};

/// Returns the terms of the account of the connections of `pools` pools, for `settings::connections`. Each pool
/// enforces its shares itself.
account_terms terms_of_connections(settings const& settings, int pools);

struct statistics {
  std::uint64_t queries = 0, transactions = 0, connects = 0, closed = 0, waits = 0, timeouts = 0;
  int idle = 0, busy = 0, waiting = 0;
  int abandoned = 0;       ///< sessions whose statement outlived its caller and that the server has not ended
  bool read_only = false;  ///< commits stall, and writes are refused
};

class connection;

/// An explicit transaction, for work in which later statements depend on earlier rows. Owns one connection;
/// move-only. Ends with `commit`. If it is destroyed without `commit`, its connection rolls back before it is lent
/// again, or is closed. BEGIN is sent with the first batch.
class unit_of_work {
 public:
  unit_of_work(unit_of_work&&) noexcept;
  unit_of_work& operator=(unit_of_work&&) = delete;
  ~unit_of_work();

  /// Runs the statements in order in one round trip. The first failure ends the transaction and is returned.
  task<outcome<std::vector<rows>>> run(std::vector<query> batch);
  task<outcome<rows>> run(query query);
  /// Runs the last statements and COMMIT in one round trip. Throws `unavailable` if the connection is lost meanwhile;
  /// the commit may or may not have happened then.
  task<outcome<std::vector<rows>>> commit(std::vector<query> last = {});

 private:
  friend class pool;
  struct state;
  explicit unit_of_work(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

/// A bounded set of connections. Worker-local; lives as long as the worker. Callers wait until a connection is free
/// or their deadline passes. The project that a deadline is charged to holds at most half of the connections.
/// Projects take turns; the pool serves the callers of one project in order of arrival. A session whose statement
/// outlives its caller's deadline counts until the server has ended it. Commits stall if no synchronous standby
/// confirms them. While half of the pool is lost to such commits, new transactions are read-only, and a transaction
/// that writes throws `unavailable`.
class pool {
 public:
  pool(asio::io_context& io, settings settings, std::function<void(bool)> on_change = {});
  ~pool();
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  void start();
  void stop();
  /// True if the pool has connected at least once since the last failure.
  bool healthy() const;
  /// Returns how long a caller whose project has room in its share has waited for a connection until now.
  /// Returns zero while no such caller waits, and while the database is unreachable, because waiting then
  /// says nothing about load.
  steady::duration queue_time(steady::time_point now) const;
  /// Returns how long the first caller of this project has waited for a connection until now, even if connections
  /// outside its share are free.
  steady::duration queue_time(account_owner const& owner, steady::time_point now) const;
  /// Requires the worker's thread. The pool connects to this primary from now on, and ends each session, idle or
  /// busy, whose server writes an older timeline. Ignores a primary that is older than the timeline that the pool has
  /// seen itself.
  void follow(primary_server const& where);

  /// Runs one statement in its own transaction, in one round trip.
  task<outcome<rows>> run(query query, deadline until);
  /// The same; sets `sent` to the time when the statement is sent, after the wait for a connection.
  task<outcome<rows>> run(query query, deadline until, steady::time_point& sent);
  /// Reads a few small rows by a key, without a lock. The read shares a connection and a round trip with other reads
  /// of the same statement, and waits for the largest answer among them.
  task<outcome<rows>> read(query query, deadline until);
  /// Runs several statements as one transaction with one commit, in one round trip.
  task<outcome<std::vector<rows>>> run(std::vector<query> batch, deadline until);
  /// Waits for a connection; sends nothing yet.
  task<unit_of_work> begin(deadline until);

  statistics stats() const;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::postgres
