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
#include <vector>

namespace svc {
class account;
struct account_terms;
}  // namespace svc

namespace svc::postgres {

/// The `target_session_attrs` that libpq gets in addition to this connection string; null: none. One of several hosts
/// may be a standby, which returns old data: only a primary is accepted, unless the operator chooses otherwise (in
/// the string or in PGTARGETSESSIONATTRS).
char const* default_session_target(char const* url);

/// How soon each side of a session notices that the other has vanished: on an idle session by keepalives, after this
/// many seconds and probes; otherwise by data that stays unacknowledged for this many milliseconds. The URL may
/// override the client's side.
struct tcp_setting {
  char const* client;  ///< libpq's keyword
  char const* server;  ///< the server's setting
  char const* value;
};
inline constexpr tcp_setting tcp_settings[] = {{"keepalives_idle", "tcp_keepalives_idle", "5"},
                                               {"keepalives_interval", "tcp_keepalives_interval", "2"},
                                               {"keepalives_count", "tcp_keepalives_count", "3"},
                                               {"tcp_user_timeout", "tcp_user_timeout", "5000"}};

/// A statement that the server refuses gives a value; an unavailable database throws `svc::unavailable`.
template <class T>
using outcome = boost::system::result<T, server_error>;
[[noreturn]] void throw_exception_from_error(server_error const& e, boost::source_location const&);

/// What must have happened on a server's timeline before one of its sessions is lent.
struct timeline_entry {
  /// Gets the system identifier and the timeline, and returns one number. Asked for each timeline until it has
  /// succeeded; a database without the function is entered all the same, because its schema is not there yet. Empty:
  /// nothing is asked.
  statement ask{};
  std::function<void(std::int64_t)> entered{};
};

struct settings {
  secret_string url{};                   ///< libpq connection string or URI; of several hosts, the primary by default
  int size = 8;                          ///< connections of this worker, at most
  bool prepared_statements = true;       ///< false for PgBouncer older than 1.21
  milliseconds connect_timeout{2000};    ///< for each server that is tried
  milliseconds statement_timeout{5000};  ///< the server's own limit
  milliseconds lock_timeout{2000};       ///< for waiting for another transaction's lock, within statement_timeout
  /// The longest pause between two statements of a transaction; after it the server ends the session. It frees the
  /// locks of a process that freezes or vanishes, because others that wait for them must go on within five seconds.
  /// Our own pauses take milliseconds.
  milliseconds idle_in_transaction{3000};
  timeline_entry entry{};
  std::size_t max_waiting = 10'000;            ///< callers waiting for a connection; more throw `unavailable`
  std::size_t max_waiting_of_project = 5'000;  ///< the same for those of one project
  account* connections = nullptr;              ///< counts what is lent, for operators; outlives the pool
};

/// The account of the connections of `pools` pools, for `settings::connections`. Each pool keeps its shares by
/// itself.
account_terms terms_of_connections(settings const& settings, int pools);

struct statistics {
  std::uint64_t queries = 0, transactions = 0, connects = 0, closed = 0, waits = 0, timeouts = 0;
  int idle = 0, busy = 0, waiting = 0;
  int abandoned = 0;       ///< sessions whose statement outlived its caller, and that the server has not ended
  bool read_only = false;  ///< commits stall, and what would write is refused
};

class connection;

/// An explicit transaction, for work in which later statements depend on earlier rows. Owns one connection;
/// move-only. Ends with `commit`; if it is destroyed without one, its connection rolls back before it is lent again,
/// or is closed. BEGIN is sent with the first batch.
class unit_of_work {
 public:
  unit_of_work(unit_of_work&&) noexcept;
  unit_of_work& operator=(unit_of_work&&) = delete;
  ~unit_of_work();

  /// One round trip, statements in order; the first that fails ends the transaction and is returned.
  task<outcome<std::vector<rows>>> run(std::vector<query> batch);
  task<outcome<rows>> run(query query);
  /// The last statements and COMMIT in one round trip. Throws `unavailable` when the connection is lost here: the
  /// commit may or may not have happened.
  task<outcome<std::vector<rows>>> commit(std::vector<query> last = {});

 private:
  friend class pool;
  struct state;
  explicit unit_of_work(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

/// A bounded set of connections. Worker-local; lives as long as the worker. Callers wait until a connection is free
/// or their deadline passes. The project that a deadline is charged to holds at most half of the connections, and
/// projects take turns; those of one project are served in order of arrival. A session whose statement outlives its
/// caller's deadline counts until the server has ended it. While half of the pool is lost to commits that no
/// synchronous standby confirms, transactions that begin are read-only, and one that writes throws `unavailable`.
class pool {
 public:
  pool(asio::io_context& io, settings settings, std::function<void(bool)> on_change = {});
  ~pool();
  pool(pool const&) = delete;
  pool& operator=(pool const&) = delete;

  void start();
  void stop();
  /// Connected at least once since the last failure.
  bool healthy() const;
  /// How long a caller whose project's share has room has waited for a connection until now. Zero while nobody does,
  /// and while the database is away: then waiting says nothing about load.
  steady::duration queue_time(steady::time_point now) const;
  /// How long the first caller of this project has waited for a connection until now, although others may be free.
  steady::duration queue_time(account_owner const& owner, steady::time_point now) const;
  /// On the worker's thread. Connects there from now on, and ends each session, idle or busy, whose server writes an
  /// older timeline. Takes nothing that is older than what the pool has seen itself.
  void follow(primary_place const& where);

  /// One statement in its own transaction, one round trip.
  task<outcome<rows>> run(query query, deadline until);
  /// The same; sets `sent` to the time when it is sent, after the wait for a connection.
  task<outcome<rows>> run(query query, deadline until, steady::time_point& sent);
  /// A read of few and small rows by a key, which takes no lock: it shares a connection and a round trip with others
  /// of the same statement, and waits for the largest answer among them.
  task<outcome<rows>> read(query query, deadline until);
  /// Several statements as one transaction and one commit, in one round trip.
  task<outcome<std::vector<rows>>> run(std::vector<query> batch, deadline until);
  /// Waits for a connection; sends nothing yet.
  task<unit_of_work> begin(deadline until);

  statistics stats() const;

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::postgres
