#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/http/public_pages/source.hpp"
#include "svc/redis/client.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace svc::public_pages {

/// The copies of pages in Redis, for instances that have lost PostgreSQL. Nothing here throws: a Redis that is gone
/// has no copies. Worker-local; the client outlives it.
class page_copies {
 public:
  /// Lifetime of a copy that no newer copy replaces.
  static constexpr std::chrono::hours life{7 * 24};

  /// `most` is the number of copies of the installation.
  page_copies(redis::client& redis, int most) : redis_(redis), most_(most) {}

  /// The answer of a read.
  template <class Value>
  struct answer {
    bool known = false;  ///< Redis answered
    Value value{};
  };

  /// Keeps the page, unless a newer copy is there or the page is too large even without texts.
  task<> put(page_ptr page, deadline until);
  /// Removes the copy and the names of a page that is not published any more.
  task<> remove(uuid id, deadline until);
  /// Returns the page of a name; empty if none has it.
  task<answer<std::optional<uuid>>> find(page_name name, deadline until);
  /// Returns a copy; null if there is none that this version of the program can read.
  task<answer<page_ptr>> read(uuid id, deadline until);
  /// Returns the ids of all copies.
  task<std::vector<uuid>> ids(deadline until);
  /// Returns true to one instance in each hour, which then refreshes all copies.
  task<bool> take_refresh(deadline until);
  /// Lets another attempt follow, because the refresh failed.
  task<> give_back_refresh(deadline until);

  static redis::script const& script();

 private:
  task<> run(uuid id, std::vector<std::string> arguments, deadline until);

  redis::client& redis_;
  int most_;
};

}  // namespace svc::public_pages
