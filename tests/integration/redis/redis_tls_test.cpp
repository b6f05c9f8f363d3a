#include "integration/redis/fixture.hpp"
#include "support/throwaway_ca.hpp"

#include <filesystem>
#include <fstream>

using namespace svc;
using namespace svc::redis;
using svc::test::make_throwaway_ca;
using svc::test::private_redis;

namespace {

/// Two CAs; the first issued the server's certificate.
class tls_world {
 public:
  explicit tls_world(std::string const& names) {
    char path[] = "/tmp/svcca-XXXXXX";
    REQUIRE(mkdtemp(path) != nullptr);
    directory_ = path;
    auto const mine = make_throwaway_ca(names);
    write("ca", mine.authority);
    write("crt", mine.certificate);
    write("key", mine.key);
    write("other", make_throwaway_ca(names).authority);
  }
  ~tls_world() { std::filesystem::remove_all(directory_); }
  tls_world(tls_world const&) = delete;
  tls_world& operator=(tls_world const&) = delete;

  std::string file(std::string const& name) const { return directory_ + "/" + name; }
  private_redis::options server() const { return {.tls_certificate = file("crt"), .tls_key = file("key")}; }
  settings of(std::string const& host, private_redis const& server, std::string const& authority = "ca") const {
    auto where = patient("rediss://" + host + ":" + server.tls_port());
    where.tls_ca_file = file(authority);
    return where;
  }

 private:
  void write(std::string const& name, std::string const& text) const { std::ofstream(file(name)) << text; }

  std::string directory_;
};

std::string fault_of(settings const& where) {
  worker w;
  client c(w.io, where, {}, w.listener());
  c.start();
  REQUIRE(w.run_until([&] { return !c.last_fault().empty() || c.connected(); }));
  CHECK(w.changes.empty());
  return c.last_fault();
}

}  // namespace

TEST_CASE("TLS with a certificate that names the host") {
  tls_world const world("DNS:localhost,IP:127.0.0.1");
  private_redis const server(world.server());
  for (std::string const host : {"localhost", "127.0.0.1"}) {
    CAPTURE(host);
    worker w;
    client c(w.io, world.of(host, server), {}, w.listener());
    w.connect(c);
    CHECK(text(w.ask(c, {"PING"})) == "PONG");
    std::vector<std::optional<outcome>> outcomes(8);
    std::string const value(1U << 20, 'v');
    for (auto& o : outcomes) asio::co_spawn(w.io, ask_into(c, value, deadline::after(10s), o), asio::detached);
    REQUIRE(w.run_until(
        [&] { return std::all_of(outcomes.begin(), outcomes.end(), [](auto const& o) { return o.has_value(); }); }));
    for (auto const& o : outcomes) CHECK((text(*o) == value));
    CHECK(server.ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}) == "1");
    REQUIRE(w.run_until([&] { return c.stats().reconnects == 1; }));
    CHECK(text(w.ask(c, {"PING"})) == "PONG");
  }
}

TEST_CASE("TLS without a proof of the peer's name is refused") {
  tls_world const world("DNS:redis.example,IP:127.0.0.2");
  private_redis const server(world.server());
  CHECK(fault_of(world.of("localhost", server)) == "tls: hostname mismatch");
  CHECK(fault_of(world.of("127.0.0.1", server)) == "tls: IP address mismatch");
  CHECK(fault_of(world.of("127.0.0.1", server, "other")).find("tls: ") == 0);
}

TEST_CASE("TLS requires a readable CA file, and a server that uses TLS") {
  tls_world const world("IP:127.0.0.1");
  private_redis const server({.tcp = true});
  worker w;
  auto where = patient("rediss://127.0.0.1:" + server.port());
  where.tls_ca_file = world.file("none");
  CHECK_THROWS_AS(client(w.io, where, {}), std::runtime_error);
  where.tls_ca_file = world.file("ca");
  where.connect_timeout = 300ms;
  CHECK(fault_of(where) == "no connection within connect_timeout");
}
