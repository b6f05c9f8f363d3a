#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/store/change.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// What came of a test of a provider. A value.
struct provider_test {
  struct saved_provider {
    uuid id{};
    std::int64_t version = 0;  ///< that was tested
  };
  std::optional<saved_provider> provider{};  ///< nothing: it is not saved
  std::string name{}, type{};
  bool sent = true;  ///< otherwise it says nothing of the provider
  bool taken = false;
  std::string reason{};  ///< by the contract's names
  std::optional<std::int64_t> status{};
  milliseconds not_before{0};  ///< the provider asks that nothing is sent to it for so long
};

/// Tests of providers beside the queue of messages: they take a turn in the provider's pace, so that neither they nor
/// the message behind them come too early, and change nothing of the messages. Worker-local; the pool outlives it.
/// Every method throws `unavailable` when the database is gone or late.
class provider_test_store {
 public:
  explicit provider_test_store(postgres::pool& db) : db_(db) {}

  struct project_names {
    std::string slug{}, name{};
  };
  task<project_names> names_of(uuid project, deadline until);

  /// The longest that a test waits for its turn: longer than every usual pace.
  static constexpr milliseconds longest_wait{5000};
  /// Takes a turn that is `pace` long. Says how long to wait for its begin; nothing if that is longer than
  /// `longest_wait`, because the provider asked for a pause, or if it was deleted. A message that is due already is
  /// not put off.
  task<std::optional<milliseconds>> take_turn(uuid provider, milliseconds pace, deadline until);

  /// Writes what came of it, with its audit row. Of a provider that was changed meanwhile it says nothing,
  /// and neither does what was not sent.
  task<> record(editor editor, provider_test test, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
