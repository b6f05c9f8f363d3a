#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/log.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/settings_table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace svc::runner {

enum class sandbox_mode : std::uint8_t {
  automatic,   ///< bubblewrap if it works, otherwise the best that the machine allows, with a warning
  bubblewrap,  ///< no start without bubblewrap
  none,        ///< limits only
};

/// The unit of settings whose names end in `_mb`.
constexpr std::int64_t mebibyte = 1024 * 1024;

/// The limits of one test's processes: for all of them together if cgroups work, otherwise for each.
struct run_limits {
  std::int64_t memory_mb = 1024;
  std::int64_t processes = 256;
  std::int64_t cpu_percent = 100;     ///< 100 is one core
  std::int64_t file_mb = 1024;        ///< the largest file
  std::int64_t disk_mb = 512;         ///< limit of a run's directory, of its /tmp and of its /dev/shm, each; 0: no
                                      ///< limit
  milliseconds timeout{0};            ///< upper bound for a run's own timeout; 0: none
  milliseconds timeout_grace{5'000};  ///< time between SIGTERM and SIGKILL after a timeout
  milliseconds cancel_grace{1'000};   ///< the same for a test that is cancelled or handed back
  std::int64_t output_lines = 40'000;
  std::int64_t output_kb = 3072;
  std::int64_t secret_kb = 1024;  ///< total of a run's secret variables
};

/// All choices of the operator. Immutable after the start.
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

/// The keys of `svc-runner`; reader, help and documentation use this table.
settings_table const& runner_settings();

/// The sources of values; the environment overrides the file.
struct settings_sources {
  std::string file{};                      ///< TOML; empty: none
  std::vector<std::string> environment{};  ///< `NAME=value`; only SVC_RUNNER_* is read
  std::string home{};                      ///< for the default working directory of a user other than root
  bool root = false;
};

struct loaded_settings {
  settings values{};
  std::vector<std::string> problems{};  ///< each names its key or file, never a secret
  std::vector<std::string> warnings{};  ///< settings that the next version will refuse
};

/// Reads and checks the settings; also reads the token from its file and fills in the default name and directory.
loaded_settings load_settings(settings_sources const& sources);

}  // namespace svc::runner
