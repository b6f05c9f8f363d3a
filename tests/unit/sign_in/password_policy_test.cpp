#include "svc/sign_in/password_policy.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace svc::embedded {
extern std::string_view const common_passwords;
}  // namespace svc::embedded

using namespace svc::sign_in;

namespace {

using verdict = password_verdict;

std::vector<std::string_view> const ada_knows{"svc", "svc.acme.example", "Acme Robotics GmbH", "Ada Lovelace",
                                              "ada.lovelace@acme.example"};

verdict judged(std::string_view password, std::size_t min_length = 15) {
  return judge_password(password, {.min_length = min_length}, ada_knows);
}

std::string repeated(std::string_view unit, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += unit;
  return out;
}

/// Characters of four bytes, none next to its like.
std::string wide(std::size_t characters) {
  std::string out;
  for (std::size_t i = 0; i < characters; ++i) {
    auto const scattered = i * i + 7 * i;
    out += {'\xf0', '\x9f', static_cast<char>(0x80 + scattered / 64 % 16), static_cast<char>(0x80 + scattered % 64)};
  }
  return out;
}

}  // namespace

TEST_CASE("a password has 15 to 256 characters as it was sent") {
  struct {
    std::string name, password;
    verdict expected;
  } const rows[] = {
      {"empty", "", verdict::too_short},
      {"14", "u7#Kq0vZ!pW3xL", verdict::too_short},
      {"15", "u7#Kq0vZ!pW3xL9", verdict::accepted},
      {"spaces count", " u7#Kq0vZ!pW3x ", verdict::accepted},
      {"control characters count", "u7#Kq0vZ!pW3x\n\t", verdict::accepted},
      {"zero bytes count", std::string("u7#Kq0vZ!pW3x\0\0", 15), verdict::accepted},
      {"14 of four bytes", wide(14), verdict::too_short},
      {"15 of four bytes", wide(15), verdict::accepted},
      {"256 of four bytes", wide(256), verdict::accepted},
      {"257 of four bytes", wide(257), verdict::too_long},
      {"257 of one byte", std::string(200, 'a') + std::string(57, 'b'), verdict::too_long},
      {"a megabyte", std::string(1'000'000, '\xff'), verdict::too_long},
      {"not UTF-8", "u7#Kq0vZ!pW3xL9\xff", verdict::not_text},
      {"a surrogate", "u7#Kq0vZ!pW3xL9\xed\xa0\x80", verdict::not_text},
      {"a longer form of a slash", "u7#Kq0vZ!pW3xL9\xc0\xaf", verdict::not_text},
      {"words", "correct horse battery staple", verdict::accepted},
  };
  for (auto const& row : rows) {
    CAPTURE(row.name);
    CHECK(judged(row.password) == row.expected);
  }
  CHECK(judged("u7#Kq0v", 8) == verdict::too_short);
  CHECK(judged("u7#Kq0vZ", 8) == verdict::accepted);
  CHECK(judged(wide(63), 64) == verdict::too_short);
  CHECK(judged(wide(64), 64) == verdict::accepted);
}

TEST_CASE("common passwords, repetitions and sequences are refused, also together") {
  struct {
    std::string password;
    std::size_t min_length;
    verdict expected;
  } const rows[] = {
      {"password", 8, verdict::common},
      {"PassWord", 8, verdict::common},
      {"qwertyuiop12345", 15, verdict::common},
      {"qazwsxedcrfvtgb", 15, verdict::common},
      {"passwordpassword", 15, verdict::common},
      {"passwordpasswor", 15, verdict::common},
      {repeated("a", 15), 15, verdict::common},
      {repeated("u7#Kq", 3), 15, verdict::common},
      {repeated("u7#Kq0vZ!pW3xL", 2), 15, verdict::common},
      {repeated("u7#Kq0vZ!pW3xL9", 2), 15, verdict::accepted},
      {"123456789012345", 15, verdict::common},
      {"987654321098765", 15, verdict::common},
      {"ABCDEFGHIJKLMNOP", 15, verdict::common},
      {"zyxwvutsrqponmlk", 15, verdict::common},
      {"qwertyuiopasdfgh", 15, verdict::common},
      {"1qaz2wsx3edc4rfv5", 15, verdict::common},
      {"password1234567", 15, verdict::common},
      {"1234567password", 15, verdict::common},
      {"Password!!!!!!!", 15, verdict::common},
      {"password1", 8, verdict::common},
      {"password1234568", 15, verdict::accepted},
      {"abcdefgh87654321", 15, verdict::common},
      {"abcdefghijklmnoqs", 15, verdict::accepted},
  };
  for (auto const& row : rows) {
    CAPTURE(row.password);
    CHECK(judged(row.password, row.min_length) == row.expected);
  }
}

TEST_CASE("eight characters must be left without the names and addresses that others know") {
  struct {
    std::string password;
    verdict expected;
  } const rows[] = {
      {"AdaLovelace-7#Kq0vZ", verdict::accepted},       {"AdaLovelace7#Kq0vZ!", verdict::accepted},
      {"AdaLovelace7#Kq0vZ", verdict::personal},        {"Ada Lovelace 7#Kq0v", verdict::personal},
      {"ada.lovelace@acme.example", verdict::personal}, {"ACMEROBOTICSGMBH2026", verdict::personal},
      {"robotics:lovelace:svc", verdict::personal},     {"7#Kqacme0vZadaLOVELACE", verdict::personal},
      {"7#Kqacme0vZ!adaLOVELACE", verdict::accepted},
  };
  for (auto const& row : rows) {
    CAPTURE(row.password);
    CHECK(judged(row.password) == row.expected);
  }
  // Names of one or two characters are in most passwords.
  CHECK(judge_password("a-b-a-b-c-d-b-a-x", {}, {"a", "b-", "", "--", "-"}) == verdict::accepted);
  CHECK(judge_password("\xc3\x84rger\xc3\x84rger\xc3\x84rgerX1", {}, {"\xc3\x84rger"}) == verdict::personal);
}

TEST_CASE("the embedded list is sorted, and each of its entries is found in any case") {
  std::string_view rest = svc::embedded::common_passwords, last;
  std::size_t count = 0, missed = 0;
  while (!rest.empty()) {
    auto const line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    CHECK_MESSAGE(last < line, line);
    missed += is_common_password(line) ? 0U : 1U;
    last = line;
    ++count;
  }
  CHECK(count > 10'000);
  CHECK(missed == 0);
  CHECK(is_common_password("!QAZ2wsx"));
  for (auto const text : {"", "passwor", "u7#Kq0vZ", "password\n", "~~~~~~~~~"})
    CHECK_FALSE(is_common_password(text));
}

TEST_CASE("each refusal says what to change") {
  CHECK(refusal_reason(verdict::accepted, password_rules{}).empty());
  CHECK(refusal_reason(verdict::too_short, {.min_length = 20}).find("20") != std::string::npos);
  for (auto const refused :
       {verdict::not_text, verdict::too_long, verdict::common, verdict::personal, verdict::denied})
    CHECK_FALSE(refusal_reason(refused, password_rules{}).empty());
}
