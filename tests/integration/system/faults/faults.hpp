#pragma once

#include "support/comes_true.hpp"
#include "support/fleet.hpp"
#include "support/restarted_store.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

namespace svc::test {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds patience{20};
/// Time until a revoked token is dead everywhere: the promise for an epoch that did not reach Redis or was lost
/// there.
constexpr milliseconds dead_within{2000};

/// The service's own deadlines, to which the promises apply.
inline std::vector<std::string> const default_deadlines{"SVC_HTTP_DEADLINE=2s", "SVC_REDIS_DEADLINE=50ms",
                                                        "SVC_INSTANCES=2"};

/// Returns the processes that work in a directory.
inline std::vector<pid_t> inhabitants(std::string const& directory) {
  std::vector<pid_t> all;
  for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
    std::error_code ec;
    auto const cwd = std::filesystem::read_symlink(entry.path() / "cwd", ec).string();
    if (!ec && cwd.starts_with(directory)) all.push_back(std::stoi(entry.path().filename().string()));
  }
  return all;
}

/// Waits for the sessions of a killed store, which use its data until they notice its end.
inline void await_left(std::string const& directory) {
  REQUIRE(comes_true([&] { return inhabitants(directory).empty(); }, patience));
}

inline void kill_store(fleet& fleet, std::string_view which) {
  auto const pid = fleet.dev().pid_of(which);
  auto const directory = restarted_store::of(pid).directory;
  REQUIRE(::kill(pid, SIGKILL) == 0);
  // dev reaps the process: as long as its id exists, another PostgreSQL considers the data in use.
  REQUIRE(comes_true([&] { return ::kill(pid, 0) != 0; }, patience));
  await_left(directory);
}

/// Returns the way to start dev's Redis again, without its data. Call it while the process runs.
inline restarted_store::origin redis_origin(fleet& fleet) {
  auto origin = restarted_store::of(fleet.dev().pid_of("redis"));
  // Redis rewrites its command line.
  origin.arguments = {"redis-server", "--port", "0", "--unixsocket", fleet.redis_socket(), "--save", "",
                      "--appendonly", "no"};
  return origin;
}

/// Returns "shared" or "local" if all workers of an instance agree, otherwise "mixed"; from its administrative pages.
inline std::string limits_of(api_client pages) {
  auto const page = body_of(pages.get("/readyz?verbose"));
  auto const& workers = page.at("workers").as_array();
  auto const said = text_of(workers.front(), "/limits");
  bool const all =
      std::all_of(workers.begin(), workers.end(), [&](auto const& w) { return text_of(w, "/limits") == said; });
  return all ? said : "mixed";
}

inline std::string limits_of(fleet const& fleet, std::size_t instance) {
  return limits_of(fleet.pages(instance));
}

/// Returns the number of workers of all instances.
inline std::size_t workers_of(fleet const& fleet) {
  std::size_t all = 0;
  for (std::size_t i = 0; i < fleet.size(); ++i)
    all += body_of(fleet.pages(i).get("/readyz?verbose")).at("workers").as_array().size();
  return all;
}

/// Returns true if all workers of all instances reach this state in time, while `traffic` continues.
inline bool limits_become(fleet const& fleet, std::string const& wanted, milliseconds within,
                          std::function<void()> const& traffic) {
  return comes_true(
      [&] {
        traffic();
        for (std::size_t i = 0; i < fleet.size(); ++i)
          if (limits_of(fleet, i) != wanted) return false;
        return true;
      },
      within);
}

/// Makes one use of a token that must be let in, in time.
inline void check_passes(api_client& client, milliseconds within) {
  auto const start = clock::now();
  auto const got = client.get("/api/auth/whoami");
  auto const took = std::chrono::duration_cast<milliseconds>(clock::now() - start);
  CHECK(took < within);
  CHECK_MESSAGE(got.status == 200, got.body);
}

/// A process that is stopped as long as this object lives.
class stopped_process {
 public:
  explicit stopped_process(pid_t pid) : pid_(pid) { ::kill(pid_, SIGSTOP); }
  ~stopped_process() { ::kill(pid_, SIGCONT); }
  stopped_process(stopped_process const&) = delete;
  stopped_process& operator=(stopped_process const&) = delete;

 private:
  pid_t pid_;
};

/// All processes of dev's PostgreSQL are stopped as long as this lives.
class stopped_postgres {
 public:
  explicit stopped_postgres(fleet& fleet)
      : directory_(restarted_store::of(fleet.dev().pid_of("postgres")).directory) {
    // The postmaster first, so that it starts no new session.
    ::kill(fleet.dev().pid_of("postgres"), SIGSTOP);
    for (auto const pid : inhabitants(directory_)) ::kill(pid, SIGSTOP);
  }
  ~stopped_postgres() {
    for (auto const pid : inhabitants(directory_)) ::kill(pid, SIGCONT);
  }
  stopped_postgres(stopped_postgres const&) = delete;
  stopped_postgres& operator=(stopped_postgres const&) = delete;

 private:
  std::string directory_;
};

}  // namespace svc::test
