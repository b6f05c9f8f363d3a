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

// The JSON of monitors: as the contract shows it, and as it is read from bodies that the contract has checked.

namespace svc::api {

/// What users set of a monitor, by the contract's names.
void monitor_settings_json(http::json_text& out, monitor_settings const& set);

/// The contract's `Monitor`.
void monitor_json(http::json_text& out, monitor const& monitor, timestamp now);

/// The contract's `MonitorResult`.
void monitor_result_json(http::json_text& out, store::listed_result const& result);

/// The contract's `Outage`.
void outage_json(http::json_text& out, store::outage const& outage);

/// The faults of a monitor's check, and how long its attempts take. Finding them means compiling its regular
/// expressions. Therefore an edit does it before it locks the monitor, and only looks here under the lock.
class check_verdict {
 public:
  struct outcome {
    std::vector<field_error> wrong{};
    std::int64_t attempts_seconds = 1;
  };
  using question = std::function<outcome()>;

  /// From now on nothing is compiled.
  void close() { closed_ = true; }
  /// From now on other settings are compiled.
  void open() { closed_ = false; }
  /// Returns the outcome for settings that `key` describes in full; nothing if they are others and this is closed.
  outcome const* find(std::string key, question const& ask);

 private:
  bool closed_ = false;
  std::string key_{};
  std::optional<outcome> known_{};
};

/// The contract's `CreateMonitor`, which the contract has checked, defaults filled in. `before`: the settings that
/// the monitor has already, with an interval that may be shorter and regular expressions that may be larger than new
/// ones; null: it is a new one. `validation_failed` for what no schema can say: what does not fit together, an
/// address that is closed to checks, checks that take too long, what this version does not support yet. `overloaded`
/// if `verdict` is closed and does not know the settings. The database knows which providers exist.
result<monitor_settings> read_monitor(boost::json::object const& body, monitor_rules const& rules, timestamp now,
                                      monitor_settings const* before = nullptr, check_verdict* verdict = nullptr);

/// The settings after a merge patch, `UpdateMonitor`. A mask keeps the stored secret. `validation_failed` when they
/// do not fit `CreateMonitor`, `overloaded` as above.
result<monitor_settings> patch_monitor(http::body_validator& contract, monitor const& current,
                                       boost::json::object const& patch, monitor_rules const& rules, timestamp now,
                                       check_verdict* verdict = nullptr);

}  // namespace svc::api
