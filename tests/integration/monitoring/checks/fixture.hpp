#pragma once

#include "integration/egress/fixture.hpp"
#include "svc/http/json.hpp"
#include "svc/monitoring/checks/engine.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::checks {

using namespace std::chrono_literals;
using namespace svc::test;
using egress::asking;
using egress::knowing;
using egress::loopback_policy;

/// A check of a test. `config`: JSON.
struct check_of {
  std::string type = "http_request";
  std::string target{};
  std::string config = "{}";
  std::chrono::seconds interval{600};
};

/// As the service reads it; fails the test if it is refused.
inline std::shared_ptr<check_config const> parsed(check_of const& check) {
  auto const json = http::parse_json(check.config).value();
  auto made = parse_check({check_type_named(check.type), check.target, check.interval, &json.as_object()}, nullptr);
  if (!made)
    for (auto const& each : made.error().details) FAIL(each.field << ": " << each.message);
  return std::make_shared<check_config const>(std::move(made.value()));
}

inline check_of without_retries(check_of check) {
  auto json = http::parse_json(check.config).value();
  json.as_object()["retryStrategy"] = {{"maxRetries", 0}};
  check.config = http::to_json(json);
  return check;
}

/// A worker of one test with its engine. `a.test` and `b.test` are 127.0.0.1, the only open address.
struct probing {
  explicit probing(dns_server::script names = knowing({{"a.test", {"127.0.0.1"}},
                                                       {"b.test", {"127.0.0.1"}},
                                                       {"inside.test", {"127.0.0.2"}},
                                                       {"inside6.test", {"::1"}}}),
                   std::string const& authorities = {}, std::vector<connectivity_probe> connectivity_probes = {})
      : dns(std::move(names)),
        made(io,
             {.names = asking({dns.port()}),
              .policy = loopback_policy(),
              .trust = std::make_shared<egress::trust_store const>(std::initializer_list<std::string>{authorities}),
              .user_agent = "checks/1",
              .connectivity_probes = std::move(connectivity_probes)}) {}

  check_outcome run(check_of const& check, check_values values = {}, milliseconds within = 60s) {
    auto const got = run_task(io, made.run(parsed(check), std::make_shared<check_values const>(std::move(values)),
                                           deadline::after(within)));
    REQUIRE(got);
    return *got;
  }
  /// One attempt.
  check_outcome once(check_of check, check_values values = {}) {
    return run(without_retries(std::move(check)), std::move(values));
  }

  dns_server dns;
  asio::io_context io{1};
  engine made;
};

/// Status and code, such as `down connect_refused`, `up` and `up degraded`.
inline std::string outcome(checks::result_of_check const& result) {
  std::string out(checks::name_of(result.ended));
  if (result.degraded) out += " degraded";
  if (result.known.error) out.append(" ").append(checks::row_of(result.known.error->which).name);
  return out;
}
inline std::string outcome(check_outcome const& result) {
  return outcome(result.result);
}

/// The results of several checks that run at the same time.
inline std::vector<check_outcome> run_all(probing& probe,
                                          std::vector<std::shared_ptr<check_config const>> const& all) {
  std::vector<check_outcome> out(all.size());
  std::size_t left = all.size();
  auto const values = std::make_shared<check_values const>();
  for (std::size_t i = 0; i < all.size(); ++i)
    asio::co_spawn(probe.io, probe.made.run(all[i], values, deadline::after(120s)),
                   [&out, &left, i](std::exception_ptr failed, std::optional<check_outcome> got) {
                     CHECK_FALSE(failed);
                     if (got) out[i] = std::move(*got);
                     --left;
                   });
  probe.io.restart();
  while (left > 0 && probe.io.run_one() > 0) {
  }
  return out;
}

/// The same, of one attempt each.
inline std::vector<check_outcome> run_once(probing& probe, std::vector<check_of> const& all) {
  std::vector<std::shared_ptr<check_config const>> configs;
  for (auto const& check : all) configs.push_back(parsed(without_retries(check)));
  return run_all(probe, configs);
}

}  // namespace svc::checks
