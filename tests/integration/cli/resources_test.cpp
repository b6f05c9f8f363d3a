// The commands of resources against the real service: what they change, how they show it, and how they end.
#include "app/migrations/database_session.hpp"
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
  static world world;
  return world;
}

std::string text_at(boost::json::value const& value, char const* pointer) {
  return std::string(value.at_pointer(pointer).as_string());
}

}  // namespace

TEST_CASE("each resource is created, found by name and id, changed and deleted") {
  auto const& user = the_world().owner;
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
    auto const id = user.id(joined({c.group, "create", c.name}, c.create));
    CHECK(id.size() == 36);
    CHECK(has_text(user.out({c.group, "list"}), id + "\t" + c.name + "\t"));
    CHECK(text_at(user.json(joined({c.group, "update", c.name}, c.update)), "/id") == id);
    auto const updated = user.json(joined({c.group, "update", id}, c.update));
    CHECK(boost::json::serialize(updated.at_pointer(c.pointer)) == c.after);
    if (c.group != "tag") CHECK(text_at(user.json({c.group, "get", c.name}), "/id") == id);
    auto const gone = user.run({c.group, "delete", c.name});
    CHECK(gone.code == 0);
    CHECK(gone.out.empty());
    CHECK(gone.err == "Deleted " + c.group + " " + c.name + ".\n");
    CHECK(user.run({c.group, "delete", id}).code == 1);
  }
}

TEST_CASE(
    "a variable is set by name, its value from stdin, a file, a flag or the keyboard, and a secret never shown") {
  auto const& user = the_world().owner;
  auto const id = user.id({"var", "set", "COLOUR"}, "red\n");
  CHECK(text_at(user.json({"var", "get", "COLOUR"}), "/value") == "red");
  auto const file = the_world().directory.write("value", "two\nlines\n");
  CHECK(user.id({"var", "set", "COLOUR", "--value-file", file}) == id);
  CHECK(text_at(user.json({"var", "get", "COLOUR"}), "/value") == "two\nlines");
  CHECK(user.id({"var", "set", "COLOUR", "--value", "", "--description", "of the page"}) == id);
  auto const described = user.json({"var", "get", id});
  CHECK(text_at(described, "/value").empty());
  CHECK(text_at(described, "/description") == "of the page");

  auto const typed = user.at_terminal({"var", "set", "PASSWORD", "--secret"}, {}, "Value of PASSWORD: ", "hunter2\n");
  CHECK(typed.code == 0);
  CHECK(has_text(typed.out, "Value of PASSWORD: "));
  CHECK_FALSE(has_text(typed.out, "hunter2"));
  for (auto const& words :
       {std::vector<std::string>{"var", "get", "PASSWORD"}, {"var", "list"}, {"var", "list", "--json"}})
    CHECK_FALSE(has_text(user.out(words), "hunter2"));
  auto const warned = user.run({"var", "set", "PASSWORD", "--secret", "--value", "x"});
  CHECK(warned.code == 0);
  CHECK(has_text(warned.err, "warning: "));
  CHECK(user.run({"var", "set", "PASSWORD", "--no-secret"}, "public").code == 0);
  CHECK(text_at(user.json({"var", "get", "PASSWORD"}), "/value") == "public");
  // A token that has ended is a token, too.
  std::string const token = "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O";
  auto const readable = user.run({"var", "set", "COLOUR", "--value", token});
  CHECK(readable.code == 0);
  CHECK(has_text(readable.err, "the variable contains the token svc_live_0123..., and every member"));
  CHECK(has_text(readable.err, "svc var set COLOUR --secret hides it."));
  CHECK_FALSE(has_text(readable.err, token));
  CHECK_FALSE(has_text(user.run({"var", "set", "PASSWORD", "--secret", "--value", token}).err, "contains the token"));
  CHECK_FALSE(has_text(user.run({"var", "set", "PASSWORD", "--value", token}).err, "contains the token"));
  auto const script =
      user.run({"test", "create", "leaky", "--type", "command", "--script", "-"}, "TOKEN=" + token + "\n");
  CHECK(script.code == 0);
  CHECK(has_text(script.err, "the script contains the token svc_live_0123..., and every member"));
  CHECK(user.run({"test", "delete", "leaky"}).code == 0);
  CHECK(user.run({"var", "delete", "COLOUR", "PASSWORD"}).err ==
        "Deleted variable COLOUR.\nDeleted variable PASSWORD.\n");
}

