// Bodies of POSTs to a subscription's link.
#include "svc/domain/pages/inputs.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc::pages;

TEST_CASE("a button and one click of a mail program name an action, and nothing else does") {
  using enum subscription_action;
  std::string const part = "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\n";
  struct {
    std::string body;
    std::optional<subscription_action> action;
  } const table[] = {
      {"action=confirm", confirm},
      {"action=refuse", refuse},
      {"action=stop", stop},
      {"x=1&action=stop", stop},
      {"List-Unsubscribe=One-Click", stop},
      {"List%2DUnsubscribe=One%2DClick", stop},
      {part + "One-Click\r\n--b--\r\n", stop},
      {"", std::nullopt},
      {"action=", std::nullopt},
      {"action=Confirm", std::nullopt},
      {"action=confirm%00", std::nullopt},
      {"faction=confirm", std::nullopt},
      {"List-Unsubscribe=yes", std::nullopt},
      {"list-unsubscribe=One-Click", std::nullopt},
      {part, std::nullopt},
      {part + "Never\r\n--b\r\n\r\nOne-Click\r\n--b--\r\n", std::nullopt},
      {part + "One-Click", std::nullopt},
  };
  for (auto const& row : table) {
    CAPTURE(row.body);
    CHECK(read_subscription_action(row.body) == row.action);
  }
}
