#pragma once

#include "integration/system/faults/faults.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"

namespace svc::test {

/// A tenant with a job, and runners that take only its own runs.
struct neighbour {
  neighbour(fleet& fleet, configured_service const& service)
      : owner(fleet.make_tenant()),
        public_url("https://" + service.address(0)),
        ca(fleet.text("caFile")),
        user(user_of_its_own()),
        job(make_job(user)),
        key(text_of(fleet.admin({"create-runner", "--project", owner.project, "--name", "r" + owner.organization}),
                    "/key")),
        url("https://" + service.address(1)) {}

  runner_client executor() const {
    runner_client made(url, ca, key);
    REQUIRE(made.enroll().status == 200);
    return made;
  }
  /// Returns a client for another thread.
  api_client user_of_its_own() const { return {public_url, ca, owner.token}; }
  std::string trigger() { return text_of(body_of(user.post(trigger_path(job))), "/data/runId"); }

  tenant owner;
  std::string public_url, ca;
  api_client user;
  std::string job, key, url;
};

/// The reports of the instance's workers, and of its ledger.
struct page {
  explicit page(configured_service const& service)
      : said(body_of(api_client(service.admin_url(), {}, {}).get("/readyz?verbose"))) {
    for (auto const& value : said.at("workers").as_array()) shared = shared && text_of(value, "/limits") == "shared";
  }
  std::string output() const { return text_of(said, "/output/state"); }
  std::int64_t held() const { return said.at("output").at("heldBytes").to_number<std::int64_t>(); }

  boost::json::object said;
  bool shared = true;
};

}  // namespace svc::test