TEST_CASE("tests wear tags by their names, and jobs run tests by their titles") {
  auto const& user = the_world().owner;
  user.out({"tag", "create", "test"});  // also the name of a command
  user.out({"tag", "create", "slow"});
  auto const test =
      user.id({"test", "create", "checkout", "--type", "command", "--tag", "test", "--script", "-"}, "echo");
  CHECK(user.out({"test", "tags", "checkout", "--template", "{tags.0.name}{tags.1.name}"}) == "test\n");
  CHECK(user.out({"test", "tags", test, "--tag", "slow", "--tag", "test"}) == "Tags\tslow, test\n");
  CHECK(user.out({"test", "tags", test, "--none"}) == "Tags\t-\n");
  auto const emptied = user.run({"test", "update", "checkout", "--script", "/dev/null"});
  CHECK(emptied.code == 0);
  CHECK_MESSAGE(has_text(emptied.err, "warning: the script is empty"), emptied.err);
  CHECK_FALSE(has_text(user.run({"test", "update", "checkout", "--script", "-"}, "echo").err, "empty"));
  CHECK(user.run({"test", "create", "other", "--tag", "nowhere"}).code == 1);
  CHECK(user.out({"test", "list", "--search", "other", "-q"}).empty());
  auto const job =
      user.json({"job", "create", "by title", "--type", "command", "--test", "checkout", "--param", "A!=1"});
  CHECK(text_at(job, "/tests/0/id") == test);
  CHECK(job.at("parameters") == boost::json::parse(R"([{"name":"A","required":true,"default":"1"}])"));
  CHECK(user.run({"test", "delete", "checkout"}).code == 1);  // in use
}

