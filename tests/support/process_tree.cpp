#include "support/process_tree.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace svc::test {

namespace fs = std::filesystem;

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (auto const& entry : fs::directory_iterator("/proc")) {
    std::string const name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // By getline, which only sets a flag when the process has just ended.
    std::ifstream file(entry.path() / "stat");
    std::string stat;
    std::getline(file, stat, '\0');
    // pid (command) state ppid: the command may contain anything, so count from its last parenthesis.
    std::size_t const end = stat.rfind(')');
    if (end == std::string::npos || stat.size() < end + 5) continue;
    if (std::atoi(stat.c_str() + end + 4) == parent) found.push_back(std::stoi(name));
  }
  return found;
}

std::string title_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary);
  std::string title;
  std::getline(file, title, '\0');
  return title;
}

long resident_memory(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  long size = 0, resident = 0;
  statm >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace svc::test
