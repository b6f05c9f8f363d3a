#include "cli/settings/project_check.hpp"

#include "support/temporary_directory.hpp"

#include <sys/stat.h>
#include <boost/json/parse.hpp>

#include <doctest/doctest.h>

#include <filesystem>

using namespace svc::cli;
using namespace std::chrono_literals;

namespace {

constexpr svc::timestamp noon{1'800'000'000'000'000};

token_facts facts_ending(std::optional<svc::timestamp> end = std::nullopt) {
  return {.organization = "acme", .project = "shop", .expires = end};
}

}  // namespace

TEST_CASE("whoami's answer says where a token belongs") {
  auto const facts = [](char const* text) { return facts_of(boost::json::parse(text)); };
  auto const got = facts(R"({"organization": {"id": "1", "slug": "acme"}, "project": {"id": "2", "slug": "shop"},
                             "expiresAt": "2027-01-15T08:00:00.000Z"})");
  REQUIRE(got);
  CHECK(*got == facts_ending(svc::parse_rfc3339("2027-01-15T08:00:00Z")));
  CHECK(facts(R"({"organization": {"slug": "acme"}, "project": {"slug": "shop"}})") == facts_ending());
  for (char const* const text :
       {"null", "[]", "{}", R"({"organization": "acme", "project": "shop"})",
        R"({"organization": {"slug": 1}, "project": {"slug": "shop"}})", R"({"organization": {"slug": "acme"}})"})
    CHECK_FALSE(facts(text));
}

TEST_CASE("a token of another organization or project is reported with both names") {
  settings settings;
  CHECK(misplacement(settings, facts_ending()).empty());
  settings.organization = found_value{"acme", "SERVICE_ORG"};
  settings.project = found_value{"shop", "--project"};
  CHECK(misplacement(settings, facts_ending()).empty());
  settings.project = found_value{"web", "--project"};
  CHECK(misplacement(settings, facts_ending()) == "--project names the project web, but the token belongs to shop.");
  settings.organization = found_value{"Acme", "SERVICE_ORG"};
  CHECK(misplacement(settings, facts_ending()) ==
        "SERVICE_ORG names the organization Acme, but the token belongs to acme.");
}

TEST_CASE("an expiry causes a warning from 14 days before it") {
  struct {
    std::chrono::microseconds left;
    char const* says;
  } const rows[] = {
      {expiry_notice, ""},
      {expiry_notice - 1us, "in 13 days"},
      {48h, "in 2 days"},
      {48h - 1us, "in 47 hours"},
      {2h, "in 2 hours"},
      {2h - 1us, "in less than two hours"},
      {-5h, "in less than two hours"},
  };
  for (auto const& row : rows) {
    auto const said = expiry_warning(facts_ending(noon + row.left), noon);
    CHECK(said.empty() == (row.says[0] == '\0'));
    CHECK(said.find(row.says) != std::string::npos);
  }
  CHECK(expiry_warning(facts_ending(), noon).empty());
}

TEST_CASE("the result of a check is kept for a day") {
  facts_table table;
  table.put("a", facts_ending(noon + 1h), noon);
  auto const reread = facts_table::parse(table.text());
  CHECK(reread.find("a", noon) == facts_ending(noon + 1h));
  CHECK(reread.find("a", noon + facts_table::lifetime + -1us));
  CHECK_FALSE(reread.find("a", noon + facts_table::lifetime));
  CHECK_FALSE(reread.find("a", noon + -1us));
  CHECK_FALSE(reread.find("b", noon));
}

TEST_CASE("the table is bounded, and the oldest entry is removed first") {
  facts_table table;
  for (std::size_t i = 0; i < facts_table::most_entries; ++i) table.put(std::to_string(i), facts_ending(), noon);
  table.put("0", facts_ending(noon), noon);
  CHECK(table.size() == facts_table::most_entries);
  table.put("new", facts_ending(), noon);
  CHECK(table.size() == facts_table::most_entries);
  CHECK(table.find("0", noon) == facts_ending(noon));
  CHECK_FALSE(table.find("1", noon));
}

TEST_CASE("anything is a table") {
  for (char const* const text :
       {"", "x", "{}", "[1, {}, {\"key\": 1}]", "[{\"key\":\"a\",\"organization\":\"o\",\"project\":\"p\"}]"})
    CHECK(facts_table::parse(text).size() == 0);
}

TEST_CASE("the cache is private, holds no secret, and does not matter when it is broken") {
  svc::test::temporary_directory const directory;
  facts_cache const cache(directory.path() + "/new/svc");
  svc::secret_string const token("svc_live_secret");
  cache.remember("https://a.example", token, facts_ending(), noon);
  CHECK(cache.find("https://a.example", token, noon) == facts_ending());
  CHECK_FALSE(cache.find("https://b.example", token, noon));
  CHECK_FALSE(cache.find("https://a.example", svc::secret_string("svc_live_other"), noon));
  auto const file = directory.path() + "/new/svc/tokens.json";
  struct stat about{};
  CHECK(::stat(file.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777U) == 0600);
  CHECK(::stat((directory.path() + "/new/svc").c_str(), &about) == 0);
  CHECK((about.st_mode & 0777U) == 0700);
  std::ifstream input(file);
  std::string const text((std::istreambuf_iterator<char>(input)), {});
  CHECK(text.find("secret") == std::string::npos);
  CHECK(text.find("a.example") == std::string::npos);

  std::filesystem::permissions(file, std::filesystem::perms(0644));
  CHECK_FALSE(cache.find("https://a.example", token, noon));
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  cache.remember("https://a.example", token, facts_ending(), noon);
  CHECK_FALSE(cache.find("https://a.example", token, noon));
  facts_cache("").remember("https://a.example", token, facts_ending(), noon);
  CHECK_FALSE(facts_cache("").find("https://a.example", token, noon));
}
