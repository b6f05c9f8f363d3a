#pragma once

#include "postgres/pipeline.hpp"
#include "postgres/servers.hpp"
#include "postgres/watchdog.hpp"
#include "svc/core/result.hpp"
#include "svc/postgres/pool.hpp"

#include <libpq-fe.h>

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace svc::postgres {

struct finish_connection {
  void operator()(PGconn* c) const { PQfinish(c); }
};
struct clear_result {
  void operator()(PGresult* r) const { PQclear(r); }
};
using connection_handle = std::unique_ptr<PGconn, finish_connection>;
using result_handle = std::unique_ptr<PGresult, clear_result>;

/// The caller's deadline passed, which does not prove that the database is at fault.
class deadline_passed : public unavailable {
 public:
  using unavailable::unavailable;
};

enum class session_target : std::uint8_t {
  chosen,  ///< the target of the URL; among several servers, the primary by default
  any      ///< a standby as well
};

/// Opens a libpq connection to one of `servers_of` and sets up the session without blocking. Throws
/// `unavailable` if it fails or the deadline passes; the look-up of a name may outlast the deadline
/// (`resolved`).
task<connection_handle> open_session(asio::io_context& io, settings const& settings, server_address server,
                                     session_target target, deadline until);

/// Returns the first line of libpq's last error message.
std::string last_error(PGconn const* pg);

/// One session in pipeline mode: executes the decisions of `pipeline`, one batch at a time. Worker-local;
/// owned by the pool while idle and by a lease while busy.
class connection {
 public:
  connection(asio::io_context& io, connection_handle open, settings const& settings);
  ~connection();
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;

  /// Sends the batch with one Sync and collects its rows. Returns the error of a refused statement. Throws
  /// `unavailable` if the database is at fault or the deadline passes. A connection of unknown state is then
  /// closed (`now() == broken`), so that no other caller receives a late answer. After a deadline the socket
  /// may stay open (`owes_answer`). `pipeline::start` describes `read_only`.
  task<outcome<std::vector<rows>>> run(std::span<query const> batch, framing around, deadline until,
                                       bool read_only = false);

  /// Returns true if a deadline passed while the server executes a batch that may write. The server does not
  /// notice the caller's end, so its session lasts until the batch has ended.
  bool owes_answer() const { return late_ && pg_ != nullptr && !core_.read_only() && !dropped(); }
  /// Reads and drops the owed answers. Returns when the server has ended the batch or the session, or after
  /// `drop`.
  task<> discard_answers();

  pipeline::phase now() const { return core_.now(); }
  /// Checks the idle socket. Returns false if the server has ended the session; the connection is then
  /// closed.
  bool still_alive();
  void close();
  /// Ends the session because its server must not be used: a running batch throws `unavailable` with this
  /// reason, and no more bytes are sent.
  void drop(std::string reason);
  bool dropped() const { return !dropped_.empty(); }
  /// True if the session uses TLS. Requires an open connection, as does `process`, which the server or a
  /// pooler named.
  bool encrypted() const { return PQsslInUse(pg_.get()) == 1; }
  int process() const { return PQbackendPID(pg_.get()); }
  /// The function that opens the session sets it once.
  server_identity const& server() const { return server_; }
  void set_server(server_identity identity) { server_ = identity; }
  /// Returns true if a caller's deadline ended the session, which does not prove that the database is at
  /// fault.
  bool timed_out() const { return dog_.expired(); }

 private:
  // The state of one batch; lives in the frame of `run`.
  struct collected_answers {
    std::vector<rows> values;
    std::optional<server_error> refused;
  };

  void send(std::span<query const> batch, std::vector<step> const& steps);
  bool send_command(char const* sql);
  bool send_step(std::span<query const> batch, step const& step);
  bool send_statement(query const& query, step const& step);
  bool take_results(collected_answers& into);
  event observe(PGresult const* result) const;
  bool flush();
  void watch_writable();
  [[noreturn]] void lose(std::string const& reason);
  [[noreturn]] void expire(bool sent_whole);
  static void notice(void* self, PGresult const* result);

  asio::posix::basic_stream_descriptor<executor> socket_;
  connection_handle pg_;
  pipeline core_;
  watchdog dog_;
  /// The milliseconds for `settings_of_transaction`, for sessions that set them in each transaction.
  std::array<std::string, 3> limits_;
  /// Lives as long as the connection, so that a handler that runs later notices the connection's end.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool late_ = false;      ///< a deadline passed, and the batch was sent whole
  bool dying_ = false;     ///< the server announced that it ends this session
  std::string dropped_{};  ///< the reason of `drop`
  server_identity server_{};
  // Reused for each statement.
  std::vector<char const*> values_;
  std::vector<int> lengths_, formats_;
};

/// The answer of a server about itself. A value.
struct identified_server {
  server_identity identity{};
  bool pooled = false;  ///< a pooler answers in between, and invents the session's process
};

/// Asks the server of an open session for its identity, in one round trip without a lock. A server whose
/// functions differ or may not be called has no identity. Throws `unavailable`.
task<identified_server> identify(connection& connection, deadline until);

}  // namespace svc::postgres
