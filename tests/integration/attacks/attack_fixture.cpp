#include "attack_fixture.hpp"

#include "support/metrics_page.hpp"
#include "support/process_tree.hpp"

namespace svc::test {
namespace {

/// Two noisy cores: a deadline missed by a busy machine says nothing about an attacker. The first of two entries with
/// one name counts.
std::vector<std::string> patient(std::vector<std::string> environment) {
  environment.insert(environment.end(), {"SVC_WORKERS=2", "SVC_REDIS_DEADLINE=1s", "SVC_HTTP_DEADLINE=8s",
                                         "SVC_POSTGRES_STATEMENT_TIMEOUT=8s", "SVC_LOG_LEVEL=info"});
  return environment;
}

}  // namespace

attack_fixture::attack_fixture(std::vector<std::string> const& environment)
    : fleet_(1),
      honest_(fleet_.make_tenant()),
      second_(fleet_.make_member(honest_, "org_admin")),
      neighbour_(make_neighbour()),
      stranger_(fleet_.make_tenant("project_editor")),
      shared_token_(make_runner(honest_)),
      strangers_token_(make_runner(stranger_)),
      target_(fleet_.dev(), both_kinds, patient(environment)) {}

tenant attack_fixture::make_neighbour() {
  tenant tenant = honest_;
  tenant.project = tenant.organization + "/attic";
  fleet_.admin({"create-project", "--organization", tenant.organization, "--slug", "attic", "--name", "Attic"});
  return fleet_.make_member(tenant, "project_editor");
}

std::string attack_fixture::make_runner(tenant const& tenant) {
  return text_of(fleet_.admin({"create-runner", "--organization", tenant.organization, "--name", "shared"}), "/key");
}

turn_figures attack_fixture::turns() const {
  auto const page = pages().get("/metrics").body;
  turn_figures out;
  out.all = sum_of(page, "svc_worker_turn_seconds_count{");
  out.above_20_ms = out.all - sum_of(page, "svc_worker_turn_seconds_bucket{", "le=\"0.02\"");
  out.above_50_ms = out.all - sum_of(page, "svc_worker_turn_seconds_bucket{", "le=\"0.05\"");
  out.stalls = sum_of(page, "svc_worker_stalls_total{");
  out.longest_seconds = greatest_of(page, "svc_worker_longest_turn_seconds{");
  return out;
}

long attack_fixture::memory() const {
  return resident_memory(target_.process().pid());
}

}  // namespace svc::test
