#pragma once

#include "svc/postgres/query.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::postgres {

/// The meaning of a server error for the caller and for the connection. Immutable.
struct verdict {
  bool unavailable = false;  ///< infrastructure, not input: throws `svc::unavailable`
  bool close = false;        ///< the connection must not be used again

  friend bool operator==(verdict const&, verdict const&) = default;
};

/// Total: accepts any text. An empty code comes from libpq itself, which lost the connection.
verdict classify(std::string_view sqlstate);

/// The transaction commands around the statements of a batch.
enum class framing : std::uint8_t {
  implicit,   ///< none: all statements up to the Sync are one transaction, committed by it
  begins,     ///< BEGIN first: an explicit transaction stays open
  continues,  ///< inside an explicit transaction
  commits,    ///< COMMIT after the statements
  rolls_back  ///< only ROLLBACK
};

/// One message group of a batch. Each except `sync` yields one result and one end marker.
struct step {
  enum class kind : std::uint8_t { begin, settings, prepare, execute, direct, commit, rollback, sync, begin_reading };
  kind content = kind::sync;
  int statement = -1;             ///< position in the caller's batch
  char const* prepared{nullptr};  ///< zero-terminated name, for `prepare` and `execute`
};

/// A report of libpq, reduced to the facts that the decisions need.
struct event {
  enum class kind : std::uint8_t {
    value,    ///< a command's completion or its rows
    error,    ///< the server refused, or libpq lost the connection (empty sqlstate)
    aborted,  ///< not executed, because an earlier step of the batch failed
    end,      ///< no more results of this step
    sync,     ///< the batch is over; `state` is the state of the transaction that the server reports
    foreign   ///< anything else: COPY, an unknown status
  };
  enum class transaction : std::uint8_t { none, open, failed, unknown };
  kind content = kind::foreign;
  std::string_view sqlstate{};
  transaction state = transaction::unknown;
};

enum class reaction : std::uint8_t {
  go_on,       ///< the result has nothing to keep
  keep_rows,   ///< the result belongs to the caller's next statement
  keep_error,  ///< the first error, which the caller gets
  done,        ///< the batch is over and all its results were read
  close        ///< an unexpected result, or the connection is lost: it must be closed
};

/// The protocol state of one connection, without its socket. It decides which messages a batch needs, what each
/// result means, and whether the connection may be used afterwards. One batch at a time is in flight. Worker-local,
/// owned by its connection.
class pipeline {
 public:
  enum class phase : std::uint8_t {
    ready,   ///< nothing in flight, no transaction: the connection may be lent
    open,    ///< nothing in flight, inside an explicit transaction
    failed,  ///< nothing in flight, the transaction failed: only ROLLBACK is allowed
    busy,    ///< the server owes results
    broken   ///< closed, or must be closed
  };

  explicit pipeline(bool prepared_statements) : prepares_(prepared_statements) {}

  /// Returns the messages to send, in order; the phase becomes `busy`. Throws `std::logic_error` for two bugs: a
  /// framing that does not fit the phase, and two statements with the same name. With `read_only` the server refuses
  /// writes in a transaction that starts here; a commit without writes waits for no standby.
  std::vector<step> const& start(std::span<query const> batch, framing around, bool read_only = false);
  /// Total: accepts any sequence of events.
  reaction on(event const& event);
  /// Gives up: the deadline passed, the caller is gone, or the socket failed. A batch in flight breaks the
  /// connection.
  void abandon();
  /// Records that the connection is closed.
  void shut() { phase_ = phase::broken; }

  phase now() const { return phase_; }
  /// Returns the meaning of the first error. Valid after `keep_error` until the next `start`.
  verdict current_verdict() const { return current_verdict_; }
  bool has_failed() const { return has_failed_; }
  /// True if the current or the last transaction was read-only by `start`.
  bool read_only() const { return read_only_; }

 private:
  struct known_statement {
    std::string sql;
    bool on_server = false;
  };

  void require(framing around, bool empty) const;
  verdict classify_here(std::string_view sqlstate) const;
  void add_statement(query const& query, int index);
  reaction result(event const& event);
  reaction finish(event const& event);
  reaction break_off();

  bool prepares_;
  phase phase_ = phase::ready;
  bool has_failed_ = false;
  bool read_only_ = false;
  bool awaits_end_ = false;  ///< the current step has given its result
  verdict current_verdict_{};
  std::size_t current_ = 0;  ///< the step of the next results
  std::vector<step> steps_;
  // A node-based map is required because `step::prepared` points into the keys.
  std::map<std::string, known_statement, std::less<>> statements_;
};

}  // namespace svc::postgres
