#include "svc/sign_in/cookies.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace svc::sign_in;
using std::chrono::milliseconds;

namespace {

using outcome = cookie_search::outcome;

cookie_search searched(std::vector<std::string_view> const& fields) {
  cookie_search search(session_cookie);
  for (auto const field : fields) search.read(field);
  return search;
}

}  // namespace

TEST_CASE("exactly one cookie of the name is a credential") {
  struct {
    std::string_view name;
    std::vector<std::string_view> fields;
    outcome content;
    std::string_view value;
  } const rows[] = {
      {"no field", {}, outcome::none, ""},
      {"an empty field", {""}, outcome::none, ""},
      {"alone", {"__Host-svc_session=svc_session_x"}, outcome::found, "svc_session_x"},
      {"among others", {"a=b; __Host-svc_session=x; theme=dark"}, outcome::found, "x"},
      {"without a space after the semicolon", {"a=b;__Host-svc_session=x;c=d"}, outcome::found, "x"},
      {"white space around name and value", {"a=b;\t __Host-svc_session = x \t; c"}, outcome::found, "x"},
      {"in the second field", {"a=b", "__Host-svc_session=x"}, outcome::found, "x"},
      {"an empty value", {"__Host-svc_session="}, outcome::found, ""},
      {"a value with equals signs", {"__Host-svc_session=a=b=="}, outcome::found, "a=b=="},
      {"quotation marks belong to the value", {"__Host-svc_session=\"x\""}, outcome::found, "\"x\""},
      {"bytes beyond ASCII", {"\xff\xfe=\x80; __Host-svc_session=\xc3"}, outcome::found, "\xc3"},
      {"the name without a value", {"__Host-svc_session"}, outcome::none, ""},
      {"another case, which browsers do not protect", {"__HOST-svc_session=x"}, outcome::none, ""},
      {"a name that contains ours", {"x__Host-svc_session=x; __Host-svc_session2=y"}, outcome::none, ""},
      {"our name in a value", {"a=__Host-svc_session=x"}, outcome::none, ""},
      {"twice in one field", {"__Host-svc_session=x; __Host-svc_session=y"}, outcome::repeated, ""},
      {"twice with one value", {"__Host-svc_session=x; __Host-svc_session=x"}, outcome::repeated, ""},
      {"in two fields", {"__Host-svc_session=x", "__Host-svc_session=y"}, outcome::repeated, ""},
      {"three times", {"__Host-svc_session=x; __Host-svc_session=y", "__Host-svc_session=z"}, outcome::repeated, ""},
      {"a nameless cookie cannot pose as ours", {"=__Host-svc_session=x"}, outcome::none, ""},
      {"only separators", {";;; ; =;=;"}, outcome::none, ""},
  };
  for (auto const& row : rows) {
    CAPTURE(row.name);
    auto const search = searched(row.fields);
    CHECK(search.content() == row.content);
    CHECK(search.value() == row.value);
  }
}

TEST_CASE("Set-Cookie has the attributes of the prefix __Host-, and the rest of the life") {
  CHECK(set_cookie(session_cookie, "svc_session_x", same_site::strict, std::chrono::hours(168)) ==
        "__Host-svc_session=svc_session_x; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=604800");
  CHECK(set_cookie(flow_cookie, "AA-_", same_site::lax, std::chrono::minutes(10)) ==
        "__Host-svc_flow=AA-_; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600");
  CHECK(clear_cookie(session_cookie, same_site::strict) ==
        "__Host-svc_session=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0");
}

TEST_CASE("a life of less than a second is a second, because zero would delete the cookie") {
  for (auto const life : {milliseconds(-5), milliseconds(0), milliseconds(999), milliseconds(1999)}) {
    CAPTURE(life.count());
    CHECK(set_cookie("a", "b", same_site::strict, life).ends_with("; Max-Age=1"));
  }
  CHECK(set_cookie("a", "b", same_site::strict, milliseconds(2000)).ends_with("; Max-Age=2"));
}

TEST_CASE("a value that would end the cookie or the field is a bug of the caller") {
  for (std::string const value : {"a;b", "a b", "a\r\nSet-Cookie: c=d", "a\"", "a,b", "a\\b", "\x7f", "\xc3\xa4"}) {
    CAPTURE(value);
    CHECK_THROWS_AS(set_cookie("a", value, same_site::strict, milliseconds(1)), std::invalid_argument);
  }
  for (std::string const name : {"", "a b", "a=b", "a;b"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(set_cookie(name, "v", same_site::strict, milliseconds(1)), std::invalid_argument);
  }
}
