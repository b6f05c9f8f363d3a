#pragma once

#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::test {

/// Returns the `svc` under test: SVC_CLI_BIN, otherwise the one next to the running test binary.
std::string client_binary();
/// True for root if a process may have its own mounts, which not every container allows.
bool can_mount();

struct terminal_size {
  int columns = 80, rows = 24;
};

/// The start of an `svc` by a test. Its environment is clean. It has PATH, LANG=C.UTF-8, TZ=UTC, TERM on a terminal,
/// the options of sanitizers, HOME and XDG_* below `home`, and the additions of the test.
struct invocation {
  std::vector<std::string> arguments{};
  std::vector<std::string> environment{};   ///< `NAME=value`; overrides the clean environment
  std::optional<std::string> input = "";    ///< all of stdin; nothing: it stays open for `write`
  std::string directory{};                  ///< the working directory; empty: `home`
  std::string home{};                       ///< empty: a temporary directory of only this process
  std::optional<terminal_size> terminal{};  ///< stdout and stderr are one pseudo-terminal; stdin too, without `input`
};

struct svc_result {
  int code = 0;     ///< the exit code, or 128 + the signal
  std::string out;  ///< on a terminal: everything, with its `\r\n`
  std::string err;  ///< on a terminal: empty
  std::chrono::milliseconds elapsed{};
  long max_rss_kib = 0;
};

/// One running `svc`. Start it on the main thread, because it dies with the thread that started it. The destructor
/// kills and reaps it.
class svc_process {
 public:
  explicit svc_process(invocation const& invocation, std::string const& program = client_binary());
  ~svc_process();
  svc_process(svc_process const&) = delete;
  svc_process& operator=(svc_process const&) = delete;

  pid_t pid() const { return pid_; }
  collected_output const& out() const { return *out_; }
  collected_output const& err() const { return *err_; }
  /// Writes to stdin, which must have been left open, or is the terminal.
  void write(std::string_view bytes) const;
  void close_input();
  void signal(int number) const;
  /// Waits for the end. Throws, with the output, if the process has not ended after `patience`.
  svc_result wait(std::chrono::seconds patience = std::chrono::seconds(60));

 private:
  void start(invocation const& invocation, std::string const& program);

  std::optional<temporary_directory> own_home_;
  std::chrono::steady_clock::time_point started_;
  pid_t pid_ = 0;
  int input_ = -1;
  std::optional<collected_output> out_, err_;
};

/// Runs `svc` to its end.
svc_result run_svc(invocation const& invocation);

/// Returns the variables that a user of a `svcd dev` exports: SERVICE_URL, SERVICE_CACERT and SERVICE_TOKEN. `more`
/// overrides them.
std::vector<std::string> environment_of(dev_service const& service, std::vector<std::string> const& more = {});

}  // namespace svc::test
