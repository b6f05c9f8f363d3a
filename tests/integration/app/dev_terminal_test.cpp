// `svcd dev` on a terminal, and with its standard error in a pipe.
#include "app/dev/terminal_log.hpp"
#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>
#include <csignal>
#include <fstream>
#include <iterator>

namespace svc::test {
namespace {

std::string content_of(std::string const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("only warnings and texts that are not log lines belong on a terminal") {
  struct {
    char const* line;
    bool shown;
  } const cases[] = {
      {R"({"time":"2026-01-01T00:00:00Z","level":"info","message":"request"})", false},
      {R"({"time":"2026-01-01T00:00:00Z","level":"debug","message":"x"})", false},
      {R"({"time":"2026-01-01T00:00:00Z","level":"warn","message":"x"})", true},
      {R"({"time":"2026-01-01T00:00:00Z","level":"error","message":"x"})", true},
      {R"({"time":"2026-01-01T00:00:00Z","level":"info","path":"/\"level\":\"warn\""})", false},
      {"svcd dev: alert: shop is down", true},
      {"", true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.line);
    CHECK(app::dev::is_for_terminal(c.line) == c.shown);
  }
}

TEST_CASE("svcd dev on a terminal shows no access lines there, and writes the whole log to a file") {
  temporary_directory const dir;
  auto const data = dir.path() + "/data";
  // script(1) gives it a terminal.
  service terminal({"-qec",
                    service_binary() + " dev --no-runner --data-dir " + data +
                        " --listen 127.0.0.1:0 --admin 127.0.0.1:0 --print json",
                    "/dev/null"},
                   {}, "/usr/bin/script");
  auto const ready = terminal.out().wait_line([](auto const& line) { return line.starts_with("{\"url\""); },
                                              std::chrono::seconds(60));
  REQUIRE(ready.has_value());
  auto const shown = terminal.out().text();
  CAPTURE(shown);
  CHECK(shown.find("svcd dev: warnings appear here; the whole log is in " + data + "/svcd.log") != std::string::npos);
  CHECK(shown.find("\"level\":\"info\"") == std::string::npos);
  // Not script(1), which would leave the stores.
  auto const pids = boost::json::parse(*ready).at("pids");
  REQUIRE(::kill(static_cast<pid_t>(pids.at("svcd").as_int64()), SIGTERM) == 0);
  CHECK(terminal.wait() == 0);
  auto const log = content_of(data + "/svcd.log");
  for (auto const* const message : {"serving", "drained"}) {
    CAPTURE(message);
    CHECK(log.find("\"level\":\"info\",\"message\":\"" + std::string(message) + "\"") != std::string::npos);
  }
}

}  // namespace
}  // namespace svc::test
