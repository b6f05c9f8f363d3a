#include "svc/sign_in/password_hasher.hpp"

#include "support/run_task.hpp"
#include "support/temporary_directory.hpp"
#include "svc/core/bytes.hpp"

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <sys/resource.h>
#include <boost/asio/bind_cancellation_slot.hpp>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace svc;
using namespace svc::sign_in;

namespace {

constexpr password_hash_settings cheap{.memory_kib = 8 * 1024, .iterations = 1, .threads = 1};

/// A hasher with what it needs. The executor of its callers outlives it.
struct hashing {
  explicit hashing(password_hash_settings const& settings = cheap, std::string denied = {})
      : memory(password_hasher::memory_terms(settings)),
        hasher(settings, {}, denied_passwords(std::move(denied)), memory, counters) {}

  deadline soon() const { return deadline::after(std::chrono::minutes(5)); }
  std::string hash(std::string_view password) {
    return test::run_task(io, hasher.hash(secret_string(password), soon())).value().value();
  }
  password_hasher::verification verify(std::string_view password, std::optional<std::string> stored) {
    return test::run_task(io, hasher.verify(secret_string(password), std::move(stored), soon())).value();
  }
  bool matches(std::string_view password, std::optional<std::string> stored) {
    return verify(password, std::move(stored)).matches;
  }

  asio::io_context io{1};
  metrics counters{};
  account memory;
  password_hasher hasher;
};

struct attempts {
  int verified = 0, refused = 0, unavailable = 0;
};

std::array<std::uint8_t, 20> sha1_of(std::string_view text) {
  std::array<std::uint8_t, 20> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha1(), nullptr);
  return digest;
}

