// Which control groups this machine lets us use.

#include "svc-runner/files.hpp"
#include "svc-runner/supervision/cgroup.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>

namespace svc::runner {
namespace {

bool has_word(std::string_view words, std::string_view word, char separator) {
  while (!words.empty()) {
    auto each = words.substr(0, words.find(separator));
    words.remove_prefix(std::min(words.size(), each.size() + 1));
    while (each.ends_with('\n')) each.remove_suffix(1);
    if (each == word) return true;
  }
  return false;
}

/// A hierarchy that is mounted: where, what of it, and its controllers (version 1).
struct mount {
  std::string point{}, root{}, type{}, options{};
};

std::vector<mount> cgroup_mounts(std::string_view mountinfo) {
  std::vector<mount> out;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    auto const dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream front(line.substr(0, dash));
    std::istringstream back(line.substr(dash + 3));
    std::string skipped;
    std::string source;
    mount m;
    front >> skipped >> skipped >> skipped >> m.root >> m.point;
    back >> m.type >> source >> m.options;
    if (m.type == "cgroup" || m.type == "cgroup2") out.push_back(std::move(m));
  }
  return out;
}

/// `path` of the hierarchy as seen through the mount; empty when it lies outside of what is mounted.
std::string below(mount const& m, std::string path) {
  if (m.root != "/") {
    if (path != m.root && !path.starts_with(m.root + "/")) return {};
    path.erase(0, m.root.size());
  }
  return m.point + (path == "/" ? "" : path);
}

/// True when a group can be made here and a limit set in it.
bool usable(std::string const& directory, std::string const& control, std::string_view value) {
  if (directory.empty()) return false;
  auto const group = directory + "/svc-runner-probe-" + std::to_string(::getpid());
  if (::mkdir(group.c_str(), 0755) != 0) return false;
  bool const good = write_text(group + "/" + control, value);
  ::rmdir(group.c_str());
  return good;
}

constexpr std::array controller_names{"memory", "pids", "cpu"};

void hand_down(std::string const& own, char sign) {
  for (std::string const name : controller_names) write_text(own + "/cgroup.subtree_control", sign + name);
}

cgroup_base usable_two(std::string const& own) {
  hand_down(own, '+');
  cgroup_base out;
  if (usable(own, "memory.max", "1073741824")) out.memory = own;
  if (usable(own, "pids.max", "100")) out.processes = own;
  if (usable(own, "cpu.max", "100000 100000")) out.cpu = own;
  if (!out.memory.empty() || !out.processes.empty()) out.version = 2;
  return out;
}

cgroup_base version_two(std::string const& own) {
  if (own.empty()) return {};
  auto const offered = read_text(own + "/cgroup.controllers").value_or("");
  if (!has_word(offered, "memory", ' ') && !has_word(offered, "pids", ' ')) return {};
  // The root group alone has no type: it may hold processes and limited children.
  if (::access((own + "/cgroup.type").c_str(), F_OK) != 0) return usable_two(own);
  // Any other may not, so ours moves out of the way, before a controller is handed down: no child would take it
  // behind that. With others in the group that does not help, and we move back.
  auto const home = own + "/svc-runner";
  auto const self = std::to_string(::getpid());
  if (::mkdir(home.c_str(), 0755) != 0 && errno != EEXIST) return {};
  if (write_text(home + "/cgroup.procs", self))
    if (auto found = usable_two(own); found.any()) return found;
  hand_down(own, '-');
  write_text(own + "/cgroup.procs", self);
  ::rmdir(home.c_str());
  return {};
}

cgroup_base version_one(cgroup_places const& at) {
  cgroup_base out;
  if (usable(at.memory, "memory.limit_in_bytes", "1073741824")) out.memory = at.memory;
  if (usable(at.processes, "pids.max", "100")) out.processes = at.processes;
  if (usable(at.cpu, "cpu.cfs_quota_us", "100000")) out.cpu = at.cpu;
  if (!out.memory.empty() || !out.processes.empty()) out.version = 1;
  return out;
}

}  // namespace

std::string cgroup_base::describe() const {
  if (version == 0) return "no cgroup";
  std::string what;
  auto const add = [&what](std::string const& directory, char const* name) {
    if (!directory.empty()) what += (what.empty() ? "" : ", ") + std::string(name);
  };
  add(memory, "memory");
  add(processes, "processes");
  add(cpu, "cpu");
  return "cgroup v" + std::to_string(version) + " (" + what + ")";
}

cgroup_places find_cgroup_places(std::string_view mountinfo, std::string_view cgroup) {
  cgroup_places out;
  auto const mounts = cgroup_mounts(mountinfo);
  std::istringstream lines{std::string(cgroup)};
  for (std::string line; std::getline(lines, line);) {
    auto const first = line.find(':');
    auto const second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    auto const controllers = line.substr(first + 1, second - first - 1);
    auto const path = line.substr(second + 1);
    for (auto const& m : mounts) {
      if (controllers.empty()) {
        if (m.type == "cgroup2") out.unified = below(m, path);
        continue;
      }
      if (m.type != "cgroup") continue;
      for (auto const& [name, place] :
           {std::pair{"memory", &out.memory}, {"pids", &out.processes}, {"cpu", &out.cpu}})
        if (has_word(controllers, name, ',') && has_word(m.options, name, ',')) *place = below(m, path);
    }
  }
  return out;
}

cgroup_base probe_cgroups() {
  auto const at =
      find_cgroup_places(read_text("/proc/self/mountinfo").value_or(""), read_text("/proc/self/cgroup").value_or(""));
  auto const two = version_two(at.unified);
  return two.any() ? two : version_one(at);
}

}  // namespace svc::runner
