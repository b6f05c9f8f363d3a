#include "support/service.hpp"

#include "support/prepared.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace svc::test {

namespace {

constexpr std::chrono::seconds patience{60};
constexpr std::chrono::seconds last_words{2};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

bool asks_for(std::vector<std::string> const& more, std::string_view subject) {
  return std::ranges::find(more, subject) != more.end();
}

std::vector<std::string> dev_arguments(std::string const& directory, std::vector<std::string> const& more) {
  std::vector<std::string> out{"dev",     "--data-dir",  directory, "--listen", "127.0.0.1:0",
                               "--admin", "127.0.0.1:0", "--print", "json"};
  // Most tests expect a run to stay queued.
  if (!asks_for(more, with_runner)) out.emplace_back("--no-runner");
  std::ranges::copy_if(more, std::back_inserter(out),
                       [](auto const& m) { return m != with_runner && m != from_nothing; });
  return out;
}

/// Returns the name of the data for the program's build, because another build may have other migrations.
std::string name_of_data(std::string const& program) {
  auto const written = std::filesystem::last_write_time(program).time_since_epoch().count();
  return "dev." + std::to_string(written) + "-" + std::to_string(std::filesystem::file_size(program));
}

void start_once(std::string const& directory) {
  service first(dev_arguments(directory, {}));
  if (!first.out().wait_line([](std::string const&) { return true; }, patience) || first.stop() != 0)
    throw std::runtime_error("svcd dev does not start: " + first.err().text());
  for (auto const* of_processes : {"/log", "/run", "/redis"}) std::filesystem::remove_all(directory + of_processes);
}

std::string const& with_data(std::string const& directory, std::vector<std::string> const& more,
                             std::string const& program) {
  bool const empty = !std::filesystem::exists(directory) || std::filesystem::is_empty(directory);
  if (empty && program == service_binary() && !asks_for(more, from_nothing))
    copy_prepared(name_of_data(program), directory, start_once);
  return directory;
}

}  // namespace

std::string service_binary() {
  if (char const* const chosen = std::getenv("SVC_BIN"); chosen != nullptr && *chosen != '\0') return chosen;
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "svcd").string();
}

collected_output::collected_output(int descriptor)
    : descriptor_(descriptor), thread_(&collected_output::read_all, this) {}

collected_output::~collected_output() {
  thread_.join();
  close(descriptor_);
}

void collected_output::read_all() {
  char buffer[4096];
  for (;;) {
    auto const got = read(descriptor_, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    std::lock_guard const lock(mutex_);
    if (got > 0)
      append({buffer, static_cast<std::size_t>(got)});
    else
      ended_ = true;
    grown_.notify_all();
    if (got <= 0) return;
  }
}

void collected_output::append(std::string_view got) {
  lines_ += static_cast<std::size_t>(std::ranges::count(got, '\n'));
  text_.append(got);
  if (text_.size() > 2 * kept_) text_.erase(0, text_.size() - kept_);
}

std::size_t collected_output::lines() const {
  std::lock_guard const lock(mutex_);
  return lines_;
}

void collected_output::keep_last(std::size_t bytes) {
  std::lock_guard const lock(mutex_);
  kept_ = bytes;
}

std::string collected_output::text() const {
  std::lock_guard const lock(mutex_);
  return text_;
}

std::optional<std::string> collected_output::wait_line(std::function<bool(std::string const&)> const& wanted,
                                                       std::chrono::seconds how_long) const {
  auto const until = std::chrono::steady_clock::now() + how_long;
  std::size_t begin = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    for (auto end = text_.find('\n', begin); end != std::string::npos; end = text_.find('\n', begin)) {
      auto line = text_.substr(begin, end - begin);
      begin = end + 1;
      if (wanted(line)) return line;
    }
    if (ended_ || grown_.wait_until(lock, until) == std::cv_status::timeout) return std::nullopt;
  }
}

service::service(std::vector<std::string> const& arguments, std::vector<std::string> const& environment,
                 std::string const& program) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables(environment);
  for (char** entry = environ; *entry != nullptr; ++entry) variables.emplace_back(*entry);
  auto const argv = pointers(words);
  auto const envp = pointers(variables);
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGPIPE, SIG_DFL);  // an ignored signal would survive execve: the service must ignore it itself
    dup2(out[1], 1);
    dup2(err[1], 2);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  out_.emplace(out[0]);
  err_.emplace(err[0]);
}

