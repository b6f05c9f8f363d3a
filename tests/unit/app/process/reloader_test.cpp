#include "app/process/reloader.hpp"

#include "unit/app/load_text.hpp"

#include <doctest/doctest.h>

namespace svc::app {
namespace {

using keys = std::vector<std::string>;

TEST_CASE("a reload applies changeable keys and names the keys that need a restart") {
  test::temporary_directory const dir;
  auto const started = load_text(dir, "limits.cli.limit = 5\npostgres.url = 'postgresql://a:one@db/svc'\n").values;
  struct {
    char const* name;
    std::string file;
    keys taken, waiting;
  } const cases[] = {
      {"nothing new", "limits.cli.limit = 5\npostgres.url = 'postgresql://a:one@db/svc'\n", {}, {}},
      {"a limit and its window",
       "limits.cli = { limit = 6, window = 61 }\npostgres.url = 'postgresql://a:one@db/svc'\n",
       {"limits.cli.limit", "limits.cli.window"},
       {}},
      {"everything that reloads",
       "trusted_proxies = ['10.0.0.0/8']\nclient_address_header = 'x-real-ip'\nlog.level = 'warn'\n"
       "limits.cli.limit = 5\npostgres.url = 'postgresql://a:one@db/svc'\n",
       {"trusted_proxies", "client_address_header", "log.level"},
       {}},
      {"a key that went away, a secret, a listener",
       "http.deadline = '3s'\npostgres.url = 'postgresql://a:two@db/svc'\n[[listeners]]\naddress = '[::1]:1'\n",
       {"limits.cli.limit"},
       {"postgres.url", "http.deadline", "listeners"}},
      {"an identity provider",
       "limits.cli.limit = 5\npostgres.url = 'postgresql://a:one@db/svc'\n[[sign_in.oidc]]\nid = 'corp'\n",
       {},
       {"sign_in"}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const plan = plan_reload(started, started, load_text(dir, c.file));
    CHECK(plan.problems == keys{});
    CHECK(plan.taken == c.taken);
    CHECK(plan.waiting == c.waiting);
    // A value that waits for a restart is not among the values.
    CHECK(plan.values.http.deadline == started.http.deadline);
    CHECK(plan.values.postgres.url.reveal() == started.postgres.url.reveal());
    CHECK(plan.values.listeners == started.listeners);
  }
}

TEST_CASE("earlier changes count against the last reload, waiting ones against the start") {
  test::temporary_directory const dir;
  auto const started = load_text(dir, "").values;
  auto const once = plan_reload(started, started, load_text(dir, "limits.cli.limit = 6\nworkers = 3\n"));
  auto const twice = plan_reload(started, once.values, load_text(dir, "limits.cli.limit = 6\nworkers = 3\n"));
  CHECK(twice.taken == keys{});
  CHECK(twice.waiting == keys{"workers"});
  auto const back = plan_reload(started, twice.values, load_text(dir, ""));
  CHECK(back.taken == keys{"limits.cli.limit"});
  CHECK(back.waiting == keys{});
}

TEST_CASE("if anything is wrong, nothing changes") {
  test::temporary_directory const dir;
  std::string const listener = "[[listeners]]\nproxy_protocol = true\n";
  auto const started = load_text(dir, "trusted_proxies = ['10.0.0.0/8']\n" + listener).values;
  for (std::string const file : {"limits.cli.limit = 'many'\n", "no toml", "limits.cli.limit = 7\nnonsense = 1\n"}) {
    CAPTURE(file);
    auto const plan = plan_reload(started, started, load_text(dir, file));
    CHECK_FALSE(plan.problems.empty());
    CHECK(plan.values.limits.cli == started.limits.cli);
  }
  // The value is right for the listeners of the file, but wrong for those that were started.
  auto const plan = plan_reload(started, started, load_text(dir, "[[listeners]]\n"));
  CHECK(names(plan.problems, "trusted_proxies"));
}

}  // namespace
}  // namespace svc::app