task<> verify_counted(password_hasher& hasher, std::string stored, deadline until, attempts& count) {
  try {
    auto const made = co_await hasher.verify(secret_string("password"), std::move(stored), until);
    if (made.has_error())
      count.refused += made.error().code == errc::overloaded ? 1 : 0;
    else
      count.verified += made->matches ? 1 : 0;
  } catch (unavailable const&) {
    ++count.unavailable;
  }
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace

TEST_CASE("a password matches its own hash only, byte for byte") {
  hashing h;
  std::string const zeros("pass\0word", 9), wide = "\xf0\x9f\x94\x91 key";
  for (std::string const& password : {std::string("correct horse battery staple"), zeros, wide, std::string()}) {
    auto const stored = h.hash(password);
    CHECK(stored.starts_with("$argon2id$v=19$m=8192,t=1,p=1$"));
    CHECK(stored.size() <= 128);
    CHECK(h.matches(password, stored));
    CHECK_FALSE(h.matches(password + " ", stored));
    CHECK(h.hash(password) != stored);
  }
  CHECK_FALSE(h.matches("pass", h.hash(zeros)));
  CHECK_FALSE(h.matches("password", std::nullopt));
}

TEST_CASE("a matching password is hashed again when the settings have changed") {
  hashing before, after({.memory_kib = 9 * 1024, .iterations = 2, .threads = 1});
  auto const stored = before.hash("password");
  CHECK_FALSE(before.verify("password", stored).renewed);
  CHECK_FALSE(after.verify("passwore", stored).renewed);
  auto const seen = after.verify("password", stored);
  CHECK(seen.matches);
  REQUIRE(seen.renewed);
  CHECK(seen.renewed->starts_with("$argon2id$v=19$m=9216,t=2,p=1$"));
  CHECK(after.matches("password", *seen.renewed));
  CHECK_FALSE(after.verify("password", *seen.renewed).renewed);
}

TEST_CASE("a stored hash of another form, or one that would take the memory, matches nothing") {
  hashing h;
  auto const stored = h.hash("password");
  auto const tail = stored.substr(std::string_view("$argon2id$v=19$m=8192,t=1,p=1").size());
  for (std::string const& other :
       {std::string(), std::string("password"), stored.substr(0, 40), stored + "x", stored + std::string(100, 'x'),
        "$argon2i$v=19$m=8192,t=1,p=1" + tail, "$argon2id$v=19$m=1048577,t=1,p=1" + tail,
        "$argon2id$v=19$m=8192,t=101,p=1" + tail, "$argon2id$v=19$m=8192,t=1,p=2" + tail,
        "$argon2id$v=19$m=-1,t=1,p=1" + tail, "$argon2id$v=19$m=,t=,p=1" + tail,
        std::string("$2b$12$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"), stored + std::string(1, '\0')}) {
    CAPTURE(other);
    CHECK_FALSE(h.matches("password", other));
  }
}

TEST_CASE("the operator's file is asked before a password is hashed") {
  test::temporary_directory const directory;
  auto const path = std::string(directory.path()) + "/denied.txt";
  std::ofstream(path) << "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:10\n";
  hashing h(cheap, path);
  CHECK_FALSE(test::run_task(h.io, h.hasher.hash(secret_string("password"), h.soon())).value());
  CHECK(h.hash("correct horse").starts_with("$argon2id$"));
  auto const set = [&h](std::string_view password, std::vector<std::string> words) {
    return test::run_task(h.io, h.hasher.hash_new(secret_string(password), std::move(words), h.soon()));
  };
  std::ofstream(path) << to_hex(sha1_of("u7#Kq0vZ!pW3xL9")) << "\n";
  struct {
    std::string_view password;
    password_verdict verdict;
  } const rows[] = {{"password", password_verdict::too_short},
                    {"passwordpassword", password_verdict::common},
                    {"Ada Lovelace 7#Kq", password_verdict::personal},
                    {"u7#Kq0vZ!pW3xL9", password_verdict::denied}};
  for (auto const& row : rows) {
    auto const refused = set(row.password, {"Ada Lovelace"});
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == errc::validation_failed);
    REQUIRE(refused.error().details.size() == 1);
    CHECK(refused.error().details[0].field == "/password");
    CHECK(refused.error().details[0].message == refusal_reason(row.verdict, {}));
  }
  CHECK(h.matches("Ada Lovelace 7#Kq", set("Ada Lovelace 7#Kq", {}).value()));
  std::filesystem::remove(path);
  CHECK_THROWS_AS(h.hash("correct horse"), unavailable);
}

TEST_CASE("a full queue refuses at once, and those that wait are served") {
  hashing h;
  auto const stored = h.hash("password");
  attempts count;
  int started = 0;
  std::size_t most = 0;
  for (; count.refused == 0 && started < 10'000; ++started) {
    asio::co_spawn(h.io, verify_counted(h.hasher, stored, h.soon(), count), asio::detached);
    h.io.restart();
    h.io.poll();
    most = std::max(most, h.hasher.waiting());
  }
  CHECK(count.refused == 1);
  CHECK(started > static_cast<int>(password_hasher::longest_queue));
  CHECK(most == password_hasher::longest_queue);
  h.io.restart();
  h.io.run();
  CHECK(count.verified == started - 1);
  CHECK(h.hasher.waiting() == 0);
  CHECK(h.counters.expose().find("\nsvc_password_queue 0\n") != std::string::npos);
  CHECK(h.counters.expose().find("\nsvc_password_queue_full_total 1\n") != std::string::npos);
}