service::~service() {
  kill();
}

std::string service::wait_error_line(std::string const& part) const {
  auto line = err_->wait_line([&](std::string const& l) { return l.find(part) != std::string::npos; }, patience);
  if (!line) throw std::runtime_error("svcd never said \"" + part + "\", but: " + err_->text());
  return *line;
}

void service::signal(int number) const {
  if (pid_ != 0) ::kill(pid_, number);
}

int service::wait() {
  if (pid_ == 0) return code_;
  if (!process_watch(pid_).ended_within(patience)) throw std::runtime_error("svcd does not end: " + err_->text());
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
  // The process has ended, but its last output may still be in the pipes.
  auto const never = [](std::string const&) { return false; };
  out_->wait_line(never, last_words);
  err_->wait_line(never, last_words);
  return code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int service::stop() {
  signal(SIGTERM);
  return wait();
}

void service::kill() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
  code_ = 128 + SIGKILL;
}

dev_service::dev_service(std::string const& directory, std::vector<std::string> const& more,
                         std::vector<std::string> const& environment, std::string const& program)
    : process_(dev_arguments(with_data(directory, more, program), more), environment, program) {
  auto const line = process_.out().wait_line([](std::string const&) { return true; }, patience);
  if (!line) throw std::runtime_error("svcd dev is not ready: " + process_.err().text());
  line_ = boost::json::parse(*line).as_object();
  postgres_.emplace(pid_of("postgres"));
}

dev_service::~dev_service() {
  process_.kill();
  if (!postgres_) return;
  postgres_->signal(SIGQUIT);
  postgres_->signal(SIGCONT);
  postgres_->ended_within();
}

std::string dev_service::text(std::string_view member) const {
  return std::string(line_.at(member).as_string());
}

pid_t dev_service::pid_of(std::string_view which) const {
  return static_cast<pid_t>(line_.at("pids").as_object().at(which).as_int64());
}

second_service::second_service(dev_service const& beside, std::vector<std::string> const& environment,
                               std::string const& program)
    : process_({"serve", "--config", beside.text("configFile"), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"},
               environment, program) {
  // The log line "serving" names the bound addresses.
  auto const ready = boost::json::parse(process_.wait_error_line("\"serving\"")).as_object();
  url_ = "https://" + std::string(ready.at("address").as_string());
  admin_url_ = "http://" + std::string(ready.at("admin").as_string());
}

configured_service::configured_service(dev_service const& beside, std::string const& lines,
                                       std::vector<std::string> const& environment, std::string const& program) {
  std::ifstream base(beside.text("configFile"));
  std::string const keys{std::istreambuf_iterator<char>(base), {}};
  config_file_ = directory_.write("svcd.toml", keys + lines);
  process_.emplace(std::vector<std::string>{"serve", "--config", config_file_, "--admin", "127.0.0.1:0"}, environment,
                   program);
  auto const ready = boost::json::parse(process_->wait_error_line("\"serving\"")).as_object();
  admin_url_ = "http://" + std::string(ready.at("admin").as_string());
  // There is one line for each listener before that line, in their order.
  std::istringstream said(process_->err().text());
  for (std::string line; std::getline(said, line);) {
    if (line.find("\"listening\"") == std::string::npos) continue;
    addresses_.emplace_back(boost::json::parse(line).as_object().at("address").as_string());
  }
}

process_watch::process_watch(pid_t pid) : descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
  if (descriptor_ < 0 && errno != ESRCH) throw std::runtime_error("pidfd_open failed");
}

process_watch::~process_watch() {
  if (descriptor_ >= 0) close(descriptor_);
}

void process_watch::signal(int number) const {
  if (descriptor_ >= 0) syscall(SYS_pidfd_send_signal, descriptor_, number, nullptr, 0);
}

bool process_watch::ended_within(std::chrono::seconds how_long) const {
  if (descriptor_ < 0) return true;
  pollfd ended{descriptor_, POLLIN, 0};
  return poll(&ended, 1, static_cast<int>(std::chrono::milliseconds(how_long).count())) == 1;
}

}  // namespace svc::test
