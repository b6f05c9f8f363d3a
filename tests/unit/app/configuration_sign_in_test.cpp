#include "app/configuration/configuration.hpp"

#include "support/temporary_directory.hpp"
#include "unit/app/load_text.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace svc::app {
namespace {

using test::temporary_directory;

constexpr std::string_view corp = R"(
[[sign_in.oidc]]
id = "corp"
name = "Corporate login"
issuer = "https://id.example.com/realm"
client_id = "svc"
client_secret_file = "SECRET"
scopes = ["openid", "email", "groups"]
domains = ["example.com", "example.org"]
email_verified = "assumed"
groups_claim = "groups"
organization = "acme"
role = "org_member"
[[sign_in.groups]]
provider = "corp"
group = "Admins, all"
organization = "acme"
role = "org_admin"
[[sign_in.groups]]
provider = "corp"
group = "dev"
organization = "acme"
project = "shop"
role = "project_editor"
)";

std::string replaced(std::string_view text, std::string_view old, std::string_view added) {
  std::string out(text);
  if (auto const position = out.find(old); position != std::string::npos) out.replace(position, old.size(), added);
  return out;
}

TEST_CASE("tables of identity providers and groups are read with their defaults, and print as they were read") {
  temporary_directory const dir;
  auto const loaded = load_text(dir, std::string(corp) + R"(
[[sign_in.oidc]]
id = "small"
issuer = "https://small.example"
client_id = "x"
client_secret_file = "/y"
)");
  CHECK(loaded.problems == std::vector<std::string>{});
  auto const& all = loaded.values.sign_in.oidc;
  REQUIRE(all.size() == 2);
  CHECK(all[0].provider.scopes == std::vector<std::string>{"openid", "email", "groups"});
  CHECK(all[0].provider.domains == std::vector<std::string>{"example.com", "example.org"});
  CHECK(all[0].email_verified == "assumed");
  CHECK(all[1].provider.scopes == std::vector<std::string>{"openid", "email", "profile"});
  CHECK(all[1].provider.domains.empty());
  CHECK(all[1].email_verified == "required");
  REQUIRE(loaded.values.sign_in.groups.size() == 2);
  CHECK(loaded.values.sign_in.groups[0].group == "Admins, all");
  CHECK(loaded.values.sign_in.groups[1].project == "shop");
  auto const printed = print_configuration(loaded.values);
  auto const again = load_text(dir, printed);
  CHECK(again.problems == std::vector<std::string>{});
  CHECK(print_configuration(again.values) == printed);
  CHECK(again.values.sign_in.groups.size() == 2);
}

