#include "app/configuration/configuration.hpp"

#include "unit/app/load_text.hpp"

#include <doctest/doctest.h>

namespace svc::app {
namespace {

using test::temporary_directory;

TEST_CASE("listeners are read in order, each member with its default") {
  temporary_directory const dir;
  auto const loaded = load_text(dir, R"(
[[listeners]]
address = "0.0.0.0:443"
[[listeners]]
address = "unix:/run/svcd/http.sock"
tls = false
proxy_protocol = true
mode = "0666"
[[listeners]]
address = "[::1]:9000"
kind = "internal"
)");
  CHECK(loaded.problems == std::vector<std::string>{});
  auto const& all = loaded.values.listeners;
  REQUIRE(all.size() == 3);
  CHECK(all[0].address == "0.0.0.0:443");
  CHECK(all[0].tls);
  CHECK(all[0].kind == listener_kind::public_api);
  CHECK(all[0].unix_mode == 0660);
  CHECK(all[1].address == "unix:/run/svcd/http.sock");
  CHECK_FALSE(all[1].tls);
  CHECK(all[1].proxy_protocol);
  CHECK_FALSE(all[0].proxy_protocol);
  CHECK(all[1].unix_mode == 0666);
  CHECK(all[2].kind == listener_kind::internal_api);
  CHECK(loaded.values.first_public() == all.data());
  CHECK(loaded.values.any_tls());

  for (bool const comments : {false, true}) {
    auto const printed = print_configuration(loaded.values, comments);
    auto const again = load_text(dir, printed);
    CHECK(again.problems == std::vector<std::string>{});
    CHECK(print_configuration(again.values, comments) == printed);
    CHECK(again.values.listeners.size() == 3);
  }
}

TEST_CASE("a member that is not allowed is refused by its name") {
  temporary_directory const dir;
  auto const unix_path = [](std::size_t bytes) { return "address = \"unix:/" + std::string(bytes - 1, 'x') + "\""; };
  struct {
    std::string line;
    std::string_view problem;  ///< empty: allowed
  } const cases[] = {
      {"address = \"127.0.0.1:1\"", ""},
      {unix_path(107), ""},
      {unix_path(108), "listeners[0].address: must be"},
      {"address = \"unix:relative\"", "listeners[0].address: must be"},
      {"address = \"unix:\"", "listeners[0].address: must be"},
      {"address = \"localhost:1\"", "listeners[0].address: must be"},
      {"address = 1", "listeners[0].address: must be"},
      {"tls = \"true\"", "listeners[0].tls: must be true or false"},
      {"proxy_protocol = 2", "listeners[0].proxy_protocol: must be true or false"},
      {"kind = \"admin\"", "listeners[0].kind: must be \"public\" or \"internal\""},
      {"kind = true", "listeners[0].kind: must be \"public\" or \"internal\""},
      {"mode = \"600\"", ""},
      {"mode = \"0000\"", ""},
      {"mode = 600", "listeners[0].mode: must be octal"},
      {"mode = \"0777\"", "listeners[0].mode: must be octal"},
      {"mode = \"66\"", "listeners[0].mode: must be octal"},
      {"mode = \"00660\"", "listeners[0].mode: must be octal"},
      {"mode = \"0689\"", "listeners[0].mode: must be octal"},
      {"port = 1", "listeners[0].port: no such key"},
      {"a.b = 1", "listeners[0].a.b: no such key"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.line);
    auto const loaded = load_text(dir, "[[listeners]]\n" + c.line + "\n");
    CHECK(loaded.problems.size() == (c.problem.empty() ? 0U : 1U));
    if (!c.problem.empty()) CHECK(names(loaded.problems, c.problem));
  }
}

TEST_CASE("rules across listeners") {
  temporary_directory const dir;
  std::string const word = "[[listeners]]\naddress = \"127.0.0.1:1\"\n";
  std::string const wide = "[[listeners]]\naddress = \"0.0.0.0:1\"\n";
  std::string const any = "[[listeners]]\naddress = \"127.0.0.1:0\"\n";
  std::string const local = "[[listeners]]\naddress = \"unix:/x\"\n";
  std::string many;
  for (int i = 0; i < 17; ++i) many += any;
  struct {
    std::string text;
    std::string_view problem;
  } const cases[] = {
      {word + any + any, ""},
      {word + word, "two have the address 127.0.0.1:1"},
      {word + local + local, "two have the address unix:/x"},
      {word + "[admin]\naddress = \"127.0.0.1:1\"\n", "admin.address: a listener has the address 127.0.0.1:1"},
      {word + "[admin]\naddress = \"0.0.0.0:1\"\n", "admin.address: 0.0.0.0:1 and the listener 127.0.0.1:1 exclude"},
      {wide + "[admin]\naddress = \"127.0.0.1:1\"\n",
       "admin.address: 127.0.0.1:1 and the listener 0.0.0.0:1 exclude"},
      {wide + "[admin]\naddress = \"127.0.0.1:2\"\n", ""},
      {wide + "[admin]\naddress = \"[::1]:1\"\n", ""},
      {wide + "[admin]\naddress = \"[::]:1\"\n", "admin.address: [::]:1 and the listener 0.0.0.0:1 exclude"},
      {word + wide, "listeners: 127.0.0.1:1 and 0.0.0.0:1 exclude each other"},
      {"[[listeners]]\naddress = \"[::]:1\"\n" + word, "listeners: [::]:1 and 127.0.0.1:1 exclude each other"},
      {word + "kind = \"internal\"\n", "at least one must be public"},
      {local + word, "public_url: must be set"},
      {"public_url = \"https://a\"\n" + local + word, ""},
      {word + local, ""},
      {word + "proxy_protocol = true\n", "trusted_proxies: must be set"},
      {"trusted_proxies = [\"10.0.0.0/8\"]\n" + word + "proxy_protocol = true\n", ""},
      {word + local + "proxy_protocol = true\n", ""},
      {many, "listeners[16].address: at most 16"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto loaded = load_text(dir, c.text);
    check_listeners(loaded.values, loaded.problems);
    CHECK(loaded.problems.size() == (c.problem.empty() ? 0U : 1U));
    if (!c.problem.empty()) CHECK(names(loaded.problems, c.problem));
  }
}

TEST_CASE("without a TLS listener no certificate is required") {
  temporary_directory const dir;
  configuration_sources const plain{
      .file = dir.write("p.toml", "[[listeners]]\ntls = false\n"), .environment = {}, .overrides = {}};
  CHECK_FALSE(names(load_configuration(plain).problems, "tls.cert_file"));
  CHECK(names(load_configuration({}).problems, "tls.cert_file"));
}

}  // namespace
}  // namespace svc::app
