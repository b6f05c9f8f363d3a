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
  chosen,  ///< what the URL asks for; of several servers, the primary by default
  any      ///< a standby as well
};

/// Opens a libpq connection to one of `servers_of` and sets up the session without blocking. Throws `unavailable`
/// when it fails or the deadline passes; the look-up of a name may outlast that (`resolved`).
task<connection_handle> open_session(asio::io_context& io, settings const& settings, server_address server,
                                     session_target target, deadline until);

/// The first line of libpq's last error message.
std::string last_error(PGconn const* pg);

/// One session in pipeline mode: executes what `pipeline` decides. Worker-local; owned by the pool while
/// idle and by a lease while busy. One batch at a time.
class connection {
 public:
  connection(asio::io_context& io, connection_handle open, settings const& settings);
  ~connection();
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;

  /// Sends the batch with one Sync and collects its rows. Returns the error of a refused statement. Throws
  /// `unavailable` when the database is at fault or the deadline passes; unless its state is known, the connection is
  /// then closed (`now() == broken`), so that no other caller receives a late answer. After a deadline the socket may
  /// stay open: `owes_answer`. `read_only`: see `pipeline::start`.
  task<outcome<std::vector<rows>>> run(std::span<query const> batch, framing around, deadline until,
                                       bool read_only = false);

  /// True if a deadline passed while the server executes a batch that may write. The server does not notice that
  /// nobody waits any more, so its session lasts until the batch has ended.
  bool owes_answer() const { return late_ && pg_ != nullptr && !core_.read_only() && !dropped(); }
  /// Reads and forgets the answers that are owed. Returns when the server has ended the batch or the session, or
  /// after `drop`.
  task<> discard_answers();

  pipeline::phase now() const { return core_.now(); }
  /// Checks the idle socket. False: the server has ended the session, and the connection is now closed.
  bool still_alive();
  void close();
  /// Ends the session because of what its server is: a batch that runs throws `unavailable` with this reason, and
  /// nothing is sent any more.
  void drop(std::string reason);
  bool dropped() const { return !dropped_.empty(); }
  /// Only while it is open: by TLS; the process that the server or a pooler named at the start.
  bool encrypted() const { return PQsslInUse(pg_.get()) == 1; }
  int process() const { return PQbackendPID(pg_.get()); }
  /// Set once, by whoever opened the session.
  server_identity const& server() const { return server_; }
  void set_server(server_identity identity) { server_ = identity; }
  /// A caller's deadline ended the session, which does not prove that the database is at fault.
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
  /// Lives as long as the connection; tells a handler that runs later that the connection is gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool late_ = false;      ///< a deadline passed, and the batch was sent whole
  bool dying_ = false;     ///< the server announced that it ends this session
  std::string dropped_{};  ///< why
  server_identity server_{};
  // Reused for each statement.
  std::vector<char const*> values_;
  std::vector<int> lengths_, formats_;
};

}  // namespace svc::postgres
