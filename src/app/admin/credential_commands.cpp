// The commands of `svcd admin` for tokens, trigger keys and tokens of runners.
#include "app/admin/command_builder.hpp"
#include "svc/core/command_line.hpp"
#include "svc/core/time.hpp"

namespace svc::app::admin {

namespace {

constexpr std::int64_t min_life = 60, max_life = 315'360'000;

void ask_job(CLI::App& app, arguments& into) {
  app.add_option("--job", into.job, "the job's id")->required()->type_name("ID");
}

std::string check_time(std::string const& text) {
  return parse_rfc3339(text) ? "" : "must be a time such as 2027-01-01T12:00:00Z (RFC 3339)";
}

void ask_life(CLI::App& app, arguments& into) {
  auto* const option = app.add_option("--expires-at", into.expires_at, "RFC 3339 date-time; default: never")
                           ->type_name("TIME")
                           ->check(CLI::Validator(check_time, "", "time"));
  add_seconds_option(app, "--expires-in", "lifetime from now, instead of a time",
                     {.least = min_life, .most = max_life},
                     [&into](std::int64_t seconds) { into.expires_in = seconds; })
      ->excludes(option);
}

table_columns token_columns() {
  return {.shown = {{.member = "name"},
                    {.member = "kind"},
                    {.member = "start", .rank = 3},
                    {.member = "owner"},
                    {.member = "enabled"},
                    {.member = "expiresAt", .whole = true, .rank = 1},
                    {.member = "createdAt", .whole = true, .rank = 2},
                    {.member = "id", .whole = true}}};
}

void add_tokens(command_builder& make) {
  arguments& into = make.into();
  auto& create = make.command("create-token", "Create a CLI or test token; its secret is printed once", create_token);
  ask_project(create, into);
  ask_user(create, into, "--owner,--user");
  create.add_option("--name", into.name, "unique in the project")->required();
  create.add_option("--kind", into.kind, "cli (svc_live_) or test (svc_test_)")
      ->check(CLI::IsMember({"cli", "test"}))
      ->capture_default_str();
  ask_life(create, into);
  example(create, "svcd admin create-token --project acme/shop --owner ada@example.org --name ci --kind test");

  auto& list = make.list("list-tokens", "List a project's unrevoked tokens", list_tokens, token_columns());
  ask_project(list, into);
  example(list, "svcd admin list-tokens --project acme/shop");

  auto& revoke = make.command("revoke-token", "Revoke a token, at once and permanently", revoke_token);
  revoke.add_option("ID", into.id, "the token's id")->required();
  example(revoke, "svcd admin revoke-token 01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70");
}

void add_trigger_keys(command_builder& make) {
  arguments& into = make.into();
  auto& create = make.command("create-trigger-key", "Create a trigger key for a job; its secret is printed once",
                              create_trigger_key);
  ask_job(create, into);
  ask_user(create, into, "--owner,--user");
  create.add_option("--name", into.name, "unique in the job")->required();
  auto* const limit = create.add_option("--limit", into.limit, "requests in the window; if not given, the default")
                          ->check(CLI::Range(1, 100'000));
  add_seconds_option(create, "--window", "the window of --limit", {.least = 1, .most = 86'400},
                     [&into](std::int64_t seconds) { into.window = static_cast<std::uint32_t>(seconds); })
      ->default_str("1m")
      ->needs(limit);
  ask_life(create, into);
  example(create, "svcd admin create-trigger-key --job ID --owner ada@example.org --name github --limit 20");

  auto& list = make.list("list-trigger-keys", "List a job's unrevoked keys", list_trigger_keys, token_columns());
  ask_job(list, into);
  example(list, "svcd admin list-trigger-keys --job 01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70");

  auto& revoke =
      make.command("revoke-trigger-key", "Revoke a trigger key, at once and permanently", revoke_trigger_key);
  revoke.add_option("ID", into.id, "the key's id")->required();
  example(revoke, "svcd admin revoke-trigger-key 01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70");
}

void add_runners(command_builder& make) {
  arguments& into = make.into();
  auto& create =
      make.command("create-runner", "Create a token for runners; its secret is printed once", create_runner);
  ask_scope(create, into, "scope of the runs that it may execute; give exactly one");
  create.add_option("--name", into.name, "unique in the organization")->required();
  create.footer(
      "A runner with this token sees the scripts and variables of every project that the token is for.\n\nExamples:\n"
      "  svcd admin create-runner --organization acme --name build-farm\n"
      "  svcd admin create-runner --project acme/shop --name shop-box");

  auto& list = make.list("list-runners", "List unrevoked runner tokens", list_runners,
                         {.shown = {{.member = "name"},
                                    {.member = "organizationSlug", .title = "organization"},
                                    {.member = "projectSlug", .title = "project"},
                                    {.member = "runners"},
                                    {.member = "lastSeenAt", .whole = true, .rank = 1},
                                    {.member = "createdAt", .whole = true, .rank = 2},
                                    {.member = "start", .rank = 3},
                                    {.member = "id", .whole = true}}});
  list.add_option("--organization", into.organization, "of this organization (id or slug)")->type_name("ORG");
  example(list, "svcd admin list-runners --organization acme");

  auto& revoke = make.command("revoke-runner", "Revoke a runner token, at once and permanently", revoke_runner);
  revoke.add_option("ID", into.id, "the token's id")->required();
  revoke.footer(
      "Its runners cannot report any more; their runs are queued again when the leases expire.\n\n"
      "Example:\n  svcd admin revoke-runner 01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70");
}

}  // namespace

void add_credential_commands(command_builder& make) {
  add_tokens(make);
  add_trigger_keys(make);
  add_runners(make);
}

}  // namespace svc::app::admin
