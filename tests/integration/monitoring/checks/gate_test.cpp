// Checks of each type and their gate.
#include "fixture.hpp"

#include "support/free_port.hpp"

#include <vector>

namespace svc::checks {

namespace {

/// Notes which addresses it is asked for.
struct noting_gate : check_gate {
  task<std::optional<admission>> enter(ip_address address, std::uint16_t port, deadline until) override {
    entered.push_back(address.to_string() + ":" + std::to_string(port));
    was_refused = refuses;
    co_return refuses ? std::nullopt : std::optional(admission{{}, until});
  }
  bool try_enter(ip_address const&, std::uint16_t) override { return true; }
  void leave() override {}
  steady::duration take_wait() override { return {}; }
  bool refused() const override { return was_refused; }

  bool refuses = false, was_refused = false;
  std::vector<std::string> entered;
};

TEST_CASE("a check of each type asks its gate for the chosen address, and sends nothing if the gate refuses") {
  probing probe;
  http_server server(saying(answer_of(200)));
  auto const port = std::to_string(server.port()), udp = std::to_string(free_port());
  auto const own_resolver = std::to_string(probe.dns.port());
  std::vector<std::pair<check_of, std::string>> cases{
      {{"http_request", server.url("/", "a.test")}, "127.0.0.1:" + port},
      {{"website", server.url()}, "127.0.0.1:" + port},
      {{"port_check", "a.test", R"({"port":)" + port + "}"}, "127.0.0.1:" + port},
      {{"port_check", "127.0.0.1", R"({"port":)" + udp + R"(,"protocol":"udp"})"}, "127.0.0.1:" + udp},
      {{"dns", "a.test", R"({"recordType":"A","resolver":"127.0.0.1:)" + own_resolver + R"("})"},
       "127.0.0.1:" + own_resolver},
      // The location's own servers are nobody's choice.
      {{"dns", "a.test", R"({"recordType":"A"})"}, ""},
  };
  if (probe.made.can(*check_type_named("ping_host")))
    cases.push_back({{"ping_host", "a.test", R"({"count":1})"}, "127.0.0.1:0"});
  for (auto const& [content, asked] : cases) {
    for (bool const refuses : {false, true}) {
      CAPTURE(content.target);
      CAPTURE(content.config);
      CAPTURE(refuses);
      auto const gate = std::make_shared<noting_gate>();
      gate->refuses = refuses;
      auto const before = server.connections();
      auto const got =
          run_task(probe.io, probe.made.run(parsed(without_retries(content)), std::make_shared<check_values const>(),
                                            deadline::after(30s), gate));
      CHECK(gate->entered == (asked.empty() ? std::vector<std::string>() : std::vector{asked}));
      CHECK(got.has_value() == (asked.empty() || !refuses));
      if (refuses) CHECK(server.connections() == before);
    }
  }
}

}  // namespace
}  // namespace svc::checks
