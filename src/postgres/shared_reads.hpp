#pragma once

#include "postgres/pool_core.hpp"
#include "svc/core/pending.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace svc::postgres {

/// Reads that share round trips. A batch has the reads of one statement that are requested in one turn of the
/// event loop, or while two of its batches are in flight. It uses one connection and one Sync. Reads of
/// different statements never share, so a locked table delays only its own readers. A read never joins a
/// batch that was sent before its request, so it sees all commits before the request.
///
/// If the server refuses one read of a batch, each read is sent again on its own and gets its own answer. A
/// caller that gives up does not affect the others. Worker-local; owned by the pool.
class shared_reads {
 public:
  shared_reads(asio::io_context& io, pool_core& owner) : io_(io), owner_(owner) {}

  /// Throws `unavailable` if the database is unreachable, too many reads wait, or the deadline passes.
  task<outcome<rows>> read(query query, deadline until);

 private:
  static constexpr std::size_t most_together = 32;
  static constexpr int most_sent = 2;  ///< batches of a statement in flight

  struct waiting_read : pending<query, outcome<rows>> {
    waiting_read(executor const& executor, query query, deadline until)
        : pending(executor, std::move(query), until), until(until) {}
    deadline until;
  };
  using batch = std::vector<std::shared_ptr<waiting_read>>;
  struct line {
    std::deque<std::shared_ptr<waiting_read>> waiting{};
    int sent = 0;
    bool leaving = false;
  };

  void wake(line& line);
  task<> depart(line& line, std::shared_ptr<pool_core> alive);
  task<> send(line& line, batch together, std::shared_ptr<pool_core> alive);
  task<bool> attempt(batch const& together);

  asio::io_context& io_;
  pool_core& owner_;
  std::map<std::string_view, line> lines_{};  ///< by the statement's name; statements are constants of the program
};

}  // namespace svc::postgres