TEST_CASE(
    "the alerts of a monitor are read from a file, with its providers by name, and mistakes in files lead there") {
  auto const& user = the_world().owner;
  auto const file = [](std::string const& name, std::string const& text) {
    return the_world().directory.write(name, text);
  };
  user.out({"provider", "create", "pager", "--type", "slack", "--config",
            file("pager.json", R"({"webhookUrl":"https://hooks.example.org/T/P"})")});
  auto const alerts =
      file("thresholds.json", R"({"enabled": true, "notificationProviders": ["pager"], "failureThreshold": 2})");
  auto const whole =
      file("whole.json", R"({"name": "by file", "type": "website", "target": "https://example.org/", "enabled": false,
                        "alertConfig": {"enabled": true, "notificationProviders": ["pager"]}})");
  std::vector<std::string> const site{"--type", "website", "--target", "https://example.org/", "--disable"};
  auto const create = [&](std::string const& name, std::vector<std::string> const& more) {
    std::vector<std::string> words{"monitor", "create", name};
    words.insert(words.end(), site.begin(), site.end());
    words.insert(words.end(), more.begin(), more.end());
    return user.run(words);
  };
  CHECK(create("careful", {"--alerts", alerts}).code == 0);
  auto const page = user.out({"monitor", "get", "careful"});
  CHECK_MESSAGE(has_text(page, "; after 2 failures in a row"), page);
  CHECK_MESSAGE(has_text(page, "Every (s)\t300\n"), page);
  user.out({"monitor", "create", "--file", whole});
  CHECK(has_text(user.out({"monitor", "get", "by file"}), "Alerts\tto pager"));

  auto const misplaced = create("wrong", {"--config", file("misplaced.json", R"({"failureThreshold": 2})")});
  CHECK_MESSAGE(has_text(misplaced.err, "Settings of alerts belong in the file of --alerts."), misplaced.err);
  auto const incomplete = create(
      "wrong",
      {"--config", file("incomplete.json", R"({"assertions": [{"comparison": "equals", "expected": "200"}]})")});
  CHECK_MESSAGE(has_text(incomplete.err, "source is required."), incomplete.err);
  CHECK_FALSE(has_text(incomplete.err, "port_check"));
  auto const both = create("wrong", {"--alerts", alerts, "--alert", "pager"});
  CHECK(both.code == 3);
  CHECK_MESSAGE(has_text(both.err, "svc: --alert"), both.err);
  CHECK_MESSAGE(has_text(both.err, " exclude each other."), both.err);
  user.out({"monitor", "delete", "careful", "by file"});
}

TEST_CASE("a name that several have is refused with their ids, before anything is done") {
  auto const& user = the_world().owner;
  auto const text = user.id({"test", "create", "twin"}),
             two = user.id({"test", "create", "twin", "--allow-duplicate"});
  user.out({"test", "create", "twins"});  // found by the search, but not of that name
  auto const got = user.run({"test", "delete", "twin"});
  CHECK(got.code == 3);
  CHECK(has_text(got.err, text));
  CHECK(has_text(got.err, two));
  CHECK(user.run({"test", "get", "twins"}).code == 0);
  CHECK(user.run({"test", "delete", text, two, "twins"}).code == 0);
}

TEST_CASE("exit codes and errors, for people and as JSON") {
  auto const& user = the_world().owner;
  svc_user const viewer(the_world().dev, token_of_role(the_world().dev, "project_viewer"));
  svc_user const nobody(the_world().dev, "svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O");
  user.out({"tag", "create", "taken"});
  struct {
    char const* name;
    svc_user const& user;
    std::vector<std::string> words;
    int code;
    std::string error;  // the code in JSON
  } const cases[] = {
      {"refused: taken", user, {"tag", "create", "taken"}, 1, "name_taken"},
      {"refused: unknown id", user, {"job", "get", "01934f2e-5555-7d3e-9b1f-5a2c8e4d6f70"}, 1, "not_found"},
      {"refused: unknown name", user, {"job", "get", "nowhere"}, 1, "not_found"},
      {"refused: the service's rule", user, {"job", "create", "x", "--run-timeout", "0"}, 1, "validation_failed"},
      {"not allowed: role", viewer, {"tag", "create", "x"}, 2, "permission_denied"},
      {"not allowed: audit", viewer, {"audit"}, 2, "permission_denied"},
      {"not allowed: token", nobody, {"job", "list"}, 2, "invalid_token"},
      {"usage: value", user, {"job", "list", "--status", "sleeping"}, 3, "usage"},
      {"usage: page", user, {"job", "list", "--page", "0"}, 3, "usage"},
      {"usage: page of all", user, {"job", "list", "--page", "2", "--all"}, 3, "usage"},
      {"usage: time", user, {"audit", "--from", "tomorrow"}, 3, "usage"},
      {"usage: no name", user, {"tag", "create"}, 3, "usage"},
      {"usage: nothing to change", user, {"tag", "update", "taken"}, 3, "usage"},
      {"usage: no value", user, {"var", "set", "EMPTY"}, 3, "usage"},
      {"usage: no command", user, {"job"}, 3, "usage"},
      {"usage: template", user, {"job", "list", "--template", "{id"}, 3, "usage"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const people = c.user.run(c.words);
    CHECK(people.code == c.code);
    CHECK(people.out.empty());
    CHECK(has_text(people.err, "svc: "));
    if (has_text(c.name, "template")) continue;  // together with --json
    auto words = c.words;
    words.emplace_back("--json");
    auto const programs = c.user.run(words);
    CHECK(programs.code == c.code);
    CHECK(programs.out.empty());
    auto const error = boost::json::parse(programs.err);
    CHECK(text_at(error, "/code") == c.error);
    CHECK(error.at("exitCode") == boost::json::value(c.code));
  }
}

TEST_CASE("a terminal sees a table of its width, in which nothing is obeyed") {
  auto const& user = the_world().owner;
  auto const id = user.id({"test", "create", "世界 evil"});
  // A title that was stored before titles were checked.
  app::database_session(secret_string(the_world().dev.text("postgresUrl")), std::chrono::milliseconds(5000))
      .run("UPDATE tests SET title = $1 WHERE id = $2", {"\x1b[2J世界 \xe2\x80\xae evil", id});
  auto const wide = user.at_terminal({"test", "list", "--limit", "1"}, {.columns = 160});
  CHECK(has_text(wide.out, "Title"));
  CHECK(has_text(wide.out, "Priority"));
  CHECK(has_text(wide.out, "s ago"));
  CHECK(has_text(wide.out, "\\x1b[2J世界 \\u202e evil  "));
  CHECK(has_text(wide.out, "  " + id + "\r\n"));
  auto const narrow = user.at_terminal({"test", "list", "--limit", "1"}, {.columns = 50});
  CHECK(has_text(narrow.out, "\\x1b[2J世界 \\u202e evil"));
  CHECK(has_text(narrow.out, "Not shown: "));
  CHECK_FALSE(has_text(narrow.out, id));
  CHECK(has_text(user.at_terminal({"test", "list", "--limit", "1", "--wide"}, {.columns = 50}).out,
                 "  " + id + "\r\n"));
  CHECK(user.at_terminal({"test", "list", "--limit", "1", "--color", "never"}).out.find('\x1b') == std::string::npos);
  auto plain = user.how({"test", "list"});
  plain.terminal = terminal_size{};
  plain.environment.emplace_back("NO_COLOR=1");
  CHECK_FALSE(has_text(run_svc(plain).out, "\x1b"));
  CHECK(has_text(user.at_terminal({"test", "get", id, "--json"}).out, "{\r\n  \"id\": \"" + id + "\","));
  user.out({"test", "delete", id});
}

TEST_CASE("deleting asks only at a terminal, and not with --yes") {
  auto const& user = the_world().owner;
  user.out({"tag", "create", "kept"});
  CHECK(has_text(user.at_terminal({"tag", "delete", "kept"}, {}, "[y/N] ", "n\n").out, "Delete tag kept? [y/N]"));
  CHECK(has_text(user.out({"tag", "list"}), "\tkept\t"));
  CHECK(has_text(user.at_terminal({"tag", "delete", "kept"}, {}, "[y/N] ", "y\n").out, "Deleted tag kept."));
  user.out({"tag", "create", "kept"});
  CHECK_FALSE(has_text(user.at_terminal({"tag", "delete", "kept", "--yes"}).out, "?"));
  CHECK_FALSE(has_text(user.out({"tag", "list"}), "\tkept\t"));
}

TEST_CASE("stdout that nobody reads ends a list quietly, and one that is full is an error") {
  auto const& user = the_world().owner;
  auto const head = user.shell("set -o pipefail; svc audit --all --limit 1 | head -1");
  CHECK(head.code == 0);
  CHECK(head.err.empty());
  CHECK(has_text(head.out, "When\t"));
  auto const full = user.shell("svc job list >/dev/full");
  CHECK(full.code == 4);
  CHECK(has_text(full.err, "No space left on device"));
}

}  // namespace svc::test
