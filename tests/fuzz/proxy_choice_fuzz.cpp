// Any address, NO_PROXY and proxy, a line each: an address that is one reads back, the choice is that proxy or none,
// and what is said of a proxy has no credentials.
#include "check.hpp"
#include "cli/http/proxy.hpp"

#include <cstdint>

using namespace svc::cli;

namespace {

std::string_view next_line(std::string_view& text) {
  auto const line = text.substr(0, text.find('\n'));
  text.remove_prefix(line.size() + (line.size() < text.size() ? 1 : 0));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto text = text_of(data, size);
  std::string reason;
  auto const url = base_url::parse(next_line(text), reason);
  check(url.has_value() == reason.empty(), "an address, or a reason");
  proxy_settings settings;
  settings.no_proxy = next_line(text);
  settings.https = settings.http = text;
  if (auto const proxy = proxy_address::parse(text))
    check(proxy->text().find('@') == std::string::npos, "no user info");
  if (!url) return 0;
  auto const again = base_url::parse(url->text, reason);
  check(again && again->text == url->text && again->host == url->host && again->port == url->port, "reads back");
  auto const chosen = proxy_for(*url, settings);
  check(chosen.empty() || chosen == text, "that proxy or none");
  settings.no_proxy = "*";
  check(proxy_for(*url, settings).empty(), "* is everybody");
  return 0;
}
