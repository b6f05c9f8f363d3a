// Any bytes are a password with a verdict, and known words of any bytes never make a password better.
#include "check.hpp"
#include "svc/core/utf8.hpp"
#include "svc/sign_in/password_policy.hpp"

#include <cstdint>
#include <string>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using verdict = sign_in::password_verdict;
  auto const text = text_of(data, size);
  auto const cut = std::min(text.find('\n'), text.size());
  auto const password = text.substr(0, cut), word = text.substr(std::min(cut + 1, text.size()));
  sign_in::password_rules const rules{.min_length = 8 + size % 57};
  auto const alone = sign_in::judge_password(password, rules, {});
  auto const known = sign_in::judge_password(password, rules, {word, "Ada Lovelace"});
  check(alone != verdict::personal && alone != verdict::denied, "nothing personal without known words");
  check(known == alone || known == verdict::personal, "known words only refuse");
  bool const fits = is_utf8(password) && code_points(password) >= rules.min_length && code_points(password) <= 256;
  check(fits || (alone != verdict::accepted && alone != verdict::common), "the length comes first");
  check(!fits || !sign_in::is_common_password(password) || alone == verdict::common, "a common password is refused");
  check(sign_in::refusal_reason(known, rules).empty() == (known == verdict::accepted), "a refusal has a sentence");
  return 0;
}
