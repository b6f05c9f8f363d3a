#include "support/comes_true.hpp"
#include "support/https_client.hpp"
#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace svc::test {
namespace {

namespace fs = std::filesystem;

unsigned mode_of(std::string const& path) {
  struct stat about{};
  REQUIRE(stat(path.c_str(), &about) == 0);
  return about.st_mode & 0777U;
}

int shell(std::string const& command) {
  return std::system(command.c_str());
}  // NOLINT(cert-env33-c)

int get(std::string const& url, std::string const& ca) {
  return shell("curl -sS -f -o /dev/null --cacert '" + ca + "' '" + url + "'");
}

/// Runs curl with these arguments and returns the status of the answer.
int get_status(std::string const& arguments, std::string const& ca) {
  temporary_directory const dir;
  auto const file = dir.path() + "/status";
  shell("curl -sS -o /dev/null -w '%{http_code}' --cacert '" + ca + "' " + arguments + " > '" + file + "'");
  int status = 0;
  std::ifstream(file) >> status;
  return status;
}

TEST_CASE("dev prints in one line of JSON where everything is, and serves there") {
  temporary_directory const dir;
  dev_service dev(dir.path(), {from_nothing});
  for (auto const* member :
       {"url", "caFile", "adminUrl", "organizationId", "projectId", "userId", "jobId", "testId", "token",
        "triggerKey", "dashboardUrl", "dataDir", "configFile", "postgresUrl", "redisUrl", "version"}) {
    CAPTURE(member);
    CHECK_FALSE(dev.text(member).empty());
  }
  CHECK(dev.line().size() == 17);
  CHECK(dev.pid_of("svcd") == dev.process().pid());
  CHECK(dev.text("dataDir") == dir.path());
  CHECK(dev.text("url").starts_with("https://127.0.0.1:"));
  CHECK_FALSE(dev.text("url").ends_with(":0"));
  for (auto const* secret :
       {"/credentials.json", "/master.key", "/svcd.toml", "/tls/ca-key.pem", "/tls/server-key.pem"})
    CHECK(mode_of(dir.path() + secret) == 0600U);
  CHECK(get(dev.text("url") + "/livez", dev.text("caFile")) == 0);
  CHECK(get(dev.text("adminUrl") + "/readyz", dev.text("caFile")) == 0);

  process_watch const postgres(dev.pid_of("postgres"));
  process_watch const redis(dev.pid_of("redis"));
  CHECK(dev.process().stop() == 0);
  CHECK(postgres.ended_within());
  CHECK(redis.ended_within());
  auto const said = dev.process().out().text();
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
}

/// Returns a file of the process, for example `environ`.
std::string of_process(pid_t pid, std::string const& path) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + path, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

fs::path program_of(pid_t pid) {
  return fs::read_symlink("/proc/" + std::to_string(pid) + "/exe");
}

bool has_open(pid_t pid, std::string const& file) {
  for (auto const& each : fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd"))
    if (std::error_code gone; fs::read_symlink(each.path(), gone) == file) return true;
  return false;
}

TEST_CASE("variables from a service manager are not passed on to the children of dev") {
  temporary_directory const dir, held;
  auto const file = held.path() + "/socket";  // any descriptor that exec does not close behaves like a listening
                                              // socket
  int const descriptor = ::open(file.c_str(), O_RDWR | O_CREAT, 0600);
  REQUIRE(descriptor >= 0);
  dev_service dev(dir.path(), {with_runner}, {"NOTIFY_SOCKET=" + held.path() + "/notify", "WATCHDOG_USEC=30000000"});
  ::close(descriptor);
  CHECK(has_open(dev.pid_of("svcd"), file));
  CHECK(of_process(dev.pid_of("svcd"), "environ").find("NOTIFY_SOCKET=") != std::string::npos);
  for (auto const* child : {"postgres", "redis", "runner"}) {
    CAPTURE(child);
    // A process that was just forked is a copy of dev until it executes its program.
    REQUIRE(comes_true([&] { return program_of(dev.pid_of(child)) != program_of(dev.pid_of("svcd")); },
                       std::chrono::seconds(10)));
    CHECK_FALSE(has_open(dev.pid_of(child), file));
    auto const environment = of_process(dev.pid_of(child), "environ");
    for (auto const* name : {"NOTIFY_SOCKET", "WATCHDOG_", "LISTEN_"})
      CHECK(environment.find(name) == std::string::npos);
  }
}

TEST_CASE("kill -9 leaves no orphans, and the next start has the same secrets at once") {
  temporary_directory const dir;
  dev_service first(dir.path());
  process_watch const postgres(first.pid_of("postgres"));
  process_watch const redis(first.pid_of("redis"));
  first.process().kill();

  dev_service second(dir.path());
  CHECK(postgres.ended_within());
  CHECK(redis.ended_within());
  for (auto const* member : {"organizationId", "projectId", "userId", "jobId", "testId", "token", "triggerKey"}) {
    CAPTURE(member);
    CHECK(first.text(member) == second.text(member));
  }
  second.process().signal(SIGINT);
  CHECK(second.process().wait() == 0);
}

TEST_CASE("a directory in use is refused; --reset starts afresh") {
  temporary_directory const dir;
  dev_service first(dir.path());
  service other({"dev", "--data-dir", dir.path(), "--reset"});
  CHECK(other.wait() == 1);
  CHECK(other.err().text().find("is in use") != std::string::npos);
  CHECK(first.process().stop() == 0);

  dev_service fresh(dir.path(), {"--reset"});
  CHECK(fresh.text("token") != first.text("token"));
  CHECK(fresh.text("projectId") != first.text("projectId"));
  CHECK(fresh.process().stop() == 0);
}

TEST_CASE("a wrong address is refused before anything is created") {
  temporary_directory const dir;
  for (std::string const flag : {"--listen", "--admin"}) {
    CAPTURE(flag);
    service refused({"dev", "--data-dir", dir.path() + "/data", flag, "foo"});
    CHECK(refused.wait() == 2);
    CHECK(refused.err().text().starts_with("svcd dev: " + flag + ": must be "));
    CHECK_FALSE(fs::exists(dir.path() + "/data"));
  }
}

TEST_CASE("addresses that cover each other are refused before anything is created") {
  temporary_directory const dir;
  service refused({"dev", "--data-dir", dir.path() + "/data", "--listen", "0.0.0.0:1", "--admin", "127.0.0.1:1"});
  CHECK(refused.wait() == 2);
  CHECK(refused.err().text() ==
        "svcd dev: admin.address: 127.0.0.1:1 and the listener 0.0.0.0:1 exclude each other, because one covers the "
        "other; choose another port\n");
  CHECK_FALSE(fs::exists(dir.path() + "/data"));
}

TEST_CASE("a data directory that cannot be one is refused with the option and the reason") {
  service refused({"dev", "--data-dir", "/etc/hostname"});
  CHECK(refused.wait() == 1);
  CHECK(refused.err().text() ==
        "svcd dev: /etc/hostname: Not a directory: --data-dir must name a directory that this user can write\n");
}

TEST_CASE("--reset removes only our own files") {
  temporary_directory const dir;
  auto const precious = dir.write("precious", "kept");
  service refused({"dev", "--data-dir", dir.path(), "--reset"});
  CHECK(refused.wait() == 1);
  CHECK(refused.err().text().find("not a data directory of `svcd dev`") != std::string::npos);
  CHECK(fs::exists(precious));
}

TEST_CASE("a lost store is reported in one line and not restarted; the service continues") {
  temporary_directory const dir;
  dev_service dev(dir.path());
  process_watch const redis(dev.pid_of("redis"));
  ::kill(dev.pid_of("redis"), SIGKILL);
  CHECK(dev.process().wait_error_line("Redis has ended").find("does not restart it") != std::string::npos);
  CHECK(redis.ended_within());
  CHECK(get(dev.text("url") + "/livez", dev.text("caFile")) == 0);
  ::kill(dev.pid_of("postgres"), SIGKILL);
  dev.process().wait_error_line("PostgreSQL has ended");
  CHECK(get(dev.text("url") + "/livez", dev.text("caFile")) == 0);
  CHECK(dev.process().stop() == 0);
}

TEST_CASE("a killed store leaves no zombie: another server on its data would consider the process alive") {
  temporary_directory const dir;
  dev_service dev(dir.path());
  for (auto const* store : {"postgres", "redis"}) {
    CAPTURE(store);
    auto const pid = dev.pid_of(store);
    REQUIRE(::kill(pid, SIGKILL) == 0);
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (::kill(pid, 0) == 0) REQUIRE(std::chrono::steady_clock::now() < until);
  }
  CHECK(dev.process().stop() == 0);
}

/// Signs in by the secret behind `#` of the address, and returns the status.
int sign_in_by(std::string const& address, dev_service const& dev) {
  auto const secret = address.substr(address.find('#') + 1);
  return get_status("-H 'Sec-Fetch-Site: same-origin' -H 'Content-Type: application/json' -d '{\"token\":\"" +
                        secret + "\"}' '" + dev.text("url") + "/dashboard/v1/sign-in/link'",
                    dev.text("caFile"));
}

TEST_CASE("the sign-in link of dev works as often as somebody opens it, until dev ends") {
  temporary_directory const dir;
  std::string first;
  {
    dev_service dev(dir.path(), {from_nothing});
    first = dev.text("dashboardUrl");
    CHECK(first.starts_with(dev.text("url") + "/app/link#svc_link_"));
    CHECK(sign_in_by(first, dev) == 200);
    CHECK(sign_in_by(first, dev) == 200);
    CHECK(dev.process().stop() == 0);
  }
  std::string second;
  {
    dev_service dev(dir.path());
    second = dev.text("dashboardUrl");
    CHECK(sign_in_by(first, dev) == 410);
    CHECK(sign_in_by(second, dev) == 200);
    dev.process().signal(SIGKILL);
    dev.process().wait();
  }
  // A crash leaves the link, and the next start deletes it.
  dev_service dev(dir.path());
  CHECK(sign_in_by(second, dev) == 410);
  CHECK(sign_in_by(dev.text("dashboardUrl"), dev) == 200);
}

TEST_CASE("a second instance serves on the same stores") {
  temporary_directory const dir;
  dev_service dev(dir.path());
  second_service other(dev);
  CHECK(other.url() != dev.text("url"));
  auto const whoami = [&](std::string const& url) {
    return shell("curl -sS -f -o /dev/null --cacert '" + dev.text("caFile") + "' -H 'Authorization: Bearer " +
                 dev.text("token") + "' '" + url + "/api/auth/whoami'");
  };
  CHECK(whoami(dev.text("url")) == 0);
  CHECK(whoami(other.url()) == 0);
  CHECK(other.process().stop() == 0);
  CHECK(whoami(other.url()) != 0);
  CHECK(dev.process().stop() == 0);
}

TEST_CASE("the environment is honoured, except for variables that tie dev to its own stores") {
  temporary_directory const dir;
  service refused({"dev", "--data-dir", dir.path()}, {"SVC_LIMITS_CLI_LIMIT=0", "SVC_NOTHING=1"});
  CHECK(refused.wait() == 2);
  CHECK(refused.err().text().find("SVC_LIMITS_CLI_LIMIT: must be an integer from 1") != std::string::npos);
  CHECK(refused.err().text().find("SVC_NOTHING: no such key") != std::string::npos);

  dev_service dev(
      dir.path(), {},
      {"SVC_PUBLIC_URL=https://svc.example.org", "SVC_POSTGRES_URL=postgresql://nowhere/x", "SVC_REDIS_MODE=sentinel",
       "SVC_REDIS_SENTINELS=nowhere:1", "SVC_REDIS_SENTINEL_MASTER=x", "SVC_REDIS_NODES=nowhere:1"});
  CHECK(dev.text("url") == "https://svc.example.org");
  CHECK(dev.process().stop() == 0);
}

TEST_CASE("the printed commands work as they are, twice") {
  temporary_directory const dir;
  // By default curl's exit code for a 404 is 0.
  dir.write(".curlrc", "fail\n");
  auto const data = dir.path() + "/d";
  service dev({"dev", "--data-dir", data, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--print", "lines"});
  REQUIRE(dev.out().wait_line([](std::string const& l) { return l.find("/dashboard/v1/me") != std::string::npos; },
                              std::chrono::seconds(60)));
  std::istringstream said(dev.out().text());
  int lines = 0;
  for (std::string line; std::getline(said, line);) {
    if (!line.starts_with("curl ")) continue;
    ++lines;
    CAPTURE(line);
    CHECK(shell("CURL_HOME='" + dir.path() + "'; export CURL_HOME; { " + line + "; } >/dev/null") == 0);
    if (line.find("from curl") == std::string::npos)
      CHECK(shell("CURL_HOME='" + dir.path() + "'; export CURL_HOME; { " + line + "; } >/dev/null") == 0);
  }
  CHECK(lines == 9);
  CHECK(dev.stop() == 0);
}

TEST_CASE("dev says first what to open, then at most six lines to paste, which work") {
  temporary_directory const dir;
  auto const data = dir.path() + "/d";
  service dev({"dev", "--data-dir", data, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"});
  REQUIRE(dev.out().wait_line([](std::string const& l) { return l.find("--print lines") != std::string::npos; },
                              std::chrono::seconds(60)));
  auto const text = dev.out().text();
  CAPTURE(text);
  std::string const head = "To paste into another terminal:\n\n";
  auto const begin = text.find(head);
  REQUIRE(begin != std::string::npos);
  bool const has_pages = text.find("/app/link#svc_link_") < begin;
  CHECK(has_pages == (text.find("no pages for browsers") == std::string::npos));
  auto const lines = text.substr(begin + head.size(), text.find("\n\n", begin + head.size()) - begin - head.size());
  CHECK(std::ranges::count(lines, '\n') < 6);
  CHECK(shell("{ " + lines + "\n} >/dev/null") == 0);
  CHECK(dev.stop() == 0);
}

TEST_CASE("dev --demo prints two lines that turn its status page red and green") {
  temporary_directory const dir;
  auto const data = dir.path() + "/d";
  service dev(
      {"dev", "--demo", "--no-runner", "--data-dir", data, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"});
  REQUIRE(dev.out().wait_line([](std::string const& l) { return l.find("--print lines") != std::string::npos; },
                              std::chrono::seconds(60)));
  auto const text = dev.out().text();
  CAPTURE(text);
  auto const end = text.find("/status/demo\n");
  REQUIRE(end != std::string::npos);
  auto const begin = text.rfind("https://", end);
  support::https_client visitor(text.substr(begin, end - begin), data + "/tls/ca.pem");
  auto const backup_is = [&](std::string_view status) {
    auto const shows = [&] {
      auto const got = visitor.request("GET", "/api/status-pages/demo/summary");
      if (got.status != 200) return false;
      auto const summary = boost::json::parse(got.body);
      for (auto const& component : summary.at("components").as_array())
        if (component.at("name") == "Nightly backup") return component.at("status").as_string() == status;
      return false;
    };
    // An address may ask for pages 600 times a minute.
    return comes_true(shows, std::chrono::seconds(20), std::chrono::milliseconds(200));
  };
  std::vector<std::string> lines;
  std::istringstream said(text.substr(end));
  for (std::string line; std::getline(said, line);)
    if (line.starts_with("curl ")) lines.push_back(line);
  REQUIRE(lines.size() >= 2);
  CHECK(backup_is("unknown"));
  CHECK(shell(lines[0] + " >/dev/null") == 0);
  CHECK(backup_is("major_outage"));
  CHECK(shell(lines[1] + " >/dev/null") == 0);
  CHECK(backup_is("operational"));
  CHECK(dev.stop() == 0);
}

TEST_CASE("a data directory may have a long path or be below a closed directory") {
  temporary_directory const dir;
  auto const closed = dir.path() + "/" + std::string(120, 'x');
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_all);
  dev_service dev(closed + "/data", {from_nothing});
  auto const stores = fs::read_symlink("/proc/" + std::to_string(dev.pid_of("postgres")) + "/cwd").parent_path();
  auto const socket = fs::path(dev.text("redisUrl").substr(std::string("unix:").size()));
  CHECK(fs::exists(socket));
  CHECK(dev.process().stop() == 0);
  CHECK_FALSE(fs::exists(socket.parent_path()));
  if (stores.string().starts_with(dir.path())) return;  // no other user runs the stores
  std::string owner;
  std::getline(std::ifstream(stores / "data-directory"), owner);
  CHECK(owner == closed + "/data");
  fs::remove_all(stores);
}

}  // namespace
}  // namespace svc::test
