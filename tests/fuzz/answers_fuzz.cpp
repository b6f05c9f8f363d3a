// The head and body of any answer: what it asks a client to wait is bounded, what a client decides by it keeps the
// rules, and the failure that it becomes has one of the documented exit codes.
#include "check.hpp"
#include "cli/http/refusal.hpp"
#include "cli/http/retry.hpp"
#include "cli/http/transport.hpp"
#include "svc/core/ascii.hpp"

#include <cstdint>

using namespace svc::cli;

namespace {

/// Input: a status of two bytes, lines of fields, an empty line, a body.
answer answer_from(std::string_view text) {
  answer out;
  if (text.size() < 2) return out;
  out.status = 100 + (static_cast<unsigned char>(text[0]) * 256 + static_cast<unsigned char>(text[1])) % 500;
  text.remove_prefix(2);
  while (!text.empty()) {
    auto const line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + (line.size() < text.size() ? 1 : 0));
    if (line.empty()) break;
    auto const colon = line.find(':');
    if (colon != std::string_view::npos)
      out.fields.emplace_back(svc::lower_case(line.substr(0, colon)), line.substr(colon + 1));
  }
  out.body = text;
  return out;
}

void check_decisions(outcome const& o) {
  using std::chrono::milliseconds;
  request const get{.method = "GET", .target = "/"};
  for (double const fraction : {0.0, 0.999}) {
    for (auto const left : {std::optional<milliseconds>(), std::optional(milliseconds(7000))}) {
      retry_policy policy(get);
      auto const next = policy.after(o, left, fraction);
      if (next.step != next_step::wait) continue;
      check(!next.asked || next.wait >= *next.asked, "never earlier than asked");
      check(!left || next.wait < *left, "within the deadline");
      check(left || next.wait <= retry_policy::longest_wait * 6 / 5, "bounded without a deadline");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const a = answer_from(text_of(data, size));
  auto const o = outcome_of(a);
  for (auto const& wait : {o.retry_after, o.reset_after})
    check(!wait || (wait->count() >= 0 && wait->count() <= 1'000'000'000), "waits are bounded");
  check_decisions(o);
  auto const f = refusal_of(a);
  check(f.exit() == exit_code::refused || f.exit() == exit_code::not_allowed || f.exit() == exit_code::unreachable,
        "a documented exit code");
  check(!f.code().empty() && *f.what() != '\0', "a code and a sentence");
  base_url url;
  url.text = "https://ci.example.com";
  static_cast<void>(redirected(a, url));
  return 0;
}
