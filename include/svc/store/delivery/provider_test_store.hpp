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

/// The result of a test of a provider. A value.
struct provider_test {
  struct saved_provider {
    uuid id{};
    std::int64_t version = 0;  ///< the tested version
  };
  std::optional<saved_provider> provider{};  ///< nothing: the provider is not saved
  std::string name{}, type{};
  bool sent = true;  ///< false: nothing was sent, so the result does not concern the provider
  bool taken = false;
  std::string reason{};  ///< a name of the contract
  std::optional<std::int64_t> status{};
  milliseconds not_before{0};  ///< time for which the provider asks to receive nothing
};

/// Schedules and records tests of providers. A test takes a turn in the provider's pace, so that neither the test nor
/// the next message is sent too early. Tests do not change queued messages. Worker-local; the pool outlives it. Every
/// method throws `unavailable` when the database is gone or late.
class provider_test_store {
 public:
  explicit provider_test_store(postgres::pool& db) : db_(db) {}

  struct project_names {
    std::string slug{}, name{};
  };
  task<project_names> names_of(uuid project, deadline until);

  /// The longest time that a test waits for its turn. It exceeds the default pace of every type.
  static constexpr milliseconds longest_wait{5000};
  /// Takes a turn that is `pace` long, and returns the time until its start. Returns nothing if that time exceeds
  /// `longest_wait` because the provider asked for a pause, or if the provider was deleted. A message that is already
  /// due is not postponed.
  task<std::optional<milliseconds>> take_turn(uuid provider, milliseconds pace, deadline until);

  /// Writes the result and its audit row. The provider's health stays if the provider was changed meanwhile, or if
  /// nothing was sent.
  task<> record(editor editor, provider_test test, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
