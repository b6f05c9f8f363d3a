#pragma once

#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/shared_texts.hpp"
#include "svc/core/uuid.hpp"
#include "svc/live/output/output_writer.hpp"
#include "svc/redis/client.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace svc::store {
class output_store;
}

namespace svc::output {

/// Returns the terms of the account of memory for the outputs that are being read. The account holds four times the
/// share of a project, which is 16 MiB or twice the largest output, whichever is more.
account_terms archive_terms(output_limits const& limits);

/// Reads the events of ended runs as `append_stored` writes them. Concurrent readers of a run share one text. The
/// archive charges the size of a text to the project's share of `held` before it reads and inflates the text.
/// Worker-local; the stores and the account outlive it.
class archive {
 public:
  archive(asio::io_context& io, redis::client& redis, store::output_store& outputs, account& held)
      : redis_(redis), outputs_(outputs), held_(held), texts_(io) {}

  using text_ptr = std::shared_ptr<std::string const>;
  struct found_part {
    bool moving = false;   ///< not in PostgreSQL yet: Redis holds the output or has lost it
    bool dropped = false;  ///< deleted from PostgreSQL: the project has exceeded its quota
    text_ptr text{};       ///< null: moving, dropped, or the run has no output
  };
  /// Returns the output that PostgreSQL holds. Throws `unavailable`. Returns overloaded when the outputs in use take
  /// too much memory.
  task<result<found_part>> stored(uuid project, uuid run, deadline until);
  /// The same as `stored`, but returns Redis's copy while the output is moving. Never null. Also returns
  /// output_dropped.
  task<result<text_ptr>> all(uuid project, uuid run, deadline until);

 private:
  /// Returns a text that holds nothing yet.
  std::shared_ptr<shared_text> new_text(uuid project) const;
  task<result<shared_text_ptr>> inflate(uuid project, uuid run, std::size_t size, deadline until);
  /// Reads the output that Redis holds. Throws `unavailable`.
  task<result<shared_text_ptr>> moving(uuid project, uuid run, deadline until);

  redis::client& redis_;
  store::output_store& outputs_;
  account& held_;
  shared_texts texts_;  ///< by the run's id
};

}  // namespace svc::output
