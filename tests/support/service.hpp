#pragma once

#include "support/temporary_directory.hpp"

#include <sys/types.h>

#include <boost/json/object.hpp>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace svc::test {

/// Returns the svcd under test: SVC_BIN, otherwise the program next to the running test binary.
std::string service_binary();

/// Collects what can be read from a descriptor until its end. Owns the descriptor and a reading thread.
class collected_output {
 public:
  explicit collected_output(int descriptor);
  ~collected_output();
  collected_output(collected_output const&) = delete;
  collected_output& operator=(collected_output const&) = delete;

  std::string text() const;
  /// Returns the number of all lines, including those that were dropped.
  std::size_t lines() const;
  /// From now on keeps only the end of the output, at least that many bytes of it. This is for output that grows for
  /// hours, if no test waits for one of its lines.
  void keep_last(std::size_t bytes);
  /// Returns the first whole line that `wanted` accepts; nothing when the output ends or `patience` is over first.
  std::optional<std::string> wait_line(std::function<bool(std::string const&)> const& wanted,
                                       std::chrono::seconds patience) const;

 private:
  void read_all();
  void append(std::string_view got);

  int descriptor_;
  mutable std::mutex mutex_;
  mutable std::condition_variable grown_;
  std::string text_;
  std::size_t lines_ = 0, kept_ = std::numeric_limits<std::size_t>::max() / 2;
  bool ended_ = false;
  std::thread thread_;
};

/// One svcd process of a test. Start it on the main thread: it dies with the thread that started it. The destructor
/// kills and reaps it.
class service {
 public:
  /// `environment` has entries `NAME=value`, added to ours. `program` replaces svcd.
  explicit service(std::vector<std::string> const& arguments, std::vector<std::string> const& environment = {},
                   std::string const& program = service_binary());
  ~service();
  service(service const&) = delete;
  service& operator=(service const&) = delete;

  pid_t pid() const { return pid_; }
  collected_output const& out() const { return *out_; }
  collected_output const& err() const { return *err_; }
  collected_output& err() { return *err_; }
  /// Throws with the standard error of the process when the line does not come in time.
  std::string wait_error_line(std::string const& part) const;

  void signal(int number) const;
  /// Returns the exit code, or 128 + the signal; throws after 60 s.
  int wait();
  int stop();  ///< SIGTERM and wait
  void kill();

 private:
  pid_t pid_ = 0;
  int code_ = 0;
  std::optional<collected_output> out_;
  std::optional<collected_output> err_;
};

/// Notices the end of any process, even if another process reaps it.
class process_watch {
 public:
  explicit process_watch(pid_t pid);
  ~process_watch();
  process_watch(process_watch const&) = delete;
  process_watch& operator=(process_watch const&) = delete;

  /// Does nothing once it has ended.
  void signal(int number) const;
  bool ended_within(std::chrono::seconds patience = std::chrono::seconds(20)) const;

 private:
  int descriptor_;
};

/// An argument of `dev_service` that starts its runner; by default it has none.
inline constexpr char const* with_runner = "with runner";

/// An argument of `dev_service` that lets it make its cluster, secrets and sample data itself, as a first start does.
inline constexpr char const* from_nothing = "from nothing";

/// Runs `svcd dev --print json` on free ports. An empty directory gets data of an earlier start, because making the
/// data takes seconds. `program`, here and below, is another version of svcd, which makes its own data.
class dev_service {
 public:
  explicit dev_service(std::string const& directory, std::vector<std::string> const& more = {},
                       std::vector<std::string> const& environment = {},
                       std::string const& program = service_binary());
  /// Ends PostgreSQL too. Otherwise it would still write while its files are removed, and leave shared memory behind.
  ~dev_service();

  /// Returns the one line, parsed.
  boost::json::object const& line() const { return line_; }
  std::string text(std::string_view member) const;
  pid_t pid_of(std::string_view which) const;  ///< svcd, postgres, redis, runner
  service& process() { return process_; }

 private:
  service process_;
  boost::json::object line_;
  std::optional<process_watch> postgres_{};
};

/// Another instance on the stores of a `dev_service`.
class second_service {
 public:
  explicit second_service(dev_service const& beside, std::vector<std::string> const& environment = {},
                          std::string const& program = service_binary());

  std::string const& url() const { return url_; }
  std::string const& admin_url() const { return admin_url_; }
  service& process() { return process_; }

 private:
  service process_;
  std::string url_;
  std::string admin_url_;
};

/// An instance on the stores of a `dev_service` with its own configuration: that of dev, followed by lines that
/// contain the `[[listeners]]`.
class configured_service {
 public:
  configured_service(dev_service const& beside, std::string const& lines,
                     std::vector<std::string> const& environment = {}, std::string const& program = service_binary());

  /// Returns the address that listener number N bound, in the order of the configuration.
  std::string const& address(std::size_t listener) const { return addresses_.at(listener); }
  std::string const& admin_url() const { return admin_url_; }
  std::string const& config_file() const { return config_file_; }
  service& process() { return *process_; }

 private:
  temporary_directory directory_;
  std::string config_file_;
  std::vector<std::string> addresses_;
  std::string admin_url_;
  std::optional<service> process_;
};

/// Waits for the n-th line (counted from 1) of a process's log that contains `subject`.
inline bool logged(service const& process, std::string_view subject, int n) {
  return process.err()
      .wait_line([&](std::string const& line) { return line.find(subject) != std::string::npos && --n == 0; },
                 std::chrono::seconds(30))
      .has_value();
}

}  // namespace svc::test
