#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/redis/client.hpp"

#include <memory>
#include <string>
#include <unordered_map>

namespace svc::store {
class output_store;
}

namespace svc::output {

/// The events of ended runs as `append_stored` writes them. Concurrent readers of a run share one text. Worker-local;
/// the stores outlive it.
class archive {
 public:
  archive(redis::client& redis, store::output_store& outputs) : redis_(redis), outputs_(outputs) {}

  using text_ptr = std::shared_ptr<std::string const>;
  struct found {
    bool moving = false;   ///< not in PostgreSQL yet: Redis holds it or has lost it
    bool dropped = false;  ///< deleted from PostgreSQL: the project has exceeded its quota
    text_ptr text{};       ///< null: moving, dropped, or the run has no output
  };
  /// What PostgreSQL holds. Throws `unavailable`. Returns overloaded when the texts in use take too much memory.
  task<result<found>> stored(uuid run, deadline until);
  /// As `stored`, but while the output is moving, what Redis holds. Never null. Also returns output_dropped.
  task<result<text_ptr>> all(uuid run, deadline until);

 private:
  result<text_ptr> keep(uuid run, std::string text);
  /// What Redis holds. Throws `unavailable`.
  task<std::string> moving(uuid run, deadline until);

  redis::client& redis_;
  store::output_store& outputs_;
  std::unordered_map<uuid, std::weak_ptr<std::string const>, uuid_hash> shared_{};
};

}  // namespace svc::output
