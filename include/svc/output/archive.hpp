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

/// The events of ended runs as `append_stored` writes them, shared by all who read the same one. Worker-local; the
/// stores outlive it.
class archive {
 public:
  archive(redis::client& redis, store::output_store& outputs) : redis_(redis), outputs_(outputs) {}

  using text_ptr = std::shared_ptr<std::string const>;
  struct found {
    bool moving = false;   ///< not in PostgreSQL yet: Redis has it, or has lost it
    bool dropped = false;  ///< it was there, and the project has stored too much since
    text_ptr text{};       ///< null: moving, dropped, or the run has no output
  };
  /// What PostgreSQL holds. Throws `unavailable`; overloaded when readers of other runs hold too much.
  task<result<found>> stored(uuid run, deadline until);
  /// The same, and while it is moving what Redis holds. Never null. output_dropped.
  task<result<text_ptr>> all(uuid run, deadline until);

 private:
  result<text_ptr> keep(uuid run, std::string text);
  /// What Redis holds.
  task<std::string> moving(uuid run, deadline until);

  redis::client& redis_;
  store::output_store& outputs_;
  std::unordered_map<uuid, std::weak_ptr<std::string const>, uuid_hash> shared_{};
};

}  // namespace svc::output