TEST_CASE("a member of a sign-in table that is not allowed is refused by its name") {
  temporary_directory const dir;
  struct {
    std::string table;
    std::string line;
    std::string_view problem;  ///< empty: allowed
  } const cases[] = {
      {"oidc", "id = \"a-1\"", ""},
      {"oidc", "id = \"" + std::string(32, 'a') + "\"", ""},
      {"oidc", "id = \"" + std::string(33, 'a') + "\"", "sign_in.oidc[0].id: must be 1 to 32"},
      {"oidc", "id = \"A\"", "sign_in.oidc[0].id: must be"},
      {"oidc", "id = \"\"", "sign_in.oidc[0].id: must be"},
      {"oidc", "id = 1", "sign_in.oidc[0].id: must be"},
      {"oidc", "name = \"" + std::string(101, 'a') + "\"", "sign_in.oidc[0].name: must be"},
      {"oidc", "issuer = \"https://a.example/x/\"", ""},
      {"oidc", "issuer = \"https://a.example/" + std::string(482, 'x') + "\"", ""},
      {"oidc", "issuer = \"https://a.example/" + std::string(483, 'x') + "\"", "sign_in.oidc[0].issuer: must be"},
      {"oidc", "issuer = \"http://127.0.0.1:1\"", "sign_in.oidc[0].issuer: must be an https URL of"},
      {"oidc", "issuer = \"https://a.example?x\"", "sign_in.oidc[0].issuer: must be an https URL of"},
      {"oidc", "client_id = \"\"", "sign_in.oidc[0].client_id: must be"},
      {"oidc", "client_secret = \"x\"", "sign_in.oidc[0].client_secret: no such key"},
      {"oidc", "scopes = \"openid\"", "sign_in.oidc[0].scopes: must be a list"},
      {"oidc", "scopes = [\"open id\"]", "sign_in.oidc[0].scopes: must be a list"},
      {"oidc", "domains = [\"example.com\"]", ""},
      {"oidc", "domains = [\"Example.com\"]", "sign_in.oidc[0].domains: must be"},
      {"oidc", "domains = [\"*.example.com\"]", "sign_in.oidc[0].domains: must be"},
      {"oidc", "domains = [\"members\"]", "sign_in.oidc[0].domains: must be"},
      {"oidc", "domains = [\"localhost\"]", "sign_in.oidc[0].domains: must be"},
      {"oidc", "email_verified = true", "sign_in.oidc[0].email_verified: must be required or assumed"},
      {"oidc", "role = \"org_owner\"", "sign_in.oidc[0].role: must be org_member or org_admin"},
      {"oidc", "a.b = 1", "sign_in.oidc[0].a.b: no such key"},
      {"groups", "role = \"org_owner\"", "sign_in.groups[0].role: must be org_member, org_admin,"},
      {"groups", "group = \"\"", "sign_in.groups[0].group: must be"},
      {"groups", "project = \"a b\"", "sign_in.groups[0].project: must be"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.line);
    auto const loaded = load_text(dir, "[[sign_in." + c.table + "]]\n" + c.line + "\n");
    if (c.problem.empty())
      CHECK(loaded.problems == std::vector<std::string>{});
    else
      CHECK(names(loaded.problems, c.problem));
  }
  auto const tables = [](std::string_view name, std::size_t number) {
    std::string out;
    for (std::size_t i = 0; i < number; ++i)
      out.append("[[sign_in.")
          .append(name)
          .append("]]\n")
          .append(name == "oidc" ? "id" : "group")
          .append(" = \"a\"\n");
    return out;
  };
  CHECK(load_text(dir, tables("oidc", 16)).problems == std::vector<std::string>{});
  CHECK(names(load_text(dir, tables("oidc", 17)).problems, "sign_in.oidc[16].id: at most 16 tables"));
  CHECK(load_text(dir, tables("groups", 200)).problems == std::vector<std::string>{});
  CHECK(names(load_text(dir, tables("groups", 201)).problems, "sign_in.groups[200].group: at most 200 tables"));
}

TEST_CASE("the example of signing-in.md is a whole configuration of a provider and its groups") {
  std::ifstream file(std::filesystem::path(SVC_CONFIGURATION_PAGE).parent_path() / "signing-in.md");
  std::string const page{std::istreambuf_iterator<char>(file), {}};
  std::string_view const fence = "```toml\n";
  auto const start = page.find(fence);
  REQUIRE(start != std::string::npos);
  auto const example =
      page.substr(start + fence.size(), page.find("```\n", start + fence.size()) - start - fence.size());

  temporary_directory const dir;
  std::string const text =
      "master_key_file = '" + dir.write("master.key", std::string(64, 'a') + "\n") +
      "'\npublic_url = 'https://svc.example.com'\n[postgres]\nurl = 'dbname=svc'\n[redis]\nurl = "
      "'redis://h'\n[[listeners]]\ntls = false\n" +
      replaced(example, "/etc/svcd/keycloak-secret", dir.write("secret", "s3cret\n"));
  auto const loaded = load_configuration({.file = dir.write("svcd.toml", text), .environment = {}});
  CHECK(loaded.problems == std::vector<std::string>{});
  CHECK(loaded.values.sign_in.groups.size() == 2);
  // The page names the redirect URI to register.
  CHECK(page.find(loaded.values.to_oidc_settings()->redirect_url("keycloak")) != std::string::npos);
}

