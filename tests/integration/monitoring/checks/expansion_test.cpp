#include "integration/egress/cost.hpp"
#include "integration/monitoring/checks/fixture.hpp"

#include <fstream>

namespace svc::checks {

namespace {

/// The most memory that this process has had since `reset_peak`, in KiB.
long peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  return 0;
}

void reset_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

std::string times(int count, std::string const& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("headers that would fill the memory with a variable end the check before they are filled") {
  http_server server(saying(answer_of(200)));
  probing probe;
  std::string headers;
  for (int i = 0; i < 30; ++i)
    headers += (i == 0 ? "" : ",") + ("\"X-" + std::to_string(i)) + "\":\"" + times(1600, "{{A}}") + "\"";
  check_of const check{.target = server.url(), .config = "{\"headers\":{" + headers + "}}"};
  auto const config = parsed(without_retries(check));
  check_values values;
  values.all.emplace("A", secret_string(std::string(10'000, 'a')));
  auto const shared = std::make_shared<check_values const>(std::move(values));
  reset_peak();
  auto const memory = peak_memory();
  auto const before = cpu_used();
  auto const got = run_task(probe.io, probe.made.run(config, shared, deadline::after(60s)));
  auto const spent = cpu_used() - before;
  REQUIRE(got);
  CHECK(outcome(*got) == "error target_invalid");
  CHECK(got->result.known.error->message.find("16000000 bytes") != std::string::npos);
  CHECK(server.connections() == 0);
  MESSAGE("CPU in µs: ", spent.count(), ", KiB of memory: ", peak_memory() - memory);
  CHECK(spent < 50ms);
  CHECK(peak_memory() - memory < 20L * 1024);
  CHECK(config->variables() == std::vector<std::string>{"A"});
}

TEST_CASE("a member with its variables has the same limit as without them") {
  http_server server(saying(answer_of(200)));
  probing probe;
  struct {
    std::string config;
    std::size_t most;
  } const cases[] = {
      {R"({"headers":{"X-A":"{{A}}"}})", 8192},
      {R"({"method":"POST","body":"{{A}}"})", 65536},
      {R"({"auth":{"type":"bearer","token":"{{A}}"}})", 8192},
      {R"({"auth":{"type":"basic","username":"{{A}}","password":"p"}})", 256},
      {R"({"auth":{"type":"basic","username":"u","password":"{{A}}"}})", 1024},
  };
  for (auto const& c : cases) {
    CAPTURE(c.config);
    for (auto const size : {c.most, c.most + 1}) {
      check_values values;
      values.all.emplace("A", secret_string(std::string(size, 'a')));
      auto const got = probe.once({.target = server.url(), .config = c.config}, std::move(values));
      CHECK(outcome(got) == (size == c.most ? "up" : "error target_invalid"));
    }
  }
  check_values values;
  values.all.emplace("A", secret_string(std::string(2048, 'a')));
  CHECK(outcome(probe.once({.target = server.url("/{{A}}")}, std::move(values))) == "error target_invalid");
}

TEST_CASE("secrets that would take long to mask end the check, and show nothing of themselves") {
  http_server server([](http_connection& connection) { connection.send(answer_of(500, {}, connection.request())); });
  probing probe;
  auto const action = [&](std::size_t bytes) {
    check_values values;
    std::string secret(bytes, 's');
    std::uint32_t state = 1;
    for (auto& c : secret) c = static_cast<char>('0' + ((state = state * 1664525U + 1013904223U) >> 25) % 64);
    values.all.emplace("A", secret_string(std::string_view(secret).substr(0, bytes / 2)));
    values.all.emplace("B", secret_string(std::string_view(secret).substr(bytes / 2)));
    values.secret = {"A", "B"};
    check_of const check{.target = server.url(), .config = R"({"method":"POST","body":"{{A}}"})"};
    auto const before = cpu_used();
    auto const got = probe.once(check, std::move(values));
    auto const spent = cpu_used() - before;
    MESSAGE("CPU in µs with ", bytes, " bytes of secrets: ", spent.count());
    CHECK(spent < 50ms);
    return got;
  };
  CHECK(outcome(action(65'536)) == "down status_unexpected");
  auto const connections = server.connections();
  auto const refused = action(65'537);
  CHECK(outcome(refused) == "error target_invalid");
  CHECK(refused.result.known.error->message ==
        "The secrets of this check have more than 65536 bytes together; use fewer or shorter ones.");
  CHECK(server.connections() == connections);
}

}  // namespace svc::checks
