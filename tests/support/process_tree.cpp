#include "support/process_tree.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace svc::test {

namespace fs = std::filesystem;

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (auto const& entry : fs::directory_iterator("/proc")) {
    std::string const name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream in(entry.path() / "stat");
    std::string const stat((std::istreambuf_iterator<char>(in)), {});
    // pid (command) state ppid: the command may contain anything, so count from its last parenthesis.
    std::size_t const end = stat.rfind(')');
    if (end == std::string::npos || stat.size() < end + 5) continue;
    if (std::atoi(stat.c_str() + end + 4) == parent) found.push_back(std::stoi(name));
  }
  return found;
}

std::string title_of(pid_t of) {
  std::ifstream in("/proc/" + std::to_string(of) + "/cmdline", std::ios::binary);
  std::string title((std::istreambuf_iterator<char>(in)), {});
  title.resize(std::min(title.size(), title.find('\0')));
  return title;
}

long resident_memory(pid_t of) {
  std::ifstream statm("/proc/" + std::to_string(of) + "/statm");
  long size = 0, resident = 0;
  statm >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace svc::test
