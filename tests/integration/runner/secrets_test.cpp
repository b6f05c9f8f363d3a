// Secrets against scripts that spell them as real programs do, and too many secrets.
#include "svc/core/bytes.hpp"
#include "svc/core/random.hpp"
#include "workshop.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

#include <chrono>

using namespace svc::test;
namespace json = boost::json;

namespace {

json::object with_secrets(json::array secrets) {
  return {{"variables", std::move(secrets)}};
}

json::object secret_variable(std::string const& key, std::string const& value) {
  return {{"key", key}, {"value", value}, {"isSecret", true}};
}

/// The groups of base64 that contain only bytes of the secret, when `before` other bytes precede it.
std::string base64_groups(std::string const& secret, std::size_t before) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (auto position = (3 - before) % 3; position + 3 <= secret.size(); position += 3) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8U | static_cast<unsigned char>(secret[position + i]);
    for (unsigned shift = 24; shift > 0; shift -= 6) out += letters[bits >> (shift - 6) & 63U];
  }
  return out;
}

/// Any eight characters of a spelling reveal a part of the secret.
bool shows(std::string const& output, std::string_view spelled) {
  for (std::size_t position = 0; position + 8 <= spelled.size(); ++position)
    if (output.find(spelled.substr(position, 8)) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a secret is masked in the output of base64, xxd and od, in their lines") {
  workshop shop;
  auto const secret = svc::random_alphanumeric(100);
  struct {
    char const* name;
    std::string script;
  } const cases[] = {
      {"base64", "printf %s \"$S\" | base64"},
      {"base64 with echo's line feed", "echo \"$S\" | base64"},
      {"base64, short lines", "printf %s \"$S\" | base64 -w 20"},
      {"base64, one character a line", "printf %s \"$S\" | base64 -w 1"},
      {"base64 after one byte", "printf x%s \"$S\" | base64"},
      {"base64 after two bytes", "printf xx%s \"$S\" | base64"},
      {"all of the environment", "env | base64"},
      {"joined by the shell", "echo $(printf %s \"$S\" | base64 -w 30)"},
      {"in pieces over time", "printf %s \"$S\" | base64 | while read -r l; do echo \"$l\"; sleep 0.05; done"},
      {"od", "printf %s \"$S\" | od -An -v -tx1"},
      {"hexadecimal in lines of 60", "printf %s \"$S\" | od -An -v -tx1 | tr -d ' \\n' | fold -w 60; echo"},
      {"xxd", "printf %s \"$S\" | xxd -p"},
      {"folded", "printf %s \"$S\" | fold -w 33; echo"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    std::string run;
    auto const end =
        shop.run_to_end({c.script + "; echo the last line"}, with_secrets({secret_variable("S", secret)}), &run);
    CHECK(status_of(end) == "passed");
    auto const all = shop.service().all(run);
    CHECK(all.ends_with("the last line\n"));
    CHECK_FALSE(shows(all, secret));
    // The rest, read as each spelling without its line breaks: no eight bytes of the secret.
    std::string joined;
    for (char const ch : all)
      if (ch != '\n' && ch != ' ') joined += ch;
    CHECK_FALSE(shows(joined, svc::to_hex(svc::as_bytes(secret))));
    for (std::size_t before = 0; before < 3; ++before) CHECK_FALSE(shows(joined, base64_groups(secret, before)));
  }
}

TEST_CASE("usual lines arrive as they are printed, even if one could be the start of a secret") {
  workshop shop;
  json::array secrets;
  // Every letter begins a secret.
  for (char c = 'a'; c <= 'z'; ++c)
    secrets.push_back(secret_variable(std::string("S") + c, c + svc::random_alphanumeric(19)));
  auto const run = shop.run({"echo waiting for a; sleep 30"}, with_secrets(std::move(secrets)));
  // The line arrives while the script still runs: only the timeout releases it.
  shop.service().wait_line(run, "waiting for a");
  CHECK_FALSE(shop.service().completed(run));
  shop.service().cancel(run);
  CHECK(status_of(shop.service().completion(run)) == "cancelled");
}

TEST_CASE("more secrets than a runner masks: their run ends before it starts, and others' runs continue") {
  workshop shop;
  auto const neighbour = shop.run({"for i in 1 2 3 4 5 6 7 8 9 10; do echo line $i; sleep 0.1; done"});
  shop.service().wait_line(neighbour, "line 1");
  json::array secrets;
  for (int i = 0; i < 700; ++i)
    secrets.push_back(secret_variable("V" + std::to_string(i), "shared-" + svc::random_alphanumeric(9'993)));
  auto const begun = std::chrono::steady_clock::now();
  std::string run;
  auto const end = shop.run_to_end({"echo started"}, with_secrets(std::move(secrets)), &run);
  auto const took = std::chrono::steady_clock::now() - begun;
  CHECK(status_of(end) == "error");
  CHECK(std::string(end.at("errorDetails").as_string()) ==
        "the secret variables are 6835 KiB together; this runner masks 1024 KiB at most (limits.secret_kb), so "
        "nothing was started");
  CHECK(shop.service().all(run).empty());
  CHECK(took < std::chrono::seconds(10));
  CHECK(status_of(shop.service().completion(neighbour)) == "passed");
  CHECK(shop.service().count("heartbeat") >= 1);
}

TEST_CASE("the largest number of secrets that a runner masks is masked, and their lease is kept") {
  workshop shop;
  json::array secrets;
  for (int i = 0; i < 104; ++i)
    secrets.push_back(secret_variable("V" + std::to_string(i), svc::random_alphanumeric(10'000)));
  auto const last = std::string(secrets.back().at("value").as_string());
  std::string run;
  auto const end = shop.run_to_end({"echo \"<$V103>\"; printf %s \"$V103\" | base64"}, with_secrets(secrets), &run);
  CHECK(status_of(end) == "passed");
  CHECK(shop.service().all(run) == "<***>\n***\n");
}
