// Every list on terminals of usual widths, and in a pipe.
#include "integration/cli/svc_user.hpp"

#include <doctest/doctest.h>

#include <sstream>

namespace svc::test {
namespace {

/// A project with one of each thing that can be listed and has a long name.
struct listed_project {
  listed_project() {
    by.out({"test", "create", "smoke test of the shop's checkout", "--type", "command", "--script", "-"}, "echo ok");
    by.out({"job", "create", "nightly checks of the shop", "--type", "command", "--test",
            "smoke test of the shop's checkout", "--cron", "@daily"});
    by.out({"job", "trigger", "nightly checks of the shop"});
    by.out({"job", "keys", "create", "nightly checks of the shop", "github"});
    by.out({"tag", "create", "shop"});
    by.out({"var", "set", "STANDING"}, "value");
    auto const config = directory.write("config.json", R"({"to":["a@example.org"]})");
    by.out({"provider", "create", "on call", "--type", "email", "--config", config});
    by.out({"monitor", "create", "the shop's front page", "--type", "website", "--target",
            "https://shop.example.org/a/long/path/that/nobody/types", "--every", "30s", "--disable"});
  }

  temporary_directory directory;
  dev_service dev{directory.path()};
  svc_user by{dev};
};

listed_project& the_lists() {
  static listed_project one;
  return one;
}

std::vector<std::string> table_lines(std::string const& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    out.push_back(line);
  }
  return out;
}

/// Characters, which are one column wide here.
std::size_t columns_taken(std::string const& line) {
  std::size_t out = 0;
  for (char const c : line) out += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return out;
}

struct listed {
  std::vector<std::string> command;
  char const* first;  ///< title
  char const* whole;  ///< must be readable at 100 columns
};

std::vector<listed> const lists{
    {{"job", "list"}, "Name", "nightly checks of the shop"},
    {{"run", "list"}, "Job", "nightly checks of the shop"},
    {{"test", "list"}, "Title", "smoke test of the shop's"},
    {{"tag", "list"}, "Name", "shop"},
    {{"var", "list"}, "Name", "STANDING"},
    {{"provider", "list"}, "Name", "on call"},
    {{"monitor", "list"}, "Name", "https://shop.example.org/a/lo"},
    {{"token", "list"}, "Name", "Name"},
    {{"job", "keys", "list", "nightly checks of the shop"}, "Name", "github"},
    {{"audit"}, "When", "job.created"},
};

}  // namespace

TEST_CASE("every list fits a terminal, begins with the name, and says what it left out") {
  auto const& by = the_lists().by;
  for (auto const& each : lists)
    for (int const width : {80, 100, 160}) {
      CAPTURE(each.command);
      CAPTURE(width);
      auto command = each.command;
      command.insert(command.end(), {"--color", "never"});
      auto const shown = by.at_terminal(command, {.columns = width});
      CHECK(shown.code == 0);
      auto const lines = table_lines(shown.out);
      REQUIRE(lines.size() > 1);
      CHECK(lines.front().starts_with(each.first));
      for (auto const& line : lines)
        if (!line.starts_with("Not shown"))
          CHECK_MESSAGE(columns_taken(line) <= static_cast<std::size_t>(width), line);
      CHECK_MESSAGE(has_text(shown.out, each.whole), shown.out);
      bool const lacks = has_text(shown.out, "…") || has_text(shown.out, "Not shown");
      CHECK(has_text(shown.out, "--wide shows everything.") >= has_text(shown.out, "Not shown"));
      command.emplace_back("--wide");
      auto const wide = by.at_terminal(command, {.columns = width});
      CHECK_FALSE(has_text(wide.out, "…"));
      CHECK_FALSE(has_text(wide.out, "Not shown"));
      if (lacks) CHECK(wide.out.size() > lines.front().size());
    }
}

TEST_CASE("in a pipe and with --quiet ids are whole, and titles name units") {
  auto const& by = the_lists().by;
  auto const id = by.out({"monitor", "list", "--quiet"});
  CHECK(id.size() == 37);
  auto const piped = by.out({"monitor", "list"});
  CHECK(piped.starts_with("ID\tName\t"));
  CHECK(has_text(piped, "\tTook (ms)\t"));
  CHECK(has_text(piped, id.substr(0, 36) + "\t"));
  CHECK(has_text(by.at_terminal({"monitor", "list", "--wide"}).out, id.substr(0, 36)));
  CHECK(has_text(by.out({"monitor", "get", "the shop's front page"}), "\nEvery (s)\t30\n"));
  CHECK(has_text(by.at_terminal({"monitor", "get", "the shop's front page"}).out, "  30s\r\n"));
}

TEST_CASE("a test with the title of another one is created with a warning") {
  auto const& by = the_lists().by;
  auto const first = by.id({"test", "create", "twice", "--type", "command", "--script", "-"}, "echo 1");
  auto const second = by.run({"test", "create", "twice", "--type", "command", "--script", "-"}, "echo 2");
  CHECK(second.code == 0);
  CHECK(has_text(second.err, "warning: Another test has the title 'twice' already: " + first + "."));
  CHECK_FALSE(
      has_text(by.run({"test", "create", "only once", "--type", "command", "--script", "-"}, "x").err, "warning"));
}

TEST_CASE("mistakes in values are told with the option, the field or the place in the file") {
  auto const& p = the_lists();
  auto const file = p.directory.write("bad.json", "{\n  \"a\": 1,\n  b: 2\n}");
  struct {
    std::vector<std::string> command;
    int code;
    std::string said;
  } const cases[] = {
      {{"monitor", "create", "front", "--type", "website", "--target", "https://example.org/", "--every", "1s"},
       1,
       "svc: --every must be from 10s to 1d, not 1s.\n"},
      {{"job", "create", "j", "--cron", "61 3 * * *"},
       3,
       "svc: --cron: the minute must be from 0 to 59, not '61'.\n"},
      {{"job", "update", "nightly checks of the shop", "--run-timeout", "0"},
       1,
       "svc: --run-timeout must be from 1 to 86400, not 0.\n"},
      {{"token", "create", "t", "--expires-in", "5s"}, 1, "svc: --expires-in must be from 1m to 3650d, not 5s.\n"},
      {{"job", "update", "nightly checks of the shop", "--file", file}, 3, "is not JSON: line 3, column 3: "},
      {{"monitor", "update", "the shop's front page", "--config", file},
       3,
       "svc: --config: " + file + " is not JSON: line 3, column 3: "},
  };
  for (auto const& c : cases) {
    CAPTURE(c.command);
    auto const got = p.by.run(c.command);
    CHECK(got.code == c.code);
    CHECK_MESSAGE(has_text(got.err, c.said), got.err);
  }
}

}  // namespace svc::test
