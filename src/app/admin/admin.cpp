#include "app/admin/admin.hpp"

#include "app/admin/command_builder.hpp"
#include "svc/core/command_line.hpp"

namespace svc::app::admin {

namespace {

/// Every terminal that is not tiny shows this many characters in a line.
constexpr std::size_t usual_terminal = 120;

std::string check_day(std::string const& text) {
  return parse_day(text) ? "" : "must be a date or a time, 2027-01-01 or 2027-01-01T12:00:00Z";
}

void ask_page(CLI::App& app, arguments& into) {
  app.add_option("--page", into.page, "from 1")->check(CLI::Range(1, 1'000'000))->capture_default_str();
  app.add_option("--limit", into.rows, "rows of a page")->check(CLI::Range(1, 1000))->capture_default_str();
}

void add_lists(command_builder& make) {
  arguments& into = make.into();
  auto& users = make.command("list-users", "List all users, with the organizations they are members of", list_users);
  ask_page(users, into);
  example(users, "svcd admin list-users");
  auto& organizations = make.command("list-organizations", "List all organizations", list_organizations);
  ask_page(organizations, into);
  example(organizations, "svcd admin list-organizations");
  auto& projects = make.list("list-projects", "List projects, of one organization or of all", list_projects,
                             {.shown = {{.member = "project"},
                                        {.member = "name"},
                                        {.member = "members"},
                                        {.member = "archived"},
                                        {.member = "createdAt", .whole = true, .rank = 1},
                                        {.member = "id", .whole = true}}});
  projects.add_option("--organization", into.organization, "of this organization (id or slug)")->type_name("ORG");
  ask_page(projects, into);
  example(projects, "svcd admin list-projects --organization acme");
  auto& members =
      make.command("list-members", "List the members of an organization or project, with their roles", list_members);
  ask_scope(members, into, "scope of the members; give exactly one");
  ask_page(members, into);
  members.footer(
      "Members of a project are those with a role of their own there; owners and admins of the organization may do\n"
      "everything in its projects without one.\n\n"
      "Examples:\n  svcd admin list-members --organization acme\n  svcd admin list-members --project acme/shop");
}

void add_directory(command_builder& make) {
  arguments& into = make.into();
  auto& user = make.command("create-user", "Create a user", create_user);
  user.add_option("--email", into.email, "unique, ignoring case")->required();
  user.add_option("--name", into.name, "shown to people")->required();
  example(user, "svcd admin create-user --email ada@example.org --name \"Ada Lovelace\"");

  auto& organization = make.command("create-organization", "Create an organization", create_organization);
  organization.add_option("--slug", into.slug, "1 to 63 of a-z, 0-9 and -; unique")->required();
  organization.add_option("--name", into.name, "shown to people")->required();
  example(organization, "svcd admin create-organization --slug acme --name Acme");

  auto& project = make.command("create-project", "Create a project in an organization", create_project);
  project.add_option("--organization", into.organization, "id or slug")->required()->type_name("ORG");
  project.add_option("--slug", into.slug, "1 to 63 of a-z, 0-9 and -; unique in the organization")->required();
  project.add_option("--name", into.name, "shown to people")->required();
  example(project, "svcd admin create-project --organization acme --slug shop --name Shop");
}

void add_role_command(command_builder& make, std::string const& name, std::string const& help) {
  auto& role = make.command(name, help, set_role);
  ask_scope(role, make.into());
  ask_user(role, make.into());
  role.add_option("--role", make.into().role,
                  "of an organization: org_owner, org_admin, org_member; of a project: project_admin, "
                  "project_editor, project_viewer")
      ->required()
      ->check(CLI::IsMember(
          {"org_owner", "org_admin", "org_member", "project_admin", "project_editor", "project_viewer"}));
  role.footer(
      "Takes effect with the next request. A project's member must be a member of its organization.\n\n"
      "Examples:\n  svcd admin " +
      name +
      " --organization acme --user ada@example.org --role org_member\n"
      "  svcd admin " +
      name + " --project acme/shop --user ada@example.org --role project_editor");
}

void add_members(command_builder& make) {
  add_role_command(make, "add-member", "Add a member to an organization or project, with a role");
  add_role_command(make, "set-role", "Change a member's role");

  auto& removal =
      make.command("remove-member", "Remove a member; tokens and keys end with the membership", remove_member);
  ask_scope(removal, make.into());
  ask_user(removal, make.into());
  removal.add_flag("--dry-run", make.into().dry_run,
                   "only list the credentials that would end and, for an organization, the runner tokens that the "
                   "member knows");
  removal.footer(
      "Removal from an organization ends the member's tokens and trigger keys there permanently; adding the "
      "member again does not restore them. Removal from a project removes only the role.\n\nExample:\n"
      "  svcd admin remove-member --organization acme --user ada@example.org --dry-run");
}

void add_switches(command_builder& make) {
  auto& ban = make.command("ban-user", "Disable an account; its tokens and keys stop at once", ban_user);
  ask_user(ban, make.into());
  example(ban, "svcd admin ban-user --user ada@example.org");
  auto& unban = make.command("unban-user", "Enable an account again", unban_user);
  ask_user(unban, make.into());
  example(unban, "svcd admin unban-user --user ada@example.org");
  auto& archive = make.command("archive-project", "Stop all tokens and keys of a project", archive_project);
  ask_project(archive, make.into());
  example(archive, "svcd admin archive-project --project acme/shop");
  auto& unarchive =
      make.command("unarchive-project", "Let a project's tokens and keys work again", unarchive_project);
  ask_project(unarchive, make.into());
  example(unarchive, "svcd admin unarchive-project --project acme/shop");
}

void add_pages(command_builder& make) {
  arguments& into = make.into();
  auto& release = make.command("release-slug", "Free the slug that a status page had before", release_slug);
  release.add_option("SLUG", into.slug, "a former slug, or one of a deleted page")->required()->type_name("SLUG");
  release.footer(
      "Slugs stay reserved for their project for 90 days. To free the present slug of a page, first delete the page\n"
      "or give it another slug.\n\n"
      "Example:\n  svcd admin release-slug acme-old");
  auto& archive = make.command("archive-page", "Hide a status page of any project, within 2 s", archive_page);
  archive.add_option("PAGE", into.id, "slug or id")->required()->type_name("PAGE");
  archive.footer(
      "Visitors get 404. Editors of the project see the page as archived, and may publish it again.\n\n"
      "Example:\n  svcd admin archive-page acme");
}

void add_sign_in(command_builder& make) {
  arguments& into = make.into();
  auto& start = make.command("bootstrap",
                             "Create the first owner, organization and project, and print a sign-in link", bootstrap);
  start.add_option("--email", into.email, "of the owner")->required();
  start.add_option("--name", into.name, "of the owner, shown to people")->required();
  start.add_option("--organization", into.organization, "slug: 1 to 63 of a-z, 0-9 and -")
      ->required()
      ->type_name("ORG");
  start.add_option("--project", into.project, "slug, unique in the organization")->required()->type_name("PROJECT");
  start.footer(
      "Creates only what is missing, so it may be repeated. The link works once, for 24 hours.\n"
      "docs/signing-in.md shows how to use it, also without a browser.\n\n"
      "Example:\n  svcd admin bootstrap --email ada@example.org --name \"Ada Lovelace\" --organization acme "
      "--project shop");

  auto& link = make.command("create-sign-in-link", "Print a link that signs a user in once", create_sign_in_link);
  ask_user(link, into);
  link.add_flag("--reset", into.reset,
                "first remove the user's password and identities, and end the user's sessions, tokens and keys");
  link.footer(
      "The link works once, for 24 hours.\n"
      "docs/signing-in.md shows how to use it, also without a browser.\n"
      "Give it only to the person whose account it is.\n\n"
      "Example:\n  svcd admin create-sign-in-link --user ada@example.org");

  auto& list = make.list("list-sessions", "List a user's live sessions", list_sessions,
                         {.shown = {{"method", "method"},
                                    {"createdAt", "createdAt"},
                                    {"lastSeenAt", "lastSeenAt"},
                                    {"ip", "ip"},
                                    {"userAgent", "userAgent"},
                                    {"id", "id"}}});
  ask_user(list, into);
  example(list, "svcd admin list-sessions --user ada@example.org");

  auto& end = make.command("end-sessions", "End all sessions of a user, at once", end_sessions);
  ask_user(end, into);
  example(end, "svcd admin end-sessions --user ada@example.org");

  auto& policy = make.command("set-sign-in-policy", "Say which sessions an organization admits", set_sign_in_policy);
  policy.add_option("--organization", into.organization, "id or slug")->required()->type_name("ORG");
  policy.add_option("--sign-in", into.sign_in, "any: all sessions; oidc: those that began at an identity provider")
      ->required()
      ->check(CLI::IsMember({"any", "oidc"}));
  policy
      .add_option("--provider", into.providers, "with oidc: admit only this provider; may be repeated, up to 8 times")
      ->type_name("ID")
      ->expected(1, 8)
      ->allow_extra_args(false);
  policy.footer(
      "Takes effect with the next request. Other sessions are refused with policy_not_met in this organization "
      "only.\n"
      "The policy does not apply to tokens and trigger keys. It can lock everybody out; `any` undoes it.\n\n"
      "Examples:\n  svcd admin set-sign-in-policy --organization acme --sign-in oidc --provider keycloak\n"
      "  svcd admin set-sign-in-policy --organization acme --sign-in any");
}

void add_instances(command_builder& make) {
  auto& list = make.command("list-instances", "List the running instances, with their versions", list_instances);
  list.footer(
      "Every 3 s an instance records in PostgreSQL and in Redis that it runs; an instance whose record is older\n"
      "than 12 s is not shown. `false` in the column of a store: the instance does not reach that store. Versions\n"
      "before 0.2 are not shown.\n\n"
      "Example:\n  svcd admin list-instances");
}

void add_files(command_builder& make) {
  arguments& into = make.into();
  auto& import =
      make.command("import-tokens", "Import hashed tokens from another system, all or none", import_tokens);
  import.add_option("FILE", into.file, "CSV; - reads standard input")->required()->type_name("FILE");
  import.footer(
      "The header names kind, name, digest, start, project, job, owner, enabled, expires_at, in any order.\n"
      "kind is cli, test, trigger or legacy_trigger; digest is the token's SHA-256 as 64 lower-case hex\n"
      "characters or 43 of base64url; a trigger key has a job, a token none. A project holds at most 20\n"
      "unrevoked tokens and a job 10 keys: a file that exceeds this is refused.\n\n"
      "Example:\n  svcd admin import-tokens tokens.csv");
}

void add_restore(command_builder& make) {
  arguments& into = make.into();
  auto& revoke = make.command(
      "revoke-tokens", "Revoke tokens, trigger keys and runner tokens, at once and permanently", revoke_tokens);
  revoke.add_option("FILE", into.file, "an id on each line; - reads standard input")->required()->type_name("FILE");
  revoke.footer(
      "For use after a restore, with the credentials that were revoked after the time to which the database\n"
      "went back (docs/backup.md). Ids that are unknown or revoked already are reported, and are no error.\n\n"
      "Example:\n  svcd admin revoke-tokens ended.txt");

  auto& end = make.command(
      "end-runs", "End queued and running runs with the status error, so that none is executed again", end_runs);
  end.add_option("--before", into.before, "only runs that were queued before this time")
      ->required()
      ->type_name("TIME")
      ->check(CLI::Validator(check_day, "", "time"));
  end.add_option("--reason", into.reason, "the text of their errorDetails")
      ->required()
      ->check(CLI::Validator(
          [](std::string const& text) { return text.empty() || text.size() > 500 ? "must have 1 to 500 bytes" : ""; },
          "", "text"));
  end.add_flag("--missed-schedules", into.missed_schedules, "also skip the due times of schedules that have passed");
  end.add_flag("--yes", into.confirmed, "end them; otherwise they are only counted");
  end.footer(
      "For use after a restore: these runs may have been executed after the time to which the database went back.\n"
      "Each has an audit row (run.ended). Their runners' reports are refused from then on.\n\n"
      "Example:\n"
      "  svcd admin end-runs --before 2027-01-01T12:00:00Z --reason 'The database was restored.' --missed-schedules "
      "--yes");
}

void add_audit(command_builder& make) {
  arguments& into = make.into();
  auto& audit = make.list("audit", "Show who changed what, newest first", show_audit,
                          {.shown = {{.member = "createdAt", .title = "time", .whole = true},
                                     {.member = "action"},
                                     {.member = "actor"},
                                     {.member = "place"},
                                     {.member = "ip", .whole = true, .rank = 1},
                                     {.member = "details"}},
                           .most = usual_terminal,
                           .hint = "--json shows ids, tokens, user agents, request ids and whole details.\n"});
  audit.add_option("--organization", into.organization, "of this organization (id or slug)")->type_name("ORG");
  audit.add_option("--project", into.project, "of this project (id or organization-slug/project-slug)")
      ->type_name("PROJECT");
  audit.add_option("--action", into.action, "only this action, e.g. cli_token.revoked");
  ask_page(audit, into);
  example(audit, "svcd admin audit --organization acme --action cli_token.revoked");

  auto& drop = make.command("drop-audit", "Drop the partitions of the audit log that ended before a date", drop_audit,
                            login::owner);
  drop.add_option("--before", into.before, "a date; a partition with a row of that day or later stays")
      ->required()
      ->type_name("DATE")
      ->check(CLI::Validator(check_day, "", "date"));
  drop.add_flag("--yes", into.confirmed, "drop them; otherwise they are only listed");
  drop.footer(
      "A partition holds the rows of 30 days, the first one also all older rows. It is dropped whole, permanently.\n"
      "Uses postgres.migrate_url, the login of the tables' owner. The service itself never drops one.\n\n"
      "Example:\n  svcd admin drop-audit --before 2025-01-01 --yes");
}

void add_keys(command_builder& make) {
  auto& rotate = make.command(
      "rotate-master-key", "Wrap every project's data key with the first key of master_key_file", rotate_master_key);
  rotate.footer(
      "Works while the service runs: first add the new key's line to the file of every instance, then put it first,\n"
      "run this, and remove the old line once this has reported that nothing is left. It may be stopped and run\n"
      "again at any time. Progress goes to standard error.\n\n"
      "Example:\n  svcd admin rotate-master-key --config /etc/svcd/svcd.toml");
}

}  // namespace

void add_commands(CLI::App& root, std::function<int()>& chosen, configuration_loader load) {
  CLI::App& admin = *root.add_subcommand("admin", "Manage users, organizations, projects, tokens and the audit log");
  admin.require_subcommand(1);
  admin.footer(
      "Every change takes effect with the next request, on every instance, and is written to the audit log.\n"
      "Exit codes: 0 done, 1 refused or failed, 2 wrong arguments or configuration.");
  command_builder make(admin, chosen, std::move(load));
  admin.add_option("--config", make.into().config, config_help)->type_name("FILE");
  add_directory(make);
  add_lists(make);
  add_members(make);
  add_switches(make);
  add_sign_in(make);
  add_credential_commands(make);
  add_instances(make);
  add_files(make);
  add_restore(make);
  add_pages(make);
  add_audit(make);
  add_keys(make);
}

}  // namespace svc::app::admin
