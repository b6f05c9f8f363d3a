#include "svc/sign_in/denied_passwords.hpp"

#include "support/temporary_directory.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace svc;
using sign_in::denied_passwords;

namespace {

/// printf 'password' | sha1sum, and so on.
constexpr auto sha1_of_password = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";
constexpr auto sha1_of_empty = "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709";

struct denied_file {
  test::temporary_directory directory{};
  std::string path = std::string(directory.path()) + "/denied.txt";

  void write(std::string const& content) const { std::ofstream(path, std::ios::binary) << content; }
  bool denies(std::string_view password) const { return denied_passwords(path).contains(password); }
};

/// Sorted digests that belong to no password of these tests.
std::vector<std::string> other_digests(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) {
    auto digits = to_hex(sha256(std::to_string(i))).substr(0, 40);
    for (auto& c : digits) c = static_cast<char>(std::toupper(c));
    out.push_back(digits);
  }
  std::ranges::sort(out);
  return out;
}

std::string lines_of(std::vector<std::string> digests, std::string_view end, bool counts) {
  std::ranges::sort(digests);
  std::string out;
  for (std::size_t i = 0; i < digests.size(); ++i)
    out.append(digests[i]).append(counts ? ":" + std::to_string(i * i * i) : "").append(end);
  return out;
}

}  // namespace

TEST_CASE("a denied password is found in files of any size, with and without counts") {
  denied_file const file;
  for (std::size_t const others : {0, 1, 2, 3, 10, 1000, 5001}) {
    for (std::string const end : {"\n", "\r\n"}) {
      for (bool const counts : {false, true}) {
        CAPTURE(others);
        auto digests = other_digests(others);
        file.write(lines_of(digests, end, counts));
        if (others > 0) CHECK_FALSE(file.denies("password"));
        digests.emplace_back(sha1_of_password);
        digests.emplace_back(sha1_of_empty);
        auto const content = lines_of(digests, end, counts);
        file.write(content);
        CHECK(file.denies("password"));
        CHECK(file.denies(""));
        CHECK_FALSE(file.denies("Password"));
        CHECK_NOTHROW(denied_passwords(file.path).check());
        file.write(content.substr(0, content.size() - end.size()));
        CHECK(file.denies("password"));
        CHECK(file.denies(""));
      }
    }
  }
}

TEST_CASE("the first and the last line are found, in lower case as well") {
  denied_file const file;
  std::string const low(40, '0'), high(40, 'f');
  std::string lower = sha1_of_password;
  for (auto& c : lower) c = static_cast<char>(std::tolower(c));
  for (auto const& content :
       {lower + "\n" + high + "\n", low + "\n" + lower, lower, low + "\n" + lower + "\n" + high}) {
    file.write(content);
    CAPTURE(content);
    CHECK(file.denies("password"));
    CHECK_FALSE(file.denies("passwords"));
  }
}

TEST_CASE("a replaced file takes effect at once") {
  denied_file const file;
  file.write(std::string(40, '0') + "\n");
  denied_passwords const denied(file.path);
  CHECK_FALSE(denied.contains("password"));
  file.write(std::string(sha1_of_password) + ":3\n");
  CHECK(denied.contains("password"));
}

TEST_CASE("without a file nothing is denied, and with one that cannot be used nobody sets a password") {
  CHECK_FALSE(denied_passwords("").contains("password"));
  CHECK_NOTHROW(denied_passwords("").check());
  denied_file const file;
  CHECK_THROWS_AS(file.denies("password"), unavailable);
  CHECK_THROWS_WITH(denied_passwords(file.path).check(), "does not exist");
  CHECK_THROWS_WITH(denied_passwords(std::string(file.directory.path())).check(), "is a directory");
  file.write("");
  CHECK_FALSE(file.denies("password"));
  CHECK_THROWS_WITH(denied_passwords(file.path).check(), "is empty");
  struct {
    std::string content, reason;
  } const rows[] = {
      {"password\n", "has a line without the 40 hexadecimal digits of a SHA-1 at its start"},
      {std::string(64, 'a') + "\n", "has a line without the 40 hexadecimal digits of a SHA-1 at its start"},
      {std::string(100'000, 'a'), "has a line that is too long"},
      {std::string(40, 'f') + "\n" + std::string(40, '0') + "\n", "is not sorted"},
  };
  for (auto const& row : rows) {
    file.write(row.content);
    CAPTURE(row.reason);
    CHECK_THROWS_WITH(denied_passwords(file.path).check(), row.reason.c_str());
  }
  file.write(std::string(100'000, 'a'));
  CHECK_THROWS_AS(file.denies("password"), unavailable);
}
