// The first byte chooses source and comparison, the second the other expectations. Lines follow: property, expected
// text, status codes, keyword; the rest is the body. Any input is a valid configuration or not. A valid one judges
// the body in bounded details without its secret.
#include "check.hpp"
#include "svc/core/utf8.hpp"
#include "svc/domain/monitoring/checks/http_check.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

using namespace svc;

namespace {

constexpr std::string_view secret = "hunter2hunter2";

std::string_view take_line(std::string_view& rest) {
  auto const line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  return line;
}

checks::expected_value value_of(std::string_view text, unsigned form) {
  if (form == 0) return std::string(text);
  if (form == 1) return static_cast<std::int64_t>(text.size());
  if (form == 2) return text.size() % 2 == 0;
  return {};
}

bool is_plain(std::string_view text) {
  return is_utf8(text) && std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  auto rest = text_of(data + 2, size - 2);
  checks::http_expectations set;
  checks::assertion_settings settings{.source = static_cast<checks::source>(data[0] % 8),
                                      .property = std::string(take_line(rest)),
                                      .comparison = static_cast<checks::comparison>(data[0] / 8 % 12),
                                      .expected = value_of(take_line(rest), data[1] % 4U),
                                      .soft = (data[1] & 4U) != 0};
  set.capture = (data[1] & 8U) != 0;
  set.keyword_present = (data[1] & 16U) != 0;
  if ((data[1] & 64U) != 0) set.json = {settings.property, settings.expected};
  set.assertions = {settings};
  set.expected_status_codes = take_line(rest);
  auto const keyword = take_line(rest);
  if (!keyword.empty()) set.keyword = keyword;
  auto const assertions = checks::http_assertions::make(set);
  if (!assertions) {
    check(!assertions.error().details.empty(), "a refusal says where");
    return 0;
  }
  auto const secrets = std::make_shared<secret_patterns const>(std::vector{secret_string(secret)});
  std::string body(rest);
  if ((data[1] & 32U) != 0) body += secret;
  checks::answer answer;
  answer.status = 200;
  answer.headers = {{"A", body}, {"B", std::string(secret)}, {"A", "1"}};
  answer.body = body;
  auto const evaluated = assertions->evaluate(answer, secrets);
  auto const text = checks::details_json(evaluated);
  check(text.size() <= checks::longest_details, "bounded");
  check(is_utf8(text), "UTF-8");
  if (evaluated.known.error) check(is_plain(evaluated.known.error->message), "a message is text of one line");
  // A secret that the configuration names is not hidden from its authors.
  bool const named = settings.property.find(secret) != std::string::npos;
  check(named || text.find(secret) == std::string::npos, "no secret");
  check(evaluated.known.error.has_value() == (evaluated.ended != checks::status::up), "a failure says why");
  check(!evaluated.degraded || evaluated.ended == checks::status::up, "only what is up is degraded");
  return 0;
}
