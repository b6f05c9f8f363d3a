// Real Playwright jobs with Debian's chromium, in the sandbox that this machine allows.
#include "workshop.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>

using namespace svc::test;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

/// Each test serves its own page: inside the sandbox the only network is its loopback.
constexpr char const* page = R"ts(
import { test, expect } from '@playwright/test';
import { createServer, Server } from 'node:http';
import { AddressInfo } from 'node:net';

// The machine may stand still for a while.
test.describe.configure({ timeout: 240_000 });
let server: Server;
let url: string;
test.beforeAll(async () => {
  server = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html');
    answer.end(`<title>Shop</title><button onclick="this.textContent = 'bought by ' + navigator.vendor">buy</button>`);
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
test.afterAll(() => { server.close(); });
)ts";

std::string with_page(std::string const& tests) {
  return page + tests;
}

constexpr char const* buys = R"ts(
test('buys', async ({ page, browser }) => {
  await page.goto(url);
  await page.getByRole('button').click();
  await expect(page.getByRole('button')).toHaveText('bought by Google Inc.', { timeout: 60_000 });
  console.log(`${process.env.SERVICE_PARAM_WHO} bought in version ${parseInt(browser.version()) > 100}`);
});
)ts";

constexpr char const* misses_and_waits = R"ts(
test('is fine', async ({ page }) => { await page.goto(url); });
test.describe('a group', () => {
  test('misses', async ({ page }) => {
    await page.goto(url);
    expect(await page.title() + process.env.KEY).toBe('Another shop');
  });
});
test('waits', async ({ page }) => {
  test.setTimeout(2000);
  await page.goto(url);
  await page.getByText('never there').click();
});
)ts";

constexpr char const* without_page = R"ts(
import { test, expect } from '@playwright/test';
test('counts', () => { expect(1 + 1).toBe(2); });
)ts";

constexpr char const* stays = R"ts(
test('stays', async ({ page }) => {
  test.setTimeout(0);
  await page.goto(url);
  console.log('page is open');
  await new Promise(() => {});
});
)ts";

/// A copy that other users can read: this tree may be in a home directory.
class playwright_modules {
 public:
  playwright_modules() {
    auto const sources = std::string(SVC_RUNNER_PLAYWRIGHT);
    if (std::system((sources + "/install.sh").c_str()) != 0)
      throw std::runtime_error("npm could not install Playwright; does this machine reach the npm registry?");
    fs::copy(sources + "/node_modules", path(), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    ::chmod(directory_.path().c_str(), 0755);
  }
  std::string path() const { return directory_.path() + "/node_modules"; }

 private:
  temporary_directory directory_;
};

std::string configured(playwright_modules const& modules, std::string const& browser) {
  return "labels = ['playwright']\nplaywright.modules = '" + modules.path() + "'\nplaywright.browser = '" + browser +
         "'\nlimits.memory_mb = 2048\nlimits.processes = 512\nlimits.cpu_percent = 200\n";
}

json::object playwright_job() {
  return {{"jobType", "playwright"}, {"timeoutSeconds", 300}};
}

}  // namespace

TEST_CASE("Playwright's tests run in a real chromium, each with its result and its message") {
  playwright_modules const modules;
  workshop shop({.lines = configured(modules, "/usr/bin/chromium")});
  if (!shop.sandboxed()) not_shown("chromium inside of bubblewrap: " + shop.isolation());
  auto members = playwright_job();
  members["parameters"] = json::object{{"WHO", "somebody"}};
  members["variables"] = json::array{json::object{{"key", "KEY"}, {"value", "s3cret-value"}, {"isSecret", true}}};
  std::string run;
  auto const end =
      shop.run_to_end({with_page(buys), with_page(misses_and_waits), without_page}, std::move(members), &run);
  auto const all = shop.service().all(run);
  CAPTURE(all);
  CHECK(status_of(end) == "failed");
  std::string statuses;
  for (auto const& each : end.at("tests").as_array())
    statuses += std::string(each.at("id").as_string()) + "=" + std::string(each.at("status").as_string()) + " ";
  CHECK(statuses == "test-1=passed test-2=failed test-3=passed ");
  CHECK(all.find("somebody bought in version true\n") != std::string::npos);
  auto const missed = details_of(end, 1);
  CAPTURE(missed);
  CHECK(missed.starts_with("a group > misses: "));
  CHECK(missed.find("Expected: \"Another shop\"") != std::string::npos);
  CHECK(missed.find("Received: \"Shop***\"") != std::string::npos);
  CHECK(missed.find("is fine") == std::string::npos);
  CHECK(missed.find("\nwaits: Test timeout of 2000ms exceeded") != std::string::npos);
  CHECK(all.find("s3cret") == std::string::npos);
  CHECK(processes_left(run) == 0);
  CHECK(shop.scratch_is_empty());
}

TEST_CASE("a Playwright run that is cancelled leaves no browser") {
  playwright_modules const modules;
  workshop shop({.lines = configured(modules, "/usr/bin/chromium")});
  auto const run = shop.run({with_page(stays), without_page}, playwright_job());
  shop.service().wait_line(run, "page is open");
  shop.service().cancel(run);
  auto const end = shop.service().completion(run);
  CHECK(status_of(end) == "cancelled");
  CHECK(end.at("tests").as_array().at(1).at("status").as_string() == "cancelled");
  CHECK(processes_left(run) == 0);
  CHECK(shop.scratch_is_empty());
}

TEST_CASE("missing requirements of Playwright jobs are named before a runner registers") {
  playwright_modules const modules;
  temporary_directory other;
  auto const broken = other.write("browser", "#!/bin/sh\necho 'this browser is broken' >&2; exit 1\n");
  fs::permissions(broken, fs::perms::all);
  fs::permissions(other.path(), fs::perms::all);
  workshop shop;
  struct {
    std::string lines, path, said;
  } const cases[] = {
      {configured(modules, "/usr/bin/chromium"), "/nowhere", "no npx in PATH"},
      {"labels = ['playwright']\n", "/usr/local/bin:/usr/bin:/bin", "playwright.modules names no node_modules"},
      {"labels = ['playwright']\nplaywright.modules = '/usr'\n", "/usr/local/bin:/usr/bin:/bin",
       "no @playwright/test in /usr"},
      {configured(modules, "/nowhere/chromium"), "/usr/local/bin:/usr/bin:/bin", "playwright.browser is no program"},
      {configured(modules, broken), "/usr/local/bin:/usr/bin:/bin", "this browser is broken"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.said);
    auto const file = other.write("runner.toml", "url = 'unix:/nowhere'\ntoken_file = '" + shop.token_file() +
                                                     "'\nwork_dir = '" + shop.directory() + "/work'\n" + c.lines);
    service refused({"--config", file}, {"PATH=" + c.path}, runner_binary());
    CHECK(refused.wait() == 2);
    CAPTURE(refused.err().text());
    CHECK(refused.err().text().find("labels: playwright cannot be run: ") != std::string::npos);
    CHECK(refused.err().text().find(c.said) != std::string::npos);
  }
}
