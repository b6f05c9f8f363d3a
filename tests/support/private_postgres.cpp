#include "support/private_postgres.hpp"

#include "support/prepared.hpp"
#include "support/process_tree.hpp"
#include "support/temporary_directory.hpp"

#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace svc::test {

namespace fs = std::filesystem;

namespace {

std::string find_binaries() {
  int newest = 0;
  if (fs::exists("/usr/lib/postgresql"))
    for (auto const& version : fs::directory_iterator("/usr/lib/postgresql"))
      if (fs::exists(version.path() / "bin/initdb")) newest = std::max(newest, std::stoi(version.path().filename()));
  if (newest == 0) throw std::runtime_error("no PostgreSQL server in /usr/lib/postgresql");
  return "/usr/lib/postgresql/" + std::to_string(newest) + "/bin/";
}

passwd const& server_user() {
  passwd const* user = getpwnam("postgres");
  if (user == nullptr) throw std::runtime_error("there is no user postgres, and PostgreSQL does not run as root");
  return *user;
}

}  // namespace

void private_postgres::make_directory() {
  directory_ = make_temporary("svcpg");
  if (geteuid() == 0 && chown(directory_.c_str(), server_user().pw_uid, server_user().pw_gid) != 0)
    throw std::runtime_error("chown failed");
}

void private_postgres::configure(std::string const& settings) const {
  std::ofstream(directory_ + "/data/postgresql.conf", std::ios::app) << settings << "\n";
}

void private_postgres::listen_here(std::string const& settings) {
  configure("listen_addresses = ''\nunix_socket_directories = '" + directory_ +
            "'\ndynamic_shared_memory_type = mmap\n" + settings);
  start();
}

private_postgres::private_postgres(std::string const& settings) : binaries_(find_binaries()) {
  make_directory();
  auto const version = fs::path(binaries_).parent_path().parent_path().filename().string();
  copy_prepared("cluster." + version, directory_ + "/data",
                [this](std::string const& fresh) { make_cluster(fresh); });
  listen_here(settings);
}

void private_postgres::make_cluster(std::string const& into) const {
  auto const fresh = directory_ + "/fresh";
  run({binaries_ + "initdb", "-D", fresh, "-U", "svc", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"});
  fs::rename(fresh, into);
}

private_postgres::private_postgres(standby_of which) : binaries_(find_binaries()) {
  make_directory();
  copy(which.primary);
}

void private_postgres::remove_data() const {
  std::ifstream notes(directory_ + "/data/postmaster.pid");
  std::string line;
  // Its seventh line: key and id of the System V segment that tells the next server of this one.
  for (int i = 0; i < 7; ++i) std::getline(notes, line);
  int key = 0, id = 0;
  if (std::istringstream(line) >> key >> id) shmctl(id, IPC_RMID, nullptr);
  std::error_code ignored;
  fs::remove_all(directory_ + "/data", ignored);
}

void private_postgres::become(standby_of which) {
  kill();
  remove_data();
  copy(which.primary);
}

void private_postgres::copy(private_postgres const& primary) {
  run({binaries_ + "pg_basebackup", "-D", directory_ + "/data", "-d", primary.url(), "-R", "-c", "fast",
       "--no-sync"});
  listen_here("wal_retrieve_retry_interval = 100ms");
}

std::string private_postgres::write(std::string const& name, std::string const& content) const {
  auto const path = directory_ + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  if (geteuid() == 0 && chown(path.c_str(), server_user().pw_uid, server_user().pw_gid) != 0)
    throw std::runtime_error("chown failed");
  return path;
}

private_postgres::~private_postgres() {
  kill();
  remove_data();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

std::string private_postgres::url() const {
  return "postgresql://svc@/postgres?host=" + directory_ + "&port=" + port_;
}

void private_postgres::listen_on(int port) {
  port_ = std::to_string(port);
  configure("listen_addresses = '127.0.0.1'\nport = " + port_);
}

void private_postgres::start() {
  // After kill -9 it writes each of its files to the disk first, which others may keep busy.
  auto const give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < give_up) {
    if (pid_ == 0) launch({binaries_ + "postgres", "-D", directory_ + "/data"}, directory_ + "/log", pid_);
    if (PQping(url().c_str()) == PQPING_OK) return;
    // After kill -9 the old shared memory may still be held for a moment: then the server exits, and we try again.
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw std::runtime_error("PostgreSQL did not start:\n" + log());
}

void private_postgres::stop() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGINT);
  reap();
}

void private_postgres::kill() {
  if (pid_ == 0) return;
  signal_all(SIGKILL);
  reap();
}

void private_postgres::freeze() {
  signal_all(SIGSTOP);
}

void private_postgres::thaw() {
  signal_all(SIGCONT);
}

void private_postgres::signal_all(int signal) const {
  // The parent is stopped first, so that it starts no new children and reaps none.
  ::kill(pid_, SIGSTOP);
  for (pid_t const child : children_of(pid_)) ::kill(child, signal);
  ::kill(pid_, signal);
}

void private_postgres::reap() {
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void private_postgres::run(std::vector<std::string> const& command) const {
  pid_t child = 0;
  int status = 0;
  launch(command, directory_ + "/log", child);
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error(command[0] + " failed:\n" + log());
}

void private_postgres::launch(std::vector<std::string> command, std::string const& log, pid_t& child) const {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Before the fork: it must not run in the child of a process with threads.
  passwd const* user = geteuid() == 0 ? &server_user() : nullptr;
  pid_t const parent = getpid();
  child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child > 0) return;

  if (user != nullptr &&
      (initgroups("postgres", user->pw_gid) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0))
    _exit(126);
  // After setuid, which clears it. On SIGQUIT the server also ends its children.
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (getppid() != parent) _exit(126);
  int const out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(out, 1);
  dup2(out, 2);
  execv(argv[0], argv.data());
  _exit(127);
}

std::string private_postgres::log() const {
  std::ifstream file(directory_ + "/log");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace svc::test
