#include "svc/sign_in/sealed_cookies.hpp"

#include "support/temporary_directory.hpp"
#include "svc/sign_in/browser_input.hpp"
#include "svc/sign_in/cookies.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <stdexcept>
#include <string>

using namespace svc;
using namespace svc::sign_in;

namespace {

constexpr timestamp cookie_start{1'700'000'000'000'000};
constexpr std::chrono::seconds one_second{1};

sealer key_with(std::uint8_t fill) {
  return sealer(secret_bytes(32, fill));
}

master_keys keys_with(std::vector<std::uint8_t> const& fills) {
  std::vector<sealer> keys;
  for (auto const fill : fills) keys.push_back(key_with(fill));
  return master_keys(std::move(keys));
}

std::string opened(cookie_sealer const& cookies, std::string_view name, std::string_view value, timestamp now) {
  auto const content = cookies.open(name, value, now);
  return content ? std::string(content->reveal()) : std::string("refused");
}

}  // namespace

TEST_CASE("a sealed cookie opens until its expiry") {
  auto keys = keys_with({1});
  cookie_sealer const cookies(keys);
  for (std::string const& content : {std::string(), std::string("\0flow", 5), std::string(2800, 'x')}) {
    auto const value = cookies.seal(flow_cookie, content, cookie_start + flow_life);
    CHECK(value.size() <= cookie_sealer::longest_value);
    CHECK(opened(cookies, flow_cookie, value, cookie_start) == content);
    CHECK(opened(cookies, flow_cookie, value, cookie_start + (flow_life - one_second)) == content);
    CHECK(opened(cookies, flow_cookie, value, cookie_start + flow_life) == "refused");
    CHECK(set_cookie(flow_cookie, value, same_site::lax, flow_life).size() <= 4096);
  }
  CHECK_THROWS_AS(cookies.seal(flow_cookie, std::string(2801, 'x'), cookie_start), std::invalid_argument);
}

TEST_CASE("a changed bit, a shorter value and another cookie's name open nothing") {
  auto keys = keys_with({1});
  cookie_sealer const cookies(keys);
  auto const value = cookies.seal(flow_cookie, "content", cookie_start + flow_life);
  CHECK(opened(cookies, device_cookie, value, cookie_start) == "refused");
  auto const bytes = from_base64url(value).value();
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto changed = bytes;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1U << bit % 8));
    CAPTURE(bit);
    CHECK(opened(cookies, flow_cookie, to_base64url(changed), cookie_start) == "refused");
  }
  for (std::size_t length = 0; length < value.size(); ++length)
    CHECK(opened(cookies, flow_cookie, value.substr(0, length), cookie_start) == "refused");
  CHECK(opened(cookies, flow_cookie, value + "AAAA", cookie_start) == "refused");
  CHECK(opened(cookies, flow_cookie, std::string(cookie_sealer::longest_value + 1, 'A'), cookie_start) == "refused");
}

TEST_CASE("every master key of the file opens, the first one seals") {
  auto before = keys_with({1}), rotated = keys_with({2, 1}), after = keys_with({2});
  auto const old_value = cookie_sealer(before).seal(device_cookie, "old", cookie_start + device_life);
  auto const new_value = cookie_sealer(rotated).seal(device_cookie, "new", cookie_start + device_life);
  CHECK(opened(cookie_sealer(rotated), device_cookie, old_value, cookie_start) == "old");
  CHECK(opened(cookie_sealer(rotated), device_cookie, new_value, cookie_start) == "new");
  CHECK(opened(cookie_sealer(after), device_cookie, new_value, cookie_start) == "new");
  CHECK(opened(cookie_sealer(after), device_cookie, old_value, cookie_start) == "refused");
  CHECK(opened(cookie_sealer(before), device_cookie, new_value, cookie_start) == "refused");
}

TEST_CASE("a key that another instance seals with already is found in the file") {
  test::temporary_directory const directory;
  auto const path = std::string(directory.path()) + "/master.key";
  auto const write = [&](std::string const& lines) { std::ofstream(path) << lines; };
  std::string const first(64, '1'), second(64, '2');
  write(first + "\n");
  ::chmod(path.c_str(), 0600);
  auto keys = master_keys::from_file(path);
  write(second + "\n" + first + "\n");
  auto others = master_keys::from_file(path);
  auto const value = cookie_sealer(others).seal(flow_cookie, "flow", cookie_start + flow_life);
  CHECK(opened(cookie_sealer(keys), flow_cookie, value, cookie_start) == "flow");
}

TEST_CASE("a device remembers its newest accounts, each with a window of its own") {
  auto device = device_content::generate();
  auto const ada = email_digest("ada@example.org");
  CHECK_FALSE(device.knows(ada));
  device.add(ada);
  CHECK(device.knows(ada));
  CHECK(device_content::read(device.write()) == device);
  for (int i = 0; i < 7; ++i) device.add(email_digest("user" + std::to_string(i)));
  CHECK(device.knows(ada));
  device.add(ada);
  device.add(email_digest("one more"));
  CHECK(device.knows(ada));
  CHECK_FALSE(device.knows(email_digest("user0")));
  CHECK(device_content::read(device.write()) == device);
  CHECK(device.write().size() == 1 + 16 * (1 + device_content::most_accounts));

  auto const other = device_content::generate();
  CHECK(device.window_subject(ada) != other.window_subject(ada));
  CHECK(device.window_subject(ada) != device.window_subject(email_digest("user1")));
  CHECK(device.window_subject(ada).size() == 32);
}

TEST_CASE("attempts of a browser that has signed in count apart from those of strangers") {
  auto device = device_content::generate();
  auto const ada = email_digest("ada@example.org"), eve = email_digest("eve@example.org");
  device.add(ada);
  CHECK(attempt_subject(device, ada) == "device:" + device.window_subject(ada));
  CHECK(attempt_subject(device, eve) == "account:" + to_hex(byte_view(eve).first(16)));
  CHECK(attempt_subject(device_content::generate(), ada) == attempt_subject(std::nullopt, ada));
  CHECK(attempt_subject(std::nullopt, ada) == "account:" + to_hex(byte_view(ada).first(16)));
}

TEST_CASE("other bytes are no device") {
  auto device = device_content::generate();
  for (std::size_t i = 0; i < device_content::most_accounts; ++i) device.add(email_digest(std::to_string(i)));
  auto const whole = device.write();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK(device_content::read(whole.substr(0, length)).has_value() == (length >= 17 && (length - 1) % 16 == 0));
  }
  CHECK_FALSE(device_content::read(whole + std::string(16, 'x')));
  CHECK_FALSE(device_content::read("\x02" + whole.substr(1)));
}
