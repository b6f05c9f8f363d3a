// Finds out which isolation works here, by running `true` in it.

#include "svc-runner/adapter.hpp"
#include "svc-runner/isolation/scratch.hpp"
#include "svc-runner/supervision/launcher.hpp"
#include "svc/core/spawn_task.hpp"

#include <boost/asio/read.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace svc::runner {
namespace {

constexpr std::int64_t nobody = 65534;
constexpr milliseconds longest_trial{60'000};

/// Returns true if this process may become that user (in a container, few ids may exist).
bool may_become(std::int64_t id) {
  pid_t const pid = ::fork();
  auto const user = static_cast<uid_t>(id);
  if (pid == 0) ::_exit(::setresgid(user, user, user) == 0 && ::setresuid(user, user, user) == 0 ? 0 : 1);
  int status = 1;
  return pid > 0 && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct trial {
  bool good = false;
  std::string said{};  ///< the first line of its error output, or the reason why it did not start
};

task<> try_out(asio::io_context& io, std::string const& supervisor, supervision const& supervision, int held,
               trial& out) {
  launcher start(io, supervisor);
  auto process = start.start(held);
  steady_timer late(io.get_executor(), longest_trial);
  late.async_wait([&process](boost::system::error_code ec) {
    if (!ec) process->end();
  });
  auto const report = co_await start.report(*process, supervision);
  late.cancel();
  boost::system::error_code ec;
  asio::read(process->err, asio::dynamic_buffer(out.said, 4096), ec);
  out.said = report.error.empty() ? out.said.substr(0, out.said.find('\n')) : report.error;
  out.good = report.error.empty() && report.exit_code == 0;
}

class prober {
 public:
  prober(toolbox const& tools, settings const& settings, std::string const& supervisor)
      : tools_(tools), settings_(settings), supervisor_(supervisor) {}

  trial run(isolation const& isolation) const {
    return run(isolation, [this](scratch const&, std::string const&) {
      return command_line{.arguments = {"/bin/sh", "-c", "exec true"}, .environment = {{"PATH", tools_.path}}};
    });
  }

  /// `prepare` gets the directory and the path at which the script sees it.
  template <class Prepare>
  trial run(isolation const& isolation, Prepare prepare) const try {
    std::string const name = "probe-" + std::to_string(::getpid());
    scratch const directory(settings_.work_dir, name, {isolation.uid_of(0), isolation.disk_mb});
    directory.write("svc-runner-probe", "written");
    auto line = prepare(directory, seen_scratch(isolation, directory.path()));
    asio::io_context io;
    trial out;
    auto const task = plan(isolation, tools_, settings_, std::move(line), directory.path(), 0, name);
    spawn_task(io, try_out(io, supervisor_, task, isolation.hold_of(0), out));
    io.run();
    return out;
  } catch (std::exception const& e) {
    return {.good = false, .said = e.what()};
  }

 private:
  toolbox const& tools_;
  settings const& settings_;
  std::string const& supervisor_;
};

void choose_user(isolation& into, settings const& settings) {
  if (::geteuid() != 0) return;
  if (may_become(settings.first_uid)) into.users = hold_uids(settings.first_uid, settings.concurrency);
  if (!into.users.empty() && may_become(into.users.back().uid())) {
    into.own_uid = true;
    return;
  }
  into.users.clear();
  if (!may_become(nobody))
    throw std::runtime_error("started as root without the right to change the user: scripts would run as root");
  auto held = uid_hold::take(nobody);
  if (!held)
    throw std::runtime_error(
        "no user id for scripts except that of nobody, which another runner on this machine uses: "
        "sandbox.first_uid must name ids that exist here");
  into.users.push_back(std::move(*held));
}

/// Uses a tmpfs for each run if one can be mounted.
void choose_disk(isolation& into, settings const& settings, prober const& probe) {
  into.disk_mb = settings.limits.disk_mb;
  if (!probe.run(into).good) into.disk_mb = 0;
}

void choose_sandbox(isolation& into, toolbox const& tools, settings const& settings, prober const& probe) {
  if (settings.mode() == sandbox_mode::none) return;
  if (tools.bubblewrap.empty()) {
    into.why_not = "no bwrap in PATH (Debian: bubblewrap)";
  } else {
    into.bubblewrap = true;
    for (bool const strict : {true, false}) {
      into.no_more_namespaces = strict;
      auto const tried = probe.run(into);
      if (tried.good) return;
      into.why_not = tried.said.empty() ? "bwrap failed" : tried.said;
    }
    into.bubblewrap = false;
  }
  if (settings.mode() == sandbox_mode::bubblewrap)
    throw std::runtime_error("sandbox.mode is bubblewrap, which does not work here: " + into.why_not);
}

/// True when the file is in a directory that other users may not enter: scripts, which run as another user, can
/// neither reach it nor mount something over it.
bool out_of_reach(std::filesystem::path const& file) {
  for (auto path = file.parent_path(); path.has_relative_path(); path = path.parent_path()) {
    std::error_code none;
    auto const allowed = std::filesystem::status(path, none).permissions();
    if (!none && (allowed & std::filesystem::perms::others_exec) == std::filesystem::perms::none) return true;
  }
  return false;
}

}  // namespace

std::string try_job_type(job_type type, isolation const& isolation, toolbox const& tools, settings const& settings,
                         std::string const& supervisor) {
  // The other types need only their program, which may be anything.
  if (type != job_type::playwright) return {};
  auto const tried =
      prober(tools, settings, supervisor).run(isolation, [&](scratch const& directory, std::string const& seen) {
        return prepare_trial(tools, settings, directory, seen);
      });
  if (tried.good) return {};
  return "it fails in the sandbox of its runs: " + (tried.said.empty() ? "no reason given" : tried.said);
}

isolation find_isolation(toolbox const& tools, settings const& settings, std::vector<std::string> hidden,
                         std::string const& supervisor, bool own_mounts) {
  isolation out;
  for (auto const& file : hidden) {
    std::error_code none;
    auto const real = std::filesystem::canonical(file, none);
    if (!file.empty() && !none) out.hidden.push_back(real.string());
  }
  prober const probe(tools, settings, supervisor);
  choose_user(out, settings);
  if (out.own_uid) std::erase_if(out.hidden, out_of_reach);
  out.groups = probe_cgroups();
  if (out.groups.any() && !probe.run(out).good) out.groups = {};
  if (auto const plain = probe.run(out); !plain.good)
    throw std::runtime_error("no script can be started in " + settings.work_dir + ": " + plain.said);
  if (own_mounts && settings.limits.disk_mb > 0) choose_disk(out, settings, probe);
  out.filter = true;
  out.filter = probe.run(out).good;
  choose_sandbox(out, tools, settings, probe);
  return out;
}

}  // namespace svc::runner
