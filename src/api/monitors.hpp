#pragma once

#include "svc/api/services.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/monitor.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/json_text.hpp"
#include "svc/store/monitors/check_history.hpp"
#include "svc/store/monitors/outage_store.hpp"

#include <boost/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// The JSON of monitors: the form that the contract shows, and bodies that the contract has checked.

namespace svc::api {

/// Writes the settings of a monitor, by the contract's names.
void monitor_settings_json(http::json_text& out, monitor_settings const& set);

/// Writes the contract's `Monitor`.
void monitor_json(http::json_text& out, monitor const& monitor, timestamp now);

/// Writes the contract's `MonitorResult`.
void monitor_result_json(http::json_text& out, store::listed_result const& result);

/// Writes the contract's `Outage`.
void outage_json(http::json_text& out, store::outage const& outage);

/// The faults of a monitor's check, and the duration of its attempts. Finding them requires compiling the monitor's
/// regular expressions. Therefore an edit compiles them before it locks the monitor, and only looks here under the
/// lock.
class check_verdict {
 public:
  struct outcome {
    std::vector<field_error> wrong{};
    std::int64_t attempts_seconds = 1;
  };
  using question = std::function<outcome()>;

  /// Stops compiling: unknown settings have no outcome from now on.
  void close() { closed_ = true; }
  /// Allows compiling again: `find` compiles unknown settings from now on.
  void open() { closed_ = false; }
  /// Returns the outcome for settings that `key` describes in full, or null if the settings differ and this object is
  /// closed.
  outcome const* find(std::string key, question const& ask);

 private:
  bool closed_ = false;
  std::string key_{};
  std::optional<outcome> known_{};
};

/// Reads the contract's `CreateMonitor`, which the contract has checked and filled with defaults. `before` holds the
/// current settings of the monitor, or null for a new one. The current interval may be shorter than a new one, and
/// the current regular expressions larger.
///
/// Returns `validation_failed` for errors that no schema can express:
/// - a new name with a hidden character;
/// - members that contradict each other;
/// - an address that is closed to checks;
/// - checks that take too long;
/// - features that this version does not support yet.
///
/// Returns `overloaded` if `verdict` is closed and does not know the settings. The database checks that the providers
/// exist.
result<monitor_settings> read_monitor(boost::json::object const& body, monitor_rules const& rules, timestamp now,
                                      monitor_settings const* before = nullptr, check_verdict* verdict = nullptr);

/// Returns the settings after a merge patch, `UpdateMonitor`. A mask keeps the stored secret. Returns
/// `validation_failed` when the settings do not fit `CreateMonitor`, and `overloaded` as `read_monitor` does.
result<monitor_settings> patch_monitor(http::body_validator& contract, monitor const& current,
                                       boost::json::object const& patch, monitor_rules const& rules, timestamp now,
                                       check_verdict* verdict = nullptr);

}  // namespace svc::api
