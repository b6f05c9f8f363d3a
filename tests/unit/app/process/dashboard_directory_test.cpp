#include "app/process/dashboard_directory.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc::app;

TEST_CASE("messages lead to the pages if there are any, unless the operator has set another link") {
  struct {
    char const* title;
    std::string link, public_url, directory;
    bool enabled;
    std::string expected;
  } const cases[] = {
      {"pages with a public address", "", "https://ci.example", "/srv/pages", true,
       "https://ci.example/app/go/{type}/{id}"},
      {"a public address with a port", "", "https://ci.example:8443", "/srv/pages", true,
       "https://ci.example:8443/app/go/{type}/{id}"},
      {"the operator's link", "https://wiki.example/{id}", "https://ci.example", "/srv/pages", true,
       "https://wiki.example/{id}"},
      {"no public address", "", "", "/srv/pages", true, ""},
      {"the dashboard is disabled", "", "https://ci.example", "/srv/pages", false, ""},
      {"the operator's link without pages", "https://wiki.example/{id}", "", "", false, "https://wiki.example/{id}"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.title);
    configuration config;
    config.notifications.link = c.link;
    config.public_url = c.public_url;
    config.dashboard.directory = c.directory;
    config.dashboard.enabled = c.enabled;
    CHECK(link_of_messages(config) == c.expected);
  }
}
