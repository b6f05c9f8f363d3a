#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace svc::store {
class last_use_store;
class session_store;
}  // namespace svc::store

namespace svc::access {

/// Collects the times of use of tokens and sessions and writes them in batches, so that a request costs a map
/// entry, not a statement. Bounded. Worker-local.
class use_recorder {
 public:
  use_recorder(store::last_use_store& store, store::session_store& sessions) : store_(store), sessions_(sessions) {}

  void note(uuid const& token, timestamp time, std::string_view ip) { note(used_, token, time, ip); }
  /// The same for a session.
  void note_session(uuid const& session, timestamp time, std::string_view ip) {
    note(used_sessions_, session, time, ip);
  }
  /// Writes the collected uses. If the write fails, rethrows and keeps the uses for the next flush, except
  /// those of tokens that were used again since.
  task<> flush(deadline until);

 private:
  using uses = std::unordered_map<uuid, std::pair<timestamp, std::string>, uuid_hash>;

  static void note(uses& collected, uuid const& id, timestamp time, std::string_view ip);
  template <class Store>
  static task<> flush(uses& collected, Store& store, deadline until);

  store::last_use_store& store_;
  store::session_store& sessions_;
  uses used_, used_sessions_;
};

}  // namespace svc::access
