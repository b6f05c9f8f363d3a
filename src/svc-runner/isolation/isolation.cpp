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

void wrap(supervision& out, isolation const& isolation, toolbox const& tools, settings const& settings,
          command_line const& line, std::string const& scratch) {
  sandbox_view view;
  view.scratch = scratch;
  view.network = settings.allow_network;
  view.read_only = settings.read_only;
  view.read_only.insert(view.read_only.end(), line.read_only.begin(), line.read_only.end());
  view.hidden = isolation.hidden;
  view.tmp_mb = settings.limits.disk_mb > 0 ? settings.limits.disk_mb : settings.limits.memory_mb;
  view.filter = isolation.filter;
  view.processes = isolation.groups.processes.empty() ? settings.limits.processes : 0;
  view.no_more_namespaces = isolation.no_more_namespaces;
  out.sandboxed = true;
  out.program = tools.bubblewrap;
  out.sealed_arguments = bubblewrap_options(view, line.environment);
  out.arguments = {"bwrap", "--args", std::to_string(supervision::sealed_descriptor), "--"};
  auto const command = bubblewrap_command(view, line.arguments);
  out.arguments.insert(out.arguments.end(), command.begin(), command.end());
  out.directory = "/";
}

uid_hold const* hold(isolation const& isolation, std::int64_t slot) {
  if (isolation.users.empty()) return nullptr;
  return isolation.own_uid ? &isolation.users.at(static_cast<std::size_t>(slot)) : &isolation.users.front();
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

std::vector<std::string> isolation::warnings(settings const& settings) const {
  std::vector<std::string> out;
  if (!bubblewrap) {
    auto const reason = why_not.empty() ? std::string("sandbox.mode says so") : why_not;
    out.push_back(
        "scripts are not in a sandbox (" + reason +
        "): they see this machine's files, processes and network, "
        "and may fill the directories that everybody can write to (/tmp, /dev/shm)" +
        (!users.empty() ? "" : ", with the rights of this runner's own user, who may read the token's file"));
  } else if (settings.allow_network) {
    out.emplace_back(
        "allow_network: scripts can reach all that this machine can reach, including its loopback addresses");
  }
  if (groups.memory.empty())
    out.emplace_back("no control group limits memory: the limit applies to each process of a script separately");
  if (groups.processes.empty() && !bubblewrap && !own_uid)
    out.emplace_back("no control group limits processes: the limit counts all processes of this user");
  if (!filter) out.emplace_back("no seccomp filter: scripts may make every system call that their user may");
  if (disk_mb == 0)
    out.push_back(std::string(settings.limits.disk_mb == 0 ? "limits.disk_mb is 0" : "no tmpfs can be mounted here") +
                  ": nothing bounds a run's directory but limits.file_mb, which applies to each file separately");
  if (groups.cpu.empty()) out.emplace_back("no control group limits CPU: a script may use all of it");
  return out;
}

std::string seen_scratch(isolation const& isolation, std::string const& scratch) {
  return isolation.bubblewrap ? std::string(sandbox_work) : scratch;
}

supervision plan(isolation const& isolation, toolbox const& tools, settings const& settings, command_line line,
                 std::string const& scratch, std::int64_t slot, std::string const& unique) {
  supervision out;
  out.uid = isolation.uid_of(slot);
  out.own_uid = isolation.own_uid;
  out.groups = isolation.groups;
  out.group_name = "svc-runner-" + unique;
  out.limits = settings.limits;
  out.limit_memory = isolation.groups.memory.empty();
  out.filter = isolation.filter;
  if (isolation.bubblewrap) {
    wrap(out, isolation, tools, settings, line, scratch);
    return out;
  }
  out.limit_processes = isolation.groups.processes.empty();
  if (out.limit_processes && !isolation.own_uid) out.limits.processes += own_tasks();
  out.program = line.arguments.front();
  out.arguments = std::move(line.arguments);
  out.environment = std::move(line.environment);
  out.directory = scratch;
  return out;
}

}  // namespace svc::runner
