// Lists of several pages, in every form.
#include "integration/cli/svc_user.hpp"
#include "support/https_client.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace svc::test {
namespace {

constexpr std::size_t rows = 107;  // four pages of thirty; more than one page of a look-up by name

/// A project with this number of tags.
struct many_tags {
  many_tags() {
    support::api_client api(dev.text("url"), dev.text("caFile"), dev.text("token"));
    for (std::size_t i = 0; i < rows; ++i) {
      auto const made = api.post("/api/tags", R"({"name":"tag)" + std::to_string(i) + R"("})");
      REQUIRE(made.status == 201);
    }
  }

  temporary_directory directory;
  dev_service dev{directory.path()};
  svc_user user{dev};
};

many_tags& the_tags() {
  static many_tags tags;
  return tags;
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> out;
  std::istringstream words(text);
  for (std::string line; std::getline(words, line);) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("--all has each row once, in the order of the pages, in every form") {
  auto const& user = the_tags().user;
  auto const ids = lines_of(user.out({"tag", "list", "--all", "--limit", "30", "-q"}));
  CHECK(ids.size() == rows);
  CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == rows);

  auto const names = lines_of(user.out({"tag", "list", "--all", "--limit", "30", "--template", "{id} {name}"}));
  REQUIRE(names.size() == rows);
  CHECK(names.front() == ids.front() + " tag" + std::to_string(rows - 1));
  CHECK(names.back() == ids.back() + " tag0");

  auto const table = lines_of(user.out({"tag", "list", "--all", "--limit", "30"}));
  REQUIRE(table.size() == rows + 1);
  CHECK(table.front() == "ID\tName\tColor\tCreated");
  CHECK(table.back().starts_with(ids.back() + "\ttag0\t"));

  auto const whole = user.json({"tag", "list", "--all", "--limit", "30"});
  auto const& data = whole.at("data").as_array();
  REQUIRE(data.size() == rows);
  for (std::size_t i = 0; i < rows; ++i) CHECK(data[i].at("id").as_string() == ids[i]);
  CHECK(whole.at("pagination").at("total") == boost::json::value(static_cast<std::int64_t>(rows)));
  CHECK(whole.at("pagination").at("hasNextPage") == boost::json::value(false));
}

TEST_CASE("one page is the API's own answer") {
  auto const& tags = the_tags();
  support::api_client api(tags.dev.text("url"), tags.dev.text("caFile"), tags.dev.text("token"));
  CHECK(tags.user.out({"tag", "list", "--page", "2", "--limit", "30", "--json"}) ==
        api.get("/api/tags?page=2&limit=30").body + "\n");
  CHECK(lines_of(tags.user.out({"tag", "list", "-q"})).size() == 20);
  CHECK(lines_of(tags.user.out({"tag", "list", "--page", "4", "--limit", "30", "-q"})).size() == 17);
}

TEST_CASE("a list that is empty is one, in every form") {
  auto const& user = the_tags().user;
  CHECK(user.out({"var", "list", "-q"}).empty());
  CHECK(user.out({"var", "list", "--all"}) == "ID\tName\tValue\tSecret\tDescription\tUpdated\n");
  CHECK(user.at_terminal({"var", "list"}).out == "There are none.\r\n");
  auto const whole = user.json({"var", "list", "--all"});
  CHECK(whole.at("data").as_array().empty());
  CHECK(whole.at("pagination").at("totalPages") == boost::json::value(0));
}

TEST_CASE("a name is found on a later page") {
  auto const& user = the_tags().user;
  CHECK(user.json({"tag", "update", "tag0", "--hex", "#000000"}).at("name").as_string() == "tag0");
}

}  // namespace svc::test
