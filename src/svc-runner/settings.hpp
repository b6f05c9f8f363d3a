#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/log.hpp"
#include "svc/core/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace svc::runner {

enum class sandbox_mode : std::uint8_t {
  automatic,   ///< bubblewrap where it works, else what is left, with a warning
  bubblewrap,  ///< bubblewrap, or no start
  none,        ///< limits only
};

/// What settings that end in `_mb` count.
constexpr std::int64_t mebibyte = 1024 * 1024;

/// What one test's processes may use, all together where cgroups hold.
struct run_limits {
  std::int64_t memory_mb = 1024;
  std::int64_t processes = 256;
  std::int64_t cpu_percent = 100;     ///< 100 is one core
  std::int64_t file_mb = 1024;        ///< the largest file
  std::int64_t disk_mb = 512;         ///< of a run's directory, and of its /tmp and /dev/shm each; 0: not bounded
  milliseconds timeout{0};            ///< above a run's own it counts; 0: only the run's own
  milliseconds timeout_grace{5'000};  ///< between SIGTERM and SIGKILL of what runs over its time
  milliseconds cancel_grace{1'000};   ///< the same of what is cancelled or handed back
  std::int64_t output_lines = 40'000;
  std::int64_t output_kb = 3072;
  std::int64_t secret_kb = 1024;  ///< of a run's secret variables together
};

/// All that an operator chooses. Immutable after the start.
struct settings {
  std::string url{};
  std::string ca_file{};
  secret_string token{};
  std::string token_file{};
  std::string name{};
  std::vector<std::string> labels{};  ///< empty: each job type whose tool is found
  std::int64_t concurrency = 2;
  std::string work_dir{};
  milliseconds grace{30'000};
  std::string log_level = "info";
  std::string sandbox = "auto";
  bool allow_network = false;
  std::vector<std::string> read_only{};  ///< further paths that scripts see
  std::int64_t first_uid = 1'900'000'000;
  run_limits limits{};
  std::string playwright_modules{};
  std::string playwright_browser{};

  sandbox_mode mode() const;
  log::level least() const;
};

/// One key of the configuration; the table of these is the only list.
struct setting {
  using place = std::variant<std::string settings::*, secret_string settings::*, std::vector<std::string> settings::*,
                             std::int64_t settings::*, bool settings::*, milliseconds settings::*,
                             std::int64_t run_limits::*, milliseconds run_limits::*>;
  std::string_view name;
  place target;
  std::string_view help;
  std::int64_t least = 0;  ///< numbers; milliseconds for durations
  std::int64_t most = 0;

  /// `SVC_RUNNER_A_B` for `a.b`.
  std::string variable() const;
};

std::vector<setting> const& all_settings();

/// Where values come from; later ones win.
struct settings_sources {
  std::string file{};                      ///< TOML; empty: none
  std::vector<std::string> environment{};  ///< `NAME=value`; others than SVC_RUNNER_* are passed over
  std::string home{};                      ///< for the default working directory of those who are not root
  bool root = false;
};

struct loaded_settings {
  settings values{};
  std::vector<std::string> problems{};  ///< each names its key or file and never a secret
};

/// Reads, checks and completes: the token is read from its file, name and working directory get defaults.
loaded_settings load_settings(settings_sources const& from);

}  // namespace svc::runner
