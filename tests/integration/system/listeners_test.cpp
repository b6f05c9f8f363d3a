#include "support/fleet.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

namespace svc::test {
namespace {

TEST_CASE("several listeners: TLS, plain, Unix socket, and one for the other contract") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  temporary_directory const directory;
  auto const path = directory.path() + "/http.sock";
  configured_service several(fleet.dev(),
                             "[[listeners]]\naddress = '127.0.0.1:0'\n"
                             "[[listeners]]\naddress = '127.0.0.1:0'\ntls = false\n"
                             "[[listeners]]\naddress = 'unix:" +
                                 path +
                                 "'\ntls = false\nmode = '0600'\n"
                                 "[[listeners]]\naddress = '127.0.0.1:0'\nkind = 'internal'\n");
  struct stat found{};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);

  struct {
    std::string name, url;
    int status;
    std::string code;
  } const cases[] = {
      {"TLS", "https://" + several.address(0), 200, ""},
      {"plain", "http://" + several.address(1), 200, ""},
      {"Unix socket", "http://" + several.address(2), 200, ""},
      {"internal", "https://" + several.address(3), 401, "invalid_token"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    api_client user(c.url, fleet.text("caFile"), tenant.token);
    for (auto const* const target : {"/api/auth/whoami", "/livez"}) {
      auto const got = user.get(target);
      CHECK(got.status == c.status);
      CHECK(code_of(got) == c.code);
      CHECK(got.header("x-request-id"));
      // Over plain HTTP it would be wrong; a proxy that terminates TLS adds it.
      CHECK(got.header("strict-transport-security") ==
            (c.url.starts_with("https://") ? std::optional<std::string>("max-age=31536000") : std::nullopt));
    }
  }
  // Plain bytes get no plain answer from a TLS listener.
  api_client stranger("http://" + several.address(0), {}, tenant.token);
  CHECK_THROWS(stranger.get("/livez"));

  // Each worker's connections of all listeners are drained, and the socket file is gone.
  CHECK(several.process().stop() == 0);
  CHECK(::stat(path.c_str(), &found) != 0);
}

}  // namespace
}  // namespace svc::test
