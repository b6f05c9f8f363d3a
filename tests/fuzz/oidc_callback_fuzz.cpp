// The first line is the target of a callback, the rest the plain text of a flow cookie. A flow reads back as itself,
// and a code is accepted only with the flow's state.
#include "check.hpp"
#include "sign_in/oidc/authorization.hpp"
#include "svc/http/target.hpp"
#include "svc/sign_in/browser_input.hpp"

#include <cstdint>
#include <string>

using namespace svc;
using namespace svc::sign_in;

namespace {

oidc_provider const provider{.id = "corp", .issuer = "https://id.example.com", .client_id = "client"};
oidc_settings const settings{.public_url = "https://svc.example.com"};

void check_flow(std::string_view text) {
  auto const flow = read_flow(text);
  if (!flow) return;
  check(is_return_path(flow->return_to), "a path of our pages");
  auto const written = write_flow(*flow);
  auto const again = read_flow(written.reveal());
  check(again && write_flow(*again).reveal() == written.reveal(), "a flow reads back");
  auto const url =
      authorization_url({.authorization_endpoint = "https://id.example.com/a"}, settings, provider, *flow);
  check(url.find_first_of(" \"<>\\\r\n") == std::string::npos, "one URL for Location");
}

void check_callback(std::string_view target) {
  oidc_flow flow{.provider = "corp", .state = std::string(43, 'A'), .started_at = 1'795'000'000};
  auto const parsed = http::parse_target(target, "svc.example.com", "GET");
  if (!parsed) return;
  auto const code = read_callback(parsed->query, flow, provider, false, 1'795'000'001);
  if (!code) return check(!code.error().message.empty(), "a refusal has a sentence");
  check(target.find("A") != std::string_view::npos || target.find("%41") != std::string_view::npos, "with the state");
  check(!code->code.reveal().empty() && code->code.reveal().size() <= 4096, "a short code");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  auto const end = std::min(text.find('\n'), text.size());
  check_callback(text.substr(0, end));
  check_flow(text.substr(std::min(end + 1, text.size())));
  return 0;
}
