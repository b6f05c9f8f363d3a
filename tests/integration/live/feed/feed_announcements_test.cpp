// Changes that no request of a project makes: by the operator's commands, by sign-ins, and by retention.
#include "feed_fixture.hpp"
#include "integration/system/faults/faults.hpp"
#include "integration/system/sessions/identity_instance.hpp"

#include <string>
#include <vector>

namespace svc::test {
namespace {

/// A page of the owner at an instance, which has heard that changes arrive.
struct watching_page : feed_project {
  explicit watching_page(fleet& house, std::size_t instance = 0)
      : watching_page(house, house.make_tenant(), instance) {}
  watching_page(fleet& house, tenant person, std::size_t instance)
      : feed_project(house, std::move(person)), page(open(owner, instance)), all(house.text("caFile")) {
    all.ask(house.url(instance), feed_request(page, project));
    REQUIRE(all.read_until(has_ready()));
  }
  bool sees(seen const& wanted) { return all.read_until(wanted); }
  boost::json::value admin(std::vector<std::string> words) const { return installation.admin(std::move(words)); }

  browser page;
  audience all;
};

fleet& command_house() {
  static fleet shared(2);
  return shared;
}

TEST_CASE("a viewer sees what the operator's commands change in its project, in the order of the commands") {
  watching_page p(command_house(), 1);
  auto client = p.client(0);
  auto const& project = p.owner.project;
  auto const member = p.installation.make_member(p.owner, "project_viewer");
  CHECK(p.sees(names("member", member.user_id)));
  p.admin({"set-role", "--project", project, "--user", member.user, "--role", "project_editor"});
  CHECK(p.sees(names_again("member", member.user_id, 2)));
  auto const token = text_of(
      p.admin({"create-token", "--project", project, "--owner", p.owner.user, "--name", "by-operator"}), "/id");
  CHECK(p.sees(names("cli_token", token)));
  p.admin({"revoke-token", token});
  CHECK(p.sees(names_again("cli_token", token, 2)));
  auto const job = make_job(client);
  auto const key =
      text_of(p.admin({"create-trigger-key", "--job", job, "--owner", p.owner.user, "--name", "by-operator"}), "/id");
  CHECK(p.sees(names("trigger_key", key)));
  auto const runner = text_of(p.admin({"create-runner", "--project", project, "--name", "by-operator"}), "/id");
  CHECK(p.sees(names("runner", runner)));
  // A member who leaves the organization loses the roles in its projects, and the tokens stop there.
  p.admin({"remove-member", "--organization", p.owner.organization, "--user", member.user});
  CHECK(p.sees(names_again("member", member.user_id, 3)));
  CHECK(p.sees(names_again("cli_token", member.token_id, 2)));
  // One file with several credentials.
  temporary_directory const files;
  p.admin({"revoke-tokens", files.write("ended.txt", key + "\n" + runner + "\n")});
  CHECK(p.sees(names_again("trigger_key", key, 2)));
  CHECK(p.sees(names_again("runner", runner, 2)));
}

TEST_CASE("a viewer sees runs that the operator ends") {
  watching_page p(command_house(), 1);
  auto client = p.client(0);
  auto const job = make_job(client);
  auto const run = text_of(body_of(client.post(trigger_path(job))), "/data/runId");
  CHECK(p.sees(shows_run(run, "queued")));
  p.admin({"end-runs", "--before", "2100-01-01", "--reason", "restored", "--yes"});
  CHECK(p.sees(shows_run(run, "error")));
}

TEST_CASE("a command whose changes nobody can announce succeeds as before") {
  fleet house(1);
  auto const owner = house.make_tenant();
  stopped_process const redis(house.dev().pid_of("redis"));
  auto const made = house.admin({"create-organization", "--slug", "quiet", "--name", "Quiet"});
  CHECK_FALSE(text_of(made, "/id").empty());
  CHECK_FALSE(text_of(house.admin({"create-runner", "--project", owner.project, "--name", "r"}), "/id").empty());
}

boost::json::object person_at_corp(std::string const& name, boost::json::array groups) {
  return {{"sub", "id-of-" + name},
          {"email", name + "@corp.example"},
          {"email_verified", true},
          {"name", name},
          {"groups", std::move(groups)}};
}

TEST_CASE("a viewer sees the roles that a sign-in at a provider gives and takes") {
  auto& place = identity_service();
  watching_page p(place.installation, place.owner, 1);
  place.provider.use_account(person_at_corp("eve", {"dev"}));
  auto first = place.page();
  REQUIRE(page_of(place.sign_in(first)) == "/app/jobs");
  auto const id = text_of(body_of(first.get("/dashboard/v1/me")), "/user/id");
  CHECK(p.sees(names("member", id)));
  // The same groups again change nothing: no event up to that of a later member names the person again.
  auto second = place.page();
  REQUIRE(page_of(place.sign_in(second)) == "/app/jobs");
  auto const later = p.installation.make_member(p.owner, "project_viewer");
  CHECK(p.sees(names("member", later.user_id)));
  CHECK_FALSE(names_again("member", id, 2)(*p.all.all().front()));
  place.provider.use_account(person_at_corp("eve", {"sales"}));
  REQUIRE(page_of(place.sign_in(second)) == "/app/jobs");
  CHECK(p.sees(names_again("member", id, 2)));
}

TEST_CASE("a viewer sees that an invitation was accepted with a new account") {
  watching_page p(command_house(), 1);
  auto admin = p.open(p.owner, 0);
  auto const organization =
      p.installation.word("SELECT id FROM organizations WHERE slug = '" + p.owner.organization + "'");
  auto const made = admin.post("/dashboard/v1/organizations/" + organization + "/invitations",
                               R"({"email":"new-)" + p.project.substr(0, 8) +
                                   R"(@example.org","role":"org_member","projects":[{"projectId":")" + p.project +
                                   R"(","role":"project_viewer"}],"delivery":"copy"})");
  CAPTURE(made.body);
  REQUIRE(made.status == 201);
  auto const link = text_of(body_of(made), "/link");
  browser invited(p.installation, 0);
  auto const accepted = invited.post("/dashboard/v1/sign-in/invitation",
                                     R"({"token":")" + link.substr(link.find('#') + 1) +
                                         R"(","name":"New","password":"seven unrelated words make one"})");
  CAPTURE(accepted.body);
  REQUIRE(accepted.status / 100 == 2);
  CHECK(p.sees(names("member", text_of(body_of(accepted), "/user/id"))));
}

