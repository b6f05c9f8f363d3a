#pragma once

#include "stand_in.hpp"
#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::test {

/// A stand-in for the service with an svc-runner that works for it.
class workshop {
 public:
  struct options {
    std::string sandbox = "auto";
    std::string lines{};                     ///< of the configuration, in addition to the usual ones
    std::vector<std::string> environment{};  ///< `NAME=value`
    bool as_nobody = false;                  ///< only root can choose that
    bool token_in_environment = false;
  };
  workshop() : workshop(options{}) {}
  explicit workshop(options const& options);

  stand_in& service() { return *stand_in_; }
  test::service& runner() { return *runner_; }
  std::string const& directory() const { return directory_.path(); }
  std::string token_file() const { return directory_.path() + "/token"; }
  /// Starts it again after it has ended, in the same place.
  void start_runner();
  /// The isolation according to the first line of the log.
  std::string const& isolation() const { return isolation_; }
  bool sandboxed() const { return isolation_.starts_with("bubblewrap"); }
  /// True if the runs' directories are gone.
  bool scratch_is_empty() const;

  /// A run of `command` tests with these scripts; returns its id, which is unique over all tests.
  std::string run(std::vector<std::string> const& scripts, boost::json::object members = {});
  /// The same, until its end.
  boost::json::object run_to_end(std::vector<std::string> const& scripts, boost::json::object members = {},
                                 std::string* id = nullptr);

  static constexpr char const* token = "svc_runner_0123456789abcdefghijABCDEFGHIJ012abcdef";

 private:
  temporary_directory directory_;
  std::unique_ptr<stand_in> stand_in_;
  std::optional<test::service> runner_;
  std::vector<std::string> arguments_{}, environment_{};
  std::string program_{};
  std::string isolation_{};
};

/// Seconds for a run whose time must be over soon, but not before its script has started: with other tests the start
/// of a sandbox may take one.
inline constexpr int short_timeout = 3;

std::string runner_binary();

/// Processes that have `SERVICE_RUN_ID=run` in their environment. Waits up to five seconds for them to end, because
/// killed processes may take a moment to vanish.
int processes_left(std::string const& run);

/// For what this machine does not allow to be shown; the sentence is in the test's output.
void not_shown(std::string const& subject);

bool is_root();

/// The modes to try, as this user and, where possible, as another.
std::vector<workshop::options> ways();
std::string name_of(workshop::options const& way);

std::string status_of(boost::json::object const& completion);
std::string details_of(boost::json::object const& completion, std::size_t test = 0);

}  // namespace svc::test
