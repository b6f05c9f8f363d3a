#include "svc/store/directory/directory_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/domain/display_text.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

constexpr postgres::statement find_user_by_id{"user_by_id", "SELECT id, email, name FROM users WHERE id = $1"};
constexpr postgres::statement find_user_by_email{"user_by_email",
                                                 "SELECT id, email, name FROM users WHERE lower(email) = lower($1)"};
constexpr postgres::statement find_organization_by_id{"organization_by_id",
                                                      "SELECT id FROM organizations WHERE id = $1"};
constexpr postgres::statement find_organization_by_slug{"organization_by_slug",
                                                        "SELECT id FROM organizations WHERE slug = $1"};
constexpr postgres::statement find_project_by_id{"project_by_id", "SELECT id FROM projects WHERE id = $1"};
constexpr postgres::statement find_project_by_slug{"project_by_slug", R"(
SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id
 WHERE o.slug = split_part($1, '/', 1) AND p.slug = split_part($1, '/', 2))"};

// A user is a subject. The subject's row, with its epoch, is inserted first and never deleted.
constexpr postgres::statement insert_user_subject{"user_insert_subject", "INSERT INTO subjects (id) VALUES ($1)"};
constexpr postgres::statement insert_user{"user_insert", "INSERT INTO users (id, email, name) VALUES ($1, $2, $3)"};
constexpr postgres::statement insert_organization{"organization_insert",
                                                  "INSERT INTO organizations (id, slug, name) VALUES ($1, $2, $3)"};
constexpr postgres::statement insert_project{
    "project_insert", "INSERT INTO projects (id, organization_id, slug, name) VALUES ($1, $2, $3, $4)"};

constexpr std::size_t max_label = 255;

error missing(std::string_view subject, std::string const& which) {
  return {errc::not_found, "There is no " + std::string(subject) + " \"" + which + "\"."};
}

error refusal(postgres::server_error const& failure) {
  if (failure.constraint == "users_email_unique")
    return {errc::name_taken, "A user with this e-mail address exists."};
  if (failure.constraint == "organizations_slug_unique") return {errc::name_taken, "An organization has this slug."};
  if (failure.constraint == "projects_slug_unique")
    return {errc::name_taken, "A project of the organization has this slug."};
  if (failure.constraint == "organizations_slug_form" || failure.constraint == "projects_slug_form")
    return {errc::validation_failed, "A slug is 1 to 63 characters of a-z, 0-9 and \"-\"."};
  if (failure.check_violation()) return {errc::validation_failed, "An e-mail address has 3 to 320 characters."};
  if (failure.foreign_key_violation()) return {errc::not_found, "There is no such organization."};
  reject(failure);
}

audit_entry created(std::string resource, uuid id, audit_actor const& actor, boost::json::object const& details) {
  return {.actor = actor,
          .action = resource + ".created",
          .resource = resource,
          .resource_id = id,
          .details = boost::json::serialize(details)};
}

result<std::string> checked_email(std::string_view text) {
  auto email = checked_name(text, "email", 320);
  if (!email) return email;
  auto const position = email->find('@');
  if (position == 0 || position == std::string::npos || position + 1 == email->size() ||
      email->find(' ') != std::string::npos)
    return error(errc::validation_failed, "\"" + *email + "\" is not an e-mail address.");
  return email;
}

/// Asks by id if `which` is one, else by name.
postgres::query asking(std::string const& which, postgres::statement by_id, postgres::statement by_name) {
  auto const id = uuid::parse(which);
  return id ? postgres::query{by_id, postgres::parameters(*id)}
            : postgres::query{by_name, postgres::parameters(which)};
}

}  // namespace

task<result<user_identity>> directory_store::find_user(std::string name, deadline until) {
  auto const ask = asking(name, find_user_by_id, find_user_by_email);
  postgres::rows const done = settled(co_await db_.run(ask, until));
  if (done.empty()) co_return missing("user", name);
  postgres::row const r = done.front();
  co_return user_identity{r.id(0), std::string(r.text(1)), std::string(r.text(2))};
}

task<result<uuid>> directory_store::find_organization(std::string which, deadline until) {
  auto const ask = asking(which, find_organization_by_id, find_organization_by_slug);
  postgres::rows const done = settled(co_await db_.run(ask, until));
  if (done.empty()) co_return missing("organization", which);
  co_return done.front().id(0);
}

task<result<uuid>> directory_store::find_project(std::string which, deadline until) {
  if (!uuid::parse(which) && std::ranges::count(which, '/') != 1)
    co_return error(errc::validation_failed, "Name a project by its id or as organization-slug/project-slug.");
  auto const ask = asking(which, find_project_by_id, find_project_by_slug);
  postgres::rows const done = settled(co_await db_.run(ask, until));
  if (done.empty()) co_return missing("project", which);
  co_return done.front().id(0);
}

task<result<uuid>> directory_store::create_user(std::string email, std::string name, audit_actor actor,
                                                deadline until) {
  auto const address = checked_email(email);
  if (!address) co_return address.error();
  auto const label = checked_name(name, "name", max_label);
  if (!label) co_return label.error();
  uuid const id = uuid::generate_v7();
  std::vector<postgres::query> batch{
      {insert_user_subject, postgres::parameters(id)},
      {insert_user, postgres::parameters(id, *address, *label)},
      audit_query(created("user", id, actor, {{"email", *address}, {"name", *label}}))};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await db_.run(std::move(batch), until);
  if (!done) co_return refusal(done.error());
  co_return id;
}

task<result<uuid>> directory_store::create_organization(std::string slug, std::string name, audit_actor actor,
                                                        deadline until) {
  auto const label = checked_name(name, "name", max_label);
  if (!label) co_return label.error();
  uuid const id = uuid::generate_v7();
  audit_entry entry = created("organization", id, actor, {{"slug", slug}, {"name", *label}});
  entry.organization = id;
  std::vector<postgres::query> batch{{insert_organization, postgres::parameters(id, slug, *label)},
                                     audit_query(entry)};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await db_.run(std::move(batch), until);
  if (!done) co_return refusal(done.error());
  co_return id;
}

task<result<uuid>> directory_store::create_project(uuid organization, std::string slug, std::string name,
                                                   audit_actor actor, deadline until) {
  auto const label = checked_name(name, "name", max_label);
  if (!label) co_return label.error();
  uuid const id = uuid::generate_v7();
  audit_entry entry = created("project", id, actor, {{"slug", slug}, {"name", *label}});
  entry.organization = organization;
  entry.project = id;
  std::vector<postgres::query> batch{{insert_project, postgres::parameters(id, organization, slug, *label)},
                                     audit_query(entry)};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await db_.run(std::move(batch), until);
  if (!done) co_return refusal(done.error());
  co_return id;
}

}  // namespace svc::store
