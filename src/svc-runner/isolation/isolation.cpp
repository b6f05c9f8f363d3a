#include "svc-runner/isolation/isolation.hpp"

#include "svc-runner/isolation/bubblewrap.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace svc::runner {
namespace {

/// Tasks of our own user, which RLIMIT_NPROC counts together with a script's.
std::int64_t own_tasks() {
  std::int64_t count = 0;
  std::error_code gone;
  for (auto const& entry : std::filesystem::directory_iterator("/proc", gone)) {
    auto const name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    struct stat about{};
    if (::stat(entry.path().c_str(), &about) != 0 || about.st_uid != ::geteuid()) continue;
    auto const tasks = std::filesystem::directory_iterator(entry.path() / "task", gone);
    if (!gone) count += std::distance(begin(tasks), end(tasks));
  }
  return count;
}

void wrap(supervision& out, isolation const& how, toolbox const& tools, settings const& with,
          command_line const& what, std::string const& scratch) {
  sandbox_view view;
  view.scratch = scratch;
  view.network = with.allow_network;
  view.read_only = with.read_only;
  view.read_only.insert(view.read_only.end(), what.read_only.begin(), what.read_only.end());
  view.hidden = how.hidden;
  view.tmp_mb = with.limits.disk_mb > 0 ? with.limits.disk_mb : with.limits.memory_mb;
  view.filter = how.filter;
  view.processes = how.groups.processes.empty() ? with.limits.processes : 0;
  view.no_more_namespaces = how.no_more_namespaces;
  out.sandboxed = true;
  out.program = tools.bubblewrap;
  out.sealed_arguments = bubblewrap_options(view, what.environment);
  out.arguments = {"bwrap", "--args", std::to_string(supervision::sealed_descriptor), "--"};
  auto const command = bubblewrap_command(view, what.arguments);
  out.arguments.insert(out.arguments.end(), command.begin(), command.end());
  out.directory = "/";
}

uid_hold const* hold(isolation const& how, std::int64_t slot) {
  if (how.users.empty()) return nullptr;
  return how.own_uid ? &how.users.at(static_cast<std::size_t>(slot)) : &how.users.front();
}

}  // namespace

std::optional<std::int64_t> isolation::uid_of(std::int64_t slot) const {
  auto const* const held = hold(*this, slot);
  return held == nullptr ? std::nullopt : std::optional(held->uid());
}

int isolation::hold_of(std::int64_t slot) const {
  auto const* const held = hold(*this, slot);
  return held == nullptr ? -1 : held->descriptor();
}

std::string isolation::describe() const {
  std::string out = bubblewrap ? "bubblewrap" : "no sandbox";
  out += ", " + groups.describe();
  if (!users.empty()) out += own_uid ? ", own user" : ", user nobody";
  if (filter) out += ", seccomp";
  if (disk_mb > 0) out += ", disk " + std::to_string(disk_mb) + " MiB";
  if (groups.memory.empty() || groups.processes.empty()) out += ", rlimits";
  return out;
}

std::vector<std::string> isolation::warnings(settings const& with) const {
  std::vector<std::string> out;
  if (!bubblewrap) {
    auto const why = why_not.empty() ? std::string("sandbox.mode says so") : why_not;
    out.push_back(
        "scripts are not in a sandbox (" + why +
        "): they see this machine's files, processes and network, "
        "and may fill what anybody may write (/tmp, /dev/shm)" +
        (!users.empty() ? "" : ", with the rights of this runner's own user, who may read the token's file"));
  } else if (with.allow_network) {
    out.emplace_back(
        "allow_network: scripts can reach all that this machine can reach, including its loopback addresses");
  }
  if (groups.memory.empty())
    out.emplace_back("no control group limits memory: the limit applies to each process of a script separately");
  if (groups.processes.empty() && !bubblewrap && !own_uid)
    out.emplace_back("no control group limits processes: the limit counts all processes of this user");
  if (!filter) out.emplace_back("no seccomp filter: scripts may make every system call that their user may");
  if (disk_mb == 0)
    out.push_back(std::string(with.limits.disk_mb == 0 ? "limits.disk_mb is 0" : "no tmpfs can be mounted here") +
                  ": nothing bounds a run's directory but limits.file_mb, which applies to each file separately");
  if (groups.cpu.empty()) out.emplace_back("no control group limits CPU: a script may use all of it");
  return out;
}

std::string seen_scratch(isolation const& how, std::string const& scratch) {
  return how.bubblewrap ? std::string(sandbox_work) : scratch;
}

supervision plan(isolation const& how, toolbox const& tools, settings const& with, command_line what,
                 std::string const& scratch, std::int64_t slot, std::string const& unique) {
  supervision out;
  out.uid = how.uid_of(slot);
  out.own_uid = how.own_uid;
  out.groups = how.groups;
  out.group_name = "svc-runner-" + unique;
  out.limits = with.limits;
  out.limit_memory = how.groups.memory.empty();
  out.filter = how.filter;
  if (how.bubblewrap) {
    wrap(out, how, tools, with, what, scratch);
    return out;
  }
  out.limit_processes = how.groups.processes.empty();
  if (out.limit_processes && !how.own_uid) out.limits.processes += own_tasks();
  out.program = what.arguments.front();
  out.arguments = std::move(what.arguments);
  out.environment = std::move(what.environment);
  out.directory = scratch;
  return out;
}

}  // namespace svc::runner
