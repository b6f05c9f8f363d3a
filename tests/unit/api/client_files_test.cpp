#include "svc/api/client_files.hpp"

#include "svc/core/hash.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

std::string digest_in_hex(std::string_view bytes) {
  return to_hex(byte_view(sha256(bytes)));
}

client_files files_of(std::vector<client_program> programs, std::string_view url = "https://svc.example.org") {
  return make_client_files(std::move(programs), url, "1.2.3");
}

std::string script_of(client_files const& files) {
  auto const* const script = files.find("install.sh");
  REQUIRE(script != nullptr);
  return *script->bytes;
}

TEST_CASE("each served program has its SHA-256 next to it and in the script") {
  auto const files = files_of({{"amd64", "first"}, {"arm64", "the second"}});
  CHECK(files.names() ==
        "install.sh, svc-linux-amd64, svc-linux-amd64.sha256, svc-linux-arm64, svc-linux-arm64.sha256");
  for (auto const& [architecture, bytes] : {std::pair{"amd64", "first"}, {"arm64", "the second"}}) {
    CAPTURE(architecture);
    auto const name = std::string("svc-linux-") + architecture;
    REQUIRE(files.find(name) != nullptr);
    CHECK(*files.find(name)->bytes == bytes);
    CHECK(files.find(name)->content_type == "application/octet-stream");
    // The form of sha256sum --check.
    CHECK(*files.find(name + ".sha256")->bytes == digest_in_hex(bytes) + "  " + name + "\n");
  }
  CHECK(script_of(files).find("\nclients='amd64 5 " + digest_in_hex("first") + "\narm64 10 " +
                              digest_in_hex("the second") + "'\n") != std::string::npos);
}

TEST_CASE("the script has no placeholder left, and names the service and the version") {
  auto const script = script_of(files_of({{"amd64", "x"}}));
  for (auto const* const placeholder : {"@URL@", "@VERSION@", "@CLIENTS@"})
    CHECK(script.find(placeholder) == std::string::npos);
  CHECK(script.find("\nservice='https://svc.example.org'\n") != std::string::npos);
  CHECK(script.find("\nversion='1.2.3'\n") != std::string::npos);
  CHECK(script.ends_with("\nmain \"$@\"\n"));
}

TEST_CASE("no address of a service can add commands to the script") {
  auto const script = script_of(files_of({{"amd64", "x"}}, "https://h/'$(touch${IFS}/tmp/x)`id`"));
  CHECK(script.find("\nservice='https://h/'\\''$(touch${IFS}/tmp/x)`id`'\n") != std::string::npos);
}

TEST_CASE("an entity tag follows the bytes") {
  auto const files = files_of({{"amd64", "x"}}), same = files_of({{"amd64", "x"}}),
             other = files_of({{"amd64", "y"}});
  for (auto const* const name : {"install.sh", "svc-linux-amd64", "svc-linux-amd64.sha256"}) {
    CAPTURE(name);
    CHECK(files.find(name)->etag == same.find(name)->etag);
    CHECK(files.find(name)->etag != other.find(name)->etag);
    CHECK(files.find(name)->etag.size() == 34);
  }
}

TEST_CASE("without a program nothing is served, not even the script") {
  CHECK(files_of({}).empty());
  CHECK(files_of({}).find("install.sh") == nullptr);
  CHECK(files_of({{"amd64", "x"}}).find("svc-linux-arm64") == nullptr);
}

}  // namespace
}  // namespace svc::api
