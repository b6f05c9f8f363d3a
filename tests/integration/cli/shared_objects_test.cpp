// Objects that several people change, or that others depend on, against the real service.
#include "integration/cli/svc_user.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

svc_user const& user_of_shared_objects() {
  static temporary_directory const directory;
  static dev_service const dev{directory.path()};
  static svc_user const user{dev};
  return user;
}

}  // namespace

TEST_CASE("--if-match refuses a change of what somebody else has changed since, and the change is not lost") {
  auto const& user = user_of_shared_objects();
  struct {
    std::string group;
    std::vector<std::string> create, change;
  } const cases[] = {
      {"test", {"--type", "command", "--script", "-"}, {"--description", "b"}},
      {"job", {"--type", "command"}, {"--description", "b"}},
      {"monitor", {"--type", "http_request", "--target", "https://example.com", "--disable"}, {"--every", "5m"}},
      {"provider", {"--type", "webhook", "--config", "-"}, {"--disable"}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.group);
    auto create = c.create;
    create.insert(create.begin(), {c.group, "create", "shared"});
    user.id(create, c.group == "provider" ? R"({"url":"https://example.com/hook"})" : "true\n");
    auto const update = [&](std::vector<std::string> const& more) {
      std::vector<std::string> words{c.group, "update", "shared"};
      words.insert(words.end(), more.begin(), more.end());
      return user.run(words);
    };
    auto const etag_of = [&] {
      auto const line = user.out({c.group, "get", "shared", "--etag"});
      REQUIRE(line.ends_with("\"\n"));
      return line.substr(0, line.size() - 1);
    };
    auto const first = etag_of();
    CHECK(update(c.change).code == 0);
    auto const late = update({c.group == "test" ? "--title" : "--name", "mine", "--if-match", first});
    CHECK(late.code == 1);
    CHECK(has_text(late.err, "Somebody has changed the " + c.group +
                                 " since the ETag of --if-match was printed; nothing was changed."));
    CHECK(has_text(late.err, "svc " + c.group + " get shared --etag prints its ETag."));
    auto const empty = update({"--if-match", "", "--file", "-"});
    CHECK(empty.code == 3);
    CHECK(has_text(empty.err, "--if-match must not be empty; nothing was changed."));
    auto const now = etag_of();
    CHECK(now != first);
    auto again = c.change;
    // A shell may have removed the quotes.
    again.insert(again.end(), {"--if-match", now.substr(1, now.size() - 2)});
    CHECK(update(again).code == 0);
    CHECK(user.run({c.group, "delete", "shared"}).code == 0);
  }
}

TEST_CASE("deleting the only provider of a monitor or job names both, and needs --yes or a terminal") {
  auto const& user = user_of_shared_objects();
  for (std::string const name : {"pager", "mail"})
    user.id({"provider", "create", name, "--type", "webhook", "--config", "-"},
            R"({"url":"https://example.com/hook"})");
  std::vector<std::string> const monitor{"--type", "http_request", "--target", "https://example.com", "--disable"};
  auto const make = [&](std::vector<std::string> words) {
    words.insert(words.end(), monitor.begin(), monitor.end());
    user.id(words);
  };
  make({"monitor", "create", "only pager", "--alert", "pager"});
  make({"monitor", "create", "both", "--alert", "pager", "--alert", "mail"});
  user.id({"job", "create", "nightly pager", "--alerts", "-"},
          R"({"enabled":true,"notificationProviders":["pager"],"alertOnFailure":true})");

  auto const refused = user.run({"provider", "delete", "mail", "pager"});
  CHECK(refused.code == 3);
  CHECK(has_text(refused.err, "The provider pager is the only provider of: only pager, nightly pager; nothing was"));
  CHECK(user.run({"provider", "get", "mail"}).code == 0);
  CHECK(user.run({"provider", "delete", "mail"}).err == "Deleted provider mail.\n");
  auto const asked = user.at_terminal({"provider", "delete", "pager"}, {}, "[y/N] ", "n\n");
  CHECK(has_text(asked.out, "Delete provider pager? It is the only provider of: both, only pager, nightly pager."));
  CHECK(user.run({"provider", "delete", "pager", "--yes"}).err ==
        "Deleted provider pager. It was the only provider of: both, only pager, nightly pager.\n");
  CHECK(user.run({"monitor", "delete", "only pager", "both"}).code == 0);
  CHECK(user.run({"job", "delete", "nightly pager"}).code == 0);
}

}  // namespace svc::test