TEST_CASE("the sign-in tables must fit together, and their secrets must be readable") {
  temporary_directory const dir;
  auto const key = dir.write("master.key", std::string(64, 'a') + "\n");
  auto const secret = dir.write("secret", "s3cret\n"), empty = dir.write("empty", "\n");
  auto const two_lines = dir.write("two_lines", "a\nb\n");
  std::string const whole =
      "master_key_file = '" + key +
      "'\npublic_url = 'https://svc.example.com'\n[postgres]\nurl = 'dbname=svc'\n[redis]\nurl = 'redis://h'\n"
      "[[listeners]]\ntls = false\n" +
      replaced(corp, "SECRET", secret);
  auto const loaded_with = [&](std::string_view old, std::string_view added) {
    return load_configuration({.file = dir.write("svcd.toml", replaced(whole, old, added)), .environment = {}});
  };
  auto const good = loaded_with("", "");
  CHECK(good.problems == std::vector<std::string>{});
  auto const settings = good.values.to_oidc_settings();
  REQUIRE(settings->find("corp") != nullptr);
  CHECK(settings->find("corp")->client_secret.reveal() == "s3cret");
  CHECK(settings->find("corp")->email_verified == sign_in::unstated_email::assumed);
  CHECK(settings->find("other") == nullptr);
  CHECK(settings->redirect_url("corp") == "https://svc.example.com/dashboard/v1/sign-in/oidc/corp/callback");

  std::string const again =
      "[[sign_in.oidc]]\nid = \"corp\"\nissuer = \"https://b.example\"\nclient_id = \"x\"\n"
      "client_secret_file = \"" +
      secret + "\"\ndomains = [\"example.org\"]\n[[sign_in.groups]]\n";
  struct {
    std::string old, added;
    std::string problem;
  } const cases[] = {
      {"public_url = 'https://svc.example.com'\n", "", "public_url: must be set, since identity providers"},
      {"id = \"corp\"\n", "", "sign_in.oidc[0].id: must be set"},
      {"id = \"corp\"\n", "", "sign_in.groups[0].provider: no [[sign_in.oidc]] table has this id"},
      {"issuer = \"https://id.example.com/realm\"\n", "", "sign_in.oidc[0].issuer: must be set"},
      {"client_id = \"svc\"\n", "", "sign_in.oidc[0].client_id: must be set"},
      {"client_secret_file = \"" + secret + "\"\n", "", "sign_in.oidc[0].client_secret_file: must be set"},
      {secret, secret + "x", "sign_in.oidc[0].client_secret_file: " + secret + "x: does not exist"},
      {secret, empty, "sign_in.oidc[0].client_secret_file: " + empty + ": must have 1 to 1024 characters"},
      {secret, two_lines, "sign_in.oidc[0].client_secret_file: " + two_lines + ": must have 1 to 1024 characters"},
      {"\"openid\", ", "", "sign_in.oidc[0].scopes: must have openid"},
      {"role = \"org_member\"\n", "", "sign_in.oidc[0].role: must be set"},
      {"organization = \"acme\"\nrole = \"org_member\"", "role = \"org_member\"",
       "sign_in.oidc[0].organization: must be set"},
      {"domains = [\"example.com\", \"example.org\"]\n", "", "sign_in.oidc[0].role: must not be set without domains"},
      {"groups_claim = \"groups\"\n", "", "sign_in.groups[0].provider: this provider has no groups_claim"},
      {"role = \"org_admin\"", "role = \"project_admin\"", "sign_in.groups[0].role: must be org_member or org_admin"},
      {"role = \"project_editor\"", "role = \"org_member\"", "sign_in.groups[1].role: must be project_viewer"},
      {"group = \"dev\"\n", "", "sign_in.groups[1].group: must be set"},
      {"[[sign_in.groups]]\n", again, "sign_in.oidc: two tables have the id corp"},
      {"[[sign_in.groups]]\n", again, "sign_in.oidc: the domain example.org is named twice"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.problem);
    auto const problems = loaded_with(c.old, c.added).problems;
    CAPTURE(problems.empty());
    CHECK(names(problems, c.problem));
  }
}

}  // namespace
}  // namespace svc::app
