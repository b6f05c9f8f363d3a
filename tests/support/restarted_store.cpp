#include "support/restarted_store.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace svc::test {

restarted_store::origin restarted_store::of(pid_t running) {
  auto const process = "/proc/" + std::to_string(running);
  origin out{.program = std::filesystem::read_symlink(process + "/exe"),
             .directory = std::filesystem::read_symlink(process + "/cwd")};
  std::ifstream file(process + "/cmdline", std::ios::binary);
  for (std::string word; std::getline(file, word, '\0');) out.arguments.push_back(word);
  struct stat about{};
  if (stat(out.directory.c_str(), &about) != 0) throw std::runtime_error("no directory of a store");
  out.user = about.st_uid;
  out.group = about.st_gid;
  return out;
}

restarted_store::restarted_store(origin const& origin) {
  std::vector<std::string> words = origin.arguments;
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  bool const change_user = geteuid() == 0;
  pid_t const parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ > 0) return;

  if (change_user && (setgroups(0, nullptr) != 0 || setgid(origin.group) != 0 || setuid(origin.user) != 0))
    _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent || chdir(origin.directory.c_str()) != 0) _exit(126);
  int const nowhere = open("/dev/null", O_RDWR);
  for (int i = 0; i < 3; ++i) dup2(nowhere, i);
  execv(origin.program.c_str(), argv.data());
  _exit(127);
}

restarted_store::~restarted_store() {
  // PostgreSQL's sessions and helpers exit when their postmaster has gone.
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

}  // namespace svc::test
