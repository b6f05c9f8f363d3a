// The files of the client that the service hands out: what clients, caches and farms of machines see of them.
// `TEST_DOWNLOADS=1000`: the number of downloads at one moment.
#include "extra_instance.hpp"
#include "integration/system/faults/faults.hpp"
#include "support/metrics_page.hpp"
#include "support/process_tree.hpp"
#include "support/stalled_clients.hpp"
#include "svc/core/hash.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t mebibyte = 1024UL * 1024;
constexpr std::size_t size_of_client = 3 * mebibyte;

/// A directory with something that has the size of a client.
struct client_fixture {
  temporary_directory directory;
  std::string bytes = std::string(size_of_client, '\0');

  client_fixture() {
    // No two blocks are equal, so that a block at the wrong place is seen.
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>((i * 2654435761U) >> 13U);
    directory.write("svc-linux-amd64", bytes);
  }
  std::string variable() const { return "SVC_CLI_DIRECTORY=" + directory.path(); }
};

std::string digest_in_hex(std::string_view text) {
  return to_hex(byte_view(sha256(text)));
}

double metric_of(extra_instance const& instance, std::string const& series, std::string const& part = {}) {
  return sum_of(instance.pages().get("/metrics").body, series, part);
}

double downloads_held(extra_instance const& instance) {
  return metric_of(instance, "svc_account_held{", "account=\"responses\"");
}

/// The slowest of some requests of the API.
milliseconds slowest_request(api_client& client, int count) {
  milliseconds most{0};
  for (int i = 0; i < count; ++i) {
    auto const start = std::chrono::steady_clock::now();
    CHECK(client.get("/api/auth/whoami").status == 200);
    most = std::max(most, std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start));
  }
  return most;
}

TEST_CASE("the client's files are served with entity tag, HEAD and 304, and are counted in class download") {
  client_fixture const fixture;
  extra_instance const instance({fixture.variable(), "SVC_LIMITS_DOWNLOAD_LIMIT=6000"});
  auto client = instance.client();
  struct {
    std::string name, type, content;
  } const files[] = {
      {"svc-linux-amd64", "application/octet-stream", fixture.bytes},
      {"svc-linux-amd64.sha256", "text/plain", digest_in_hex(fixture.bytes) + "  svc-linux-amd64\n"},
      {"install.sh", "text/plain", ""},
  };
  for (auto const& file : files) {
    CAPTURE(file.name);
    // curl --compressed asks so; what is not compressed must not be called gzip.
    for (header_list const& form : {header_list{}, header_list{{"Accept-Encoding", "gzip"}}}) {
      auto const got = client.call("GET", "/cli/" + file.name, {}, form);
      CHECK(got.status == 200);
      CHECK(got.header("content-type") == file.type);
      CHECK(got.header("cache-control") == "public, no-cache");
      CHECK(got.header("ratelimit-policy") == "\"download\";q=6000;w=60");
      CHECK(!got.header("content-encoding"));
      if (!file.content.empty()) CHECK((got.body == file.content));
      auto const head = client.call("HEAD", "/cli/" + file.name, {}, form);
      CHECK(head.status == 200);
      CHECK(head.number("content-length") == static_cast<long long>(got.body.size()));
      CHECK(head.header("etag") == got.header("etag"));
      auto known = form;
      known.emplace_back("If-None-Match", got.header("etag").value());
      auto const unchanged = client.call("GET", "/cli/" + file.name, {}, known);
      CHECK(unchanged.status == 304);
      CHECK(unchanged.body.empty());
      CHECK(unchanged.header("etag") == got.header("etag"));
    }
  }
  auto const script = client.get("/cli/install.sh").body;
  CHECK(script.find("\nservice='" + instance.url() + "'\n") != std::string::npos);
  CHECK(script.find(digest_in_hex(fixture.bytes)) != std::string::npos);
  CHECK(client.get("/cli/svc-linux-arm64").status == 404);
  CHECK(client.get("/cli/svc-linux-arm64").body.find("it has: install.sh, svc-linux-amd64") != std::string::npos);
  CHECK(client.get("/cli/other").status == 400);
  CHECK(downloads_held(instance) == 0);
}

TEST_CASE("a service with cli.serve off, or without a client, hands out none") {
  client_fixture const fixture;
  temporary_directory const empty;
  std::vector<std::string> const rows[] = {{fixture.variable(), "SVC_CLI_SERVE=false"},
                                           {"SVC_CLI_DIRECTORY=" + empty.path()}};
  for (auto const& environment : rows) {
    CAPTURE(environment.back());
    extra_instance const instance(environment);
    for (auto const* const name : {"install.sh", "svc-linux-amd64", "svc-linux-amd64.sha256"}) {
      CAPTURE(name);
      auto const got = instance.client().get(std::string("/cli/") + name);
      CHECK(got.status == 404);
      CHECK(code_of(got) == "not_found");
      CHECK(got.body.find("cli.serve") != std::string::npos);
    }
  }
}