TEST_CASE("a viewer sees that retention has deleted runs and outages of its project, and nobody else's viewer does") {
  fleet house(1, {"SVC_RETENTION_INTERVAL=200ms", "SVC_RETENTION_RUNS_PER_JOB=1", "SVC_RETENTION_OUTAGES=24h"});
  watching_page p(house), other(house);
  auto client = p.client();
  auto const job = make_job(client);
  for (int i = 0; i < 3; ++i) {
    auto const run = text_of(body_of(client.post(trigger_path(job))), "/data/runId");
    REQUIRE(client.post("/api/runs/" + run + "/cancel").status == 202);
  }
  CHECK(p.sees(names("run")));
  auto const monitor = make_paused_monitor(house, p.owner, "closed");
  house.sql(
      "UPDATE outages SET ended_at = now() - interval '29 hours', end_reason = 'recovered' WHERE monitor_id = '" +
      monitor + "'");
  CHECK(p.sees(names("outage")));
  // A change of the own project arrives, and nothing came before it.
  auto theirs = other.client();
  CHECK(other.sees(names("job", make_job(theirs))));
  CHECK_FALSE(names("run")(*other.all.all().front()));
  CHECK_FALSE(names("outage")(*other.all.all().front()));
}

}  // namespace
}  // namespace svc::test