TEST_CASE("a caller that gives up gets no answer, and the thread does not hash for it") {
  hashing h({.memory_kib = 64 * 1024, .iterations = 2, .threads = 1});
  auto const stored = h.hash("password");
  attempts count;
  auto const before = processor_seconds();
  for (int i = 0; i < 2; ++i) asio::co_spawn(h.io, verify_counted(h.hasher, stored, h.soon(), count), asio::detached);
  h.io.restart();
  h.io.run();
  auto const of_two = processor_seconds() - before;
  CHECK(count.verified == 2);

  // Behind a hash: 15 whose deadline passes, and 15 that are cancelled.
  auto const start = processor_seconds();
  std::vector<asio::cancellation_signal> signals(15);
  asio::co_spawn(h.io, verify_counted(h.hasher, stored, h.soon(), count), asio::detached);
  for (auto& signal : signals) {
    asio::co_spawn(h.io, verify_counted(h.hasher, stored, deadline::after(milliseconds(1)), count), asio::detached);
    asio::co_spawn(h.io, verify_counted(h.hasher, stored, h.soon(), count),
                   asio::bind_cancellation_slot(signal.slot(), asio::detached));
  }
  h.io.restart();
  h.io.poll();
  for (auto& signal : signals) signal.emit(asio::cancellation_type::terminal);
  h.io.run();
  CHECK(count.verified == 3);
  CHECK(count.unavailable >= 15);
  CHECK(h.matches("password", stored));
  // Two hashes and a few of those that the thread had begun.
  CHECK(processor_seconds() - start < 4 * of_two);
}

TEST_CASE("stop answers everybody who waits") {
  hashing h;
  auto const stored = h.hash("password");
  attempts count;
  for (int i = 0; i < 20; ++i)
    asio::co_spawn(h.io, verify_counted(h.hasher, stored, h.soon(), count), asio::detached);
  h.io.restart();
  h.io.poll();
  h.hasher.stop();
  h.io.run();
  CHECK(count.verified + count.unavailable == 20);
  CHECK(count.unavailable >= 18);
  CHECK_THROWS_AS(h.verify("password", stored), unavailable);
  CHECK(h.hasher.waiting() == 0);
}

TEST_CASE("the threads of passwords are nicer than all others, and their memory is on the account") {
  hashing h({.memory_kib = 32 * 1024, .iterations = 1, .threads = 3});
  static_cast<void>(h.hash("password"));
  int found = 0;
  for (auto const& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(entry.path() / "comm"), name);
    if (!name.starts_with("password-")) continue;
    ++found;
    auto const thread = static_cast<id_t>(std::stoi(entry.path().filename().string()));
    CHECK(::getpriority(PRIO_PROCESS, thread) == 10);
  }
  CHECK(found == 3);
  CHECK(::getpriority(PRIO_PROCESS, 0) < 10);

  CHECK(h.memory.terms().total == 3 * 32 * 1024 * 1024UL);
  CHECK(h.memory.held() == 0);
  bool seen = false;
  for (int i = 0; !seen && i < 1000; ++i) {
    attempts count;
    asio::co_spawn(h.io, verify_counted(h.hasher, "", h.soon(), count), asio::detached);
    h.io.restart();
    while (h.io.poll(), !h.io.stopped()) seen = seen || h.memory.held() == 32 * 1024 * 1024UL;
  }
  CHECK(seen);
  CHECK(h.memory.held() == 0);
}

TEST_CASE("known and unknown accounts cost the same within five percent") {
  hashing h(password_hash_settings{});
  std::optional<std::string> const known = h.hash("correct horse battery staple"), unknown;
  auto const cost = [&](std::optional<std::string> const& stored) {
    auto const start = processor_seconds();
    CHECK_FALSE(h.matches("wrong horse", stored));
    return processor_seconds() - start;
  };
  // Both of a pair have the same neighbours on the machine, which take the rest, the caches and half of each core.
  double apart = 1;
  std::vector<double> ratios;
  for (int round = 0; apart >= 0.05 && round < 5; ++round) {
    for (int i = 0; i < 15; ++i) {
      bool const known_first = i % 2 == 0;
      auto const first = cost(known_first ? known : unknown), second = cost(known_first ? unknown : known);
      ratios.push_back(known_first ? first / second : second / first);
    }
    auto const middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::ranges::nth_element(ratios, middle);
    apart = std::abs(*middle - 1);
  }
  CHECK(apart < 0.05);
}