TEST_CASE("a download sends nothing to PostgreSQL, and asks Redis only for its limit") {
  client_fixture const fixture;
  extra_instance const instance({fixture.variable(), "SVC_WORKERS=1"});
  auto client = instance.client();
  REQUIRE(client.get("/cli/svc-linux-amd64").status == 200);
  constexpr int count = 200;
  auto const statements = metric_of(instance, "svc_postgres_queries_total"),
             commands = metric_of(instance, "svc_redis_commands_total");
  for (int i = 0; i < count; ++i) CHECK(client.get("/cli/svc-linux-amd64.sha256").status == 200);
  // These two metrics are refreshed together once a second.
  auto const asked = [&] { return metric_of(instance, "svc_redis_commands_total") - commands; };
  CHECK(comes_true([&] { return asked() >= count; }, patience));
  // The instance's own loops ask for something now and then.
  CHECK(asked() < count * 1.25);
  CHECK(metric_of(instance, "svc_postgres_queries_total") - statements < count / 4);
}

TEST_CASE("an address that has used up its downloads learns when to retry, and others are served") {
  client_fixture const fixture;
  extra_instance const instance({fixture.variable(), "SVC_LIMITS_DOWNLOAD_LIMIT=3"});
  auto const tenant = shared_fleet().make_tenant();
  auto client = instance.client();
  while (client.get("/cli/install.sh").status == 200) {
  }
  auto const refused = client.get("/cli/install.sh");
  CHECK(refused.status == 429);
  CHECK(refused.number("retry-after") >= 1);
  CHECK(instance.client(tenant.token).get("/api/auth/whoami").status == 200);
}

TEST_CASE("many downloads at one moment share the bytes of the file, and slow no request of the API") {
  auto const count = static_cast<std::size_t>(long_form("TEST_DOWNLOADS", 300));
  client_fixture const fixture;
  extra_instance const instance({fixture.variable(), "SVC_WORKERS=1", "SVC_HTTP_WRITE_TIMEOUT=60s",
                                 "SVC_LIMITS_DOWNLOAD_LIMIT=1000000", "SVC_HTTP_CONNECTIONS_PER_ADDRESS=2000"});
  auto api = instance.client(shared_fleet().make_tenant().token);
  auto const alone = slowest_request(api, 50);
  std::string const opening = "GET /cli/svc-linux-amd64 HTTP/1.1\r\nHost: x\r\n\r\n";
  auto const answered = [&] {
    return metric_of(instance, "http_server_requests_total{", "/cli/{file}") >= static_cast<double>(count);
  };
  long idle = 0;
  {
    stalled_clients const waiting(instance.url(),
                                  {.name = "idle", .opening = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"}, count);
    CHECK(comes_true([&] { return waiting.all_stalling(); }, seconds(60)));
    idle = resident_memory(instance.pid());
  }
  {
    // As slow as downloads can be: none reads anything.
    stalled_clients const unread(instance.url(), {.name = "unread", .opening = opening, .reads = false}, count);
    REQUIRE(comes_true([&] { return unread.all_stalling() && answered(); }, seconds(60)));
    auto const meanwhile = slowest_request(api, 50);
    auto const more = resident_memory(instance.pid()) - idle;
    MESSAGE(count << " downloads: " << more / 1024 << " KiB above as many idle connections, "
                  << downloads_held(instance) / 1024 << " KiB charged; the slowest of 50 requests took "
                  << meanwhile.count() << " ms, alone " << alone.count() << " ms");
    CHECK(downloads_held(instance) == size_of_client);
    // Each connection keeps the TLS record that its client has not taken.
    CHECK(more <= static_cast<long>(4 * mebibyte + count * 40 * 1024));
    CHECK(meanwhile <= 3 * alone + milliseconds(50));
  }
  CHECK(comes_true([&] { return downloads_held(instance) == 0; }, patience));
}

TEST_CASE("downloads that are read arrive whole while the API is used") {
  client_fixture const fixture;
  extra_instance const instance({fixture.variable(), "SVC_WORKERS=2", "SVC_LIMITS_DOWNLOAD_LIMIT=1000000"});
  auto api = instance.client(shared_fleet().make_tenant().token);
  std::atomic<int> whole = 0;
  std::atomic<bool> over = false;
  constexpr int clients = 8, each = 10;
  std::vector<std::thread> downloads;
  for (int i = 0; i < clients; ++i) {
    downloads.emplace_back([&] {
      auto client = instance.client();
      for (int n = 0; n < each; ++n) whole += client.get("/cli/svc-linux-amd64").body == fixture.bytes ? 1 : 0;
    });
  }
  std::thread end([&] {
    for (auto& each_thread : downloads) each_thread.join();
    over = true;
  });
  milliseconds most{0};
  while (!over) most = std::max(most, slowest_request(api, 1));
  end.join();
  MESSAGE("the slowest request of the API took " << most.count() << " ms");
  CHECK(whole == clients * each);
  CHECK(most < milliseconds(1000));
}

}  // namespace
}  // namespace svc::test
