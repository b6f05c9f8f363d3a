// The commands of resources against the real service: what they change, how they show it, and how they end.
#include "integration/cli/svc_user.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace svc::test {
namespace {

struct world {
  temporary_directory directory;
  dev_service dev{directory.path()};
  svc_user owner{dev};
};

world& the_world() {
  static world one;
  return one;
}

std::string text_at(boost::json::value const& in, char const* pointer) {
  return std::string(in.at_pointer(pointer).as_string());
}

}  // namespace

TEST_CASE("each resource is created, found by name and id, changed and deleted") {
  auto const& by = the_world().owner;
  auto const script = the_world().directory.write("script.sh", "echo ok\n");
  auto const config = the_world().directory.write("config.json", R"({"webhookUrl":"https://hooks.example.org/T/B"})");
  struct {
    std::string group, name;
    std::vector<std::string> create, update;
    char const* pointer;
    char const* after;  // JSON
  } const cases[] = {
      {"job",
       "nightly",
       {"--type", "command", "--cron", "0 3 * * *"},
       {"--clear", "cronSchedule"},
       "/cronSchedule",
       "null"},
      {"test", "smoke", {"--type", "command", "--script", script}, {"--priority", "high"}, "/priority", R"("high")"},
      {"tag", "fast", {"--hex", "#1f883d"}, {"--hex", "#cf222e"}, "/color", R"("#cf222e")"},
      {"provider", "on call", {"--type", "slack", "--config", config}, {"--disable"}, "/enabled", "false"},
  };
  auto const joined = [](std::vector<std::string> words, std::vector<std::string> const& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  for (auto const& c : cases) {
    CAPTURE(c.group);
    auto const id = by.id(joined({c.group, "create", c.name}, c.create));
    CHECK(id.size() == 36);
    CHECK(has_text(by.out({c.group, "list"}), id + "\t" + c.name + "\t"));
    CHECK(text_at(by.json(joined({c.group, "update", c.name}, c.update)), "/id") == id);
    auto const updated = by.json(joined({c.group, "update", id}, c.update));
    CHECK(boost::json::serialize(updated.at_pointer(c.pointer)) == c.after);
    if (c.group != "tag") CHECK(text_at(by.json({c.group, "get", c.name}), "/id") == id);
    auto const gone = by.run({c.group, "delete", c.name});
    CHECK(gone.code == 0);
    CHECK(gone.out.empty());
    CHECK(gone.err == "Deleted " + c.group + " " + c.name + ".\n");
    CHECK(by.run({c.group, "delete", id}).code == 1);
  }
}

TEST_CASE(
    "a variable is set by name, its value from stdin, a file, a flag or the keyboard, and a secret never shown") {
  auto const& by = the_world().owner;
  auto const id = by.id({"var", "set", "COLOUR"}, "red\n");
  CHECK(text_at(by.json({"var", "get", "COLOUR"}), "/value") == "red");
  auto const file = the_world().directory.write("value", "two\nlines\n");
  CHECK(by.id({"var", "set", "COLOUR", "--value-file", file}) == id);
  CHECK(text_at(by.json({"var", "get", "COLOUR"}), "/value") == "two\nlines");
  CHECK(by.id({"var", "set", "COLOUR", "--value", ""}) == id);
  CHECK(text_at(by.json({"var", "get", id}), "/value").empty());

  auto const typed = by.at_terminal({"var", "set", "PASSWORD", "--secret"}, {}, "Value of PASSWORD: ", "hunter2\n");
  CHECK(typed.code == 0);
  CHECK(has_text(typed.out, "Value of PASSWORD: "));
  CHECK_FALSE(has_text(typed.out, "hunter2"));
  for (auto const& words :
       {std::vector<std::string>{"var", "get", "PASSWORD"}, {"var", "list"}, {"var", "list", "--json"}})
    CHECK_FALSE(has_text(by.out(words), "hunter2"));
  auto const warned = by.run({"var", "set", "PASSWORD", "--secret", "--value", "x"});
  CHECK(warned.code == 0);
  CHECK(has_text(warned.err, "warning: "));
  CHECK(by.run({"var", "set", "PASSWORD", "--no-secret"}, "public").code == 0);
  CHECK(text_at(by.json({"var", "get", "PASSWORD"}), "/value") == "public");
  CHECK(by.run({"var", "delete", "COLOUR", "PASSWORD"}).err ==
        "Deleted variable COLOUR.\nDeleted variable PASSWORD.\n");
}

TEST_CASE("tests wear tags by their names, and jobs run tests by their titles") {
  auto const& by = the_world().owner;
  by.out({"tag", "create", "test"});  // also the name of a command
  by.out({"tag", "create", "slow"});
  auto const test =
      by.id({"test", "create", "checkout", "--type", "command", "--tag", "test", "--script", "-"}, "echo");
  CHECK(by.out({"test", "tags", "checkout", "--template", "{tags.0.name}{tags.1.name}"}) == "test\n");
  CHECK(by.out({"test", "tags", test, "--tag", "slow", "--tag", "test"}) == "Tags\tslow, test\n");
  CHECK(by.out({"test", "tags", test, "--none"}) == "Tags\t-\n");
  CHECK(by.run({"test", "create", "other", "--tag", "nowhere"}).code == 1);
  CHECK(by.out({"test", "list", "--search", "other", "-q"}).empty());
  auto const job =
      by.json({"job", "create", "by title", "--type", "command", "--test", "checkout", "--param", "A!=1"});
  CHECK(text_at(job, "/tests/0/id") == test);
  CHECK(job.at("parameters") == boost::json::parse(R"([{"name":"A","required":true,"default":"1"}])"));
  CHECK(by.run({"test", "delete", "checkout"}).code == 1);  // in use
}

TEST_CASE("a name that several have is refused with their ids, before anything is done") {
  auto const& by = the_world().owner;
  auto const one = by.id({"test", "create", "twin"}), two = by.id({"test", "create", "twin"});
  by.out({"test", "create", "twins"});  // found by the search, but not of that name
  auto const got = by.run({"test", "delete", "twin"});
  CHECK(got.code == 3);
  CHECK(has_text(got.err, one));
  CHECK(has_text(got.err, two));
  CHECK(by.run({"test", "get", "twins"}).code == 0);
  CHECK(by.run({"test", "delete", one, two, "twins"}).code == 0);
}

TEST_CASE("exit codes and errors, for people and as JSON") {
  auto const& by = the_world().owner;
  svc_user const viewer(the_world().dev, token_of_role(the_world().dev, "project_viewer"));
  svc_user const nobody(the_world().dev, "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O");
  by.out({"tag", "create", "taken"});
  struct {
    char const* name;
    svc_user const& by;
    std::vector<std::string> words;
    int code;
    std::string error;  // the code in JSON
  } const cases[] = {
      {"refused: taken", by, {"tag", "create", "taken"}, 1, "name_taken"},
      {"refused: unknown id", by, {"job", "get", "01934f2e-5555-7d3e-9b1f-5a2c8e4d6f70"}, 1, "not_found"},
      {"refused: unknown name", by, {"job", "get", "nowhere"}, 1, "not_found"},
      {"refused: the service's rule", by, {"job", "create", "x", "--run-timeout", "0"}, 1, "validation_failed"},
      {"not allowed: role", viewer, {"tag", "create", "x"}, 2, "permission_denied"},
      {"not allowed: audit", viewer, {"audit"}, 2, "permission_denied"},
      {"not allowed: token", nobody, {"job", "list"}, 2, "invalid_token"},
      {"usage: value", by, {"job", "list", "--status", "sleeping"}, 3, "usage"},
      {"usage: page", by, {"job", "list", "--page", "0"}, 3, "usage"},
      {"usage: page of all", by, {"job", "list", "--page", "2", "--all"}, 3, "usage"},
      {"usage: time", by, {"audit", "--from", "yesterday"}, 3, "usage"},
      {"usage: no name", by, {"tag", "create"}, 3, "usage"},
      {"usage: nothing to change", by, {"tag", "update", "taken"}, 3, "usage"},
      {"usage: no value", by, {"var", "set", "EMPTY"}, 3, "usage"},
      {"usage: no command", by, {"job"}, 3, "usage"},
      {"usage: template", by, {"job", "list", "--template", "{id"}, 3, "usage"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const people = c.by.run(c.words);
    CHECK(people.code == c.code);
    CHECK(people.out.empty());
    CHECK(has_text(people.err, "svc: "));
    if (has_text(c.name, "template")) continue;  // beside --json
    auto words = c.words;
    words.emplace_back("--json");
    auto const programs = c.by.run(words);
    CHECK(programs.code == c.code);
    CHECK(programs.out.empty());
    auto const error = boost::json::parse(programs.err);
    CHECK(text_at(error, "/code") == c.error);
    CHECK(error.at("exitCode") == boost::json::value(c.code));
  }
}

TEST_CASE("a terminal sees a table of its width, in which nothing is obeyed") {
  auto const& by = the_world().owner;
  auto const id = by.id({"test", "create", "\x1b[2J世界 \xe2\x80\xae evil"});
  auto const wide = by.at_terminal({"test", "list", "--limit", "1"}, {.columns = 160});
  CHECK(has_text(wide.out, "Title"));
  CHECK(has_text(wide.out, "Priority"));
  CHECK(has_text(wide.out, "s ago"));
  CHECK(has_text(wide.out, "\\x1b[2J世界 \\u202e evil  "));
  CHECK(has_text(wide.out, "  " + id + "\r\n"));
  auto const narrow = by.at_terminal({"test", "list", "--limit", "1"}, {.columns = 50});
  CHECK(has_text(narrow.out, "\\x1b[2J世界 \\u202e evil"));
  CHECK(has_text(narrow.out, "Not shown: "));
  CHECK_FALSE(has_text(narrow.out.substr(0, narrow.out.find("Not shown")), "Updated"));
  CHECK(
      has_text(by.at_terminal({"test", "list", "--limit", "1", "--wide"}, {.columns = 50}).out, "  " + id + "\r\n"));
  CHECK(by.at_terminal({"test", "list", "--limit", "1", "--color", "never"}).out.find('\x1b') == std::string::npos);
  auto plain = by.how({"test", "list"});
  plain.terminal = terminal_size{};
  plain.environment.emplace_back("NO_COLOR=1");
  CHECK_FALSE(has_text(run_svc(plain).out, "\x1b"));
  CHECK(has_text(by.at_terminal({"test", "get", id, "--json"}).out, "{\r\n  \"id\": \"" + id + "\","));
  by.out({"test", "delete", id});
}

TEST_CASE("deleting asks at a terminal only, and can be told not to") {
  auto const& by = the_world().owner;
  by.out({"tag", "create", "kept"});
  CHECK(has_text(by.at_terminal({"tag", "delete", "kept"}, {}, "[y/N] ", "n\n").out, "Delete tag kept? [y/N]"));
  CHECK(has_text(by.out({"tag", "list"}), "\tkept\t"));
  CHECK(has_text(by.at_terminal({"tag", "delete", "kept"}, {}, "[y/N] ", "y\n").out, "Deleted tag kept."));
  by.out({"tag", "create", "kept"});
  CHECK_FALSE(has_text(by.at_terminal({"tag", "delete", "kept", "--yes"}).out, "?"));
  CHECK_FALSE(has_text(by.out({"tag", "list"}), "\tkept\t"));
}

TEST_CASE("stdout that nobody reads ends a list quietly, and one that is full is an error") {
  auto const& by = the_world().owner;
  auto const head = by.shell("set -o pipefail; svc audit --all --limit 1 | head -1");
  CHECK(head.code == 0);
  CHECK(head.err.empty());
  CHECK(has_text(head.out, "When\t"));
  auto const full = by.shell("svc job list >/dev/full");
  CHECK(full.code == 4);
  CHECK(has_text(full.err, "No space left on device"));
}

}  // namespace svc::test
