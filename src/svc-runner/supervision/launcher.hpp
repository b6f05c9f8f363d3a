#pragma once

#include "svc-runner/supervision/supervision.hpp"
#include "svc/core/async.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <map>
#include <memory>

namespace svc::runner {

/// A supervisor with its program, seen from the runner. Dropping it ends both. Worker-local.
struct supervised_process {
  using pipe_end = asio::posix::basic_stream_descriptor<executor>;
  using socket = asio::basic_stream_socket<asio::local::stream_protocol, executor>;

  supervised_process(asio::io_context& io, int out_end, int err_end, int control_end, pid_t number)
      : out(io.get_executor(), out_end),
        err(io.get_executor(), err_end),
        control(io.get_executor(), asio::local::stream_protocol(), control_end),
        pid(number) {}

  /// Asks the supervisor to end everything; the report follows as usual. `grace`: time from SIGTERM to SIGKILL; 0:
  /// SIGKILL at once, also after a call that gave a grace.
  void end(milliseconds grace = milliseconds(0));

  pipe_end out, err;
  socket control;
  pid_t pid;
  bool notified = false;  ///< the whole task was written: an `end_line` may follow
};

/// Starts supervisors and reaps them. Worker-local; lives as long as the runner.
class launcher {
 public:
  /// `supervisor`: the path of this program, which calls `supervise` when started with `supervise_argument`.
  launcher(asio::io_context& io, std::string supervisor) : io_(io), supervisor_(std::move(supervisor)) {}

  /// Starts a supervisor; `report` sends it the task. The supervisor keeps the descriptor `held` (or -1) open to its
  /// end, so that its user id stays held if this process dies first. Throws `std::runtime_error` when no process can
  /// be started.
  std::unique_ptr<supervised_process> start(int held);

  /// Sends the task, waits for the end and reaps the supervisor. Never throws because of the supervisor.
  task<supervision_report> report(supervised_process& process, supervision supervision);

  /// Ends everything at once and waits for that, ten seconds at most; for the end of this program.
  void end_all();

 private:
  /// Kills processes that outlived a killed supervisor; they become our children, because we are a subreaper.
  void end_strays();
  bool end_strays_of_now();

  asio::io_context& io_;
  std::string supervisor_;
  std::map<pid_t, supervised_process*> live_{};  ///< not reaped yet
};

/// The argument that makes this program a supervisor, and the descriptor of its task.
inline constexpr char const* supervise_argument = "supervise";
inline constexpr int supervise_descriptor = 3;

}  // namespace svc::runner
