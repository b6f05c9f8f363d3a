// Any bytes are Cookie fields: a found value stands in them, and no planted second cookie is hidden. What is written
// is read back.
#include "check.hpp"
#include "svc/sign_in/cookies.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

using namespace svc::sign_in;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  auto const cut = std::min(text.find('\n'), text.size());
  cookie_search search(session_cookie);
  search.read(text.substr(0, cut));
  search.read(text.substr(std::min(cut + 1, text.size())));
  bool const found = search.content() == cookie_search::outcome::found;
  check(found || search.value().empty(), "a value only of exactly one cookie");
  check(!found || text.find(search.value()) != std::string_view::npos, "a value from the fields");

  auto const before = search.content();
  search.read("a=b; __Host-svc_session=x");
  check(search.content() == (before == cookie_search::outcome::none ? cookie_search::outcome::found
                                                                    : cookie_search::outcome::repeated),
        "one more cookie is counted");
  try {
    auto const line = set_cookie(session_cookie, text, same_site::strict, std::chrono::seconds(1));
    cookie_search back(session_cookie);
    back.read(std::string_view(line).substr(0, line.find("; Path")));
    check(back.content() == cookie_search::outcome::found && back.value() == text, "what is written is read back");
  } catch (std::invalid_argument const&) {
    check(!text.empty(), "an empty value can be written");
  }
  return 0;
}
