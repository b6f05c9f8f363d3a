// Two bytes choose a cut, the rest is what a client sends: the verdict does not depend on the cut, and a head that
// passes meets the requirements of RFC 9112.
#include "check.hpp"
#include "svc/http/framing_guard.hpp"

#include <cstdint>

using namespace svc::http;

namespace {

bool same_verdict(framing_guard const& a, framing_guard const& b, verdict verdict) {
  if (verdict == verdict::need_more) return true;
  if (verdict == verdict::refused) {
    return a.refusal().code == b.refusal().code && a.refusal().message == b.refusal().message;
  }
  return a.head().begin == b.head().begin && a.head().size == b.head().size && a.head().framing == b.head().framing &&
         a.head().content_length == b.head().content_length && a.head().keep_alive == b.head().keep_alive &&
         a.head().expect_continue == b.head().expect_continue && a.head().upgrade == b.head().upgrade;
}

void check_head(framing_guard const& guard, std::string_view bytes) {
  auto const& head = guard.head();
  check(head.size <= bytes.size() && head.size <= framing_guard::max_head, "head within its bounds");
  check(bytes.substr(0, head.size).ends_with("\r\n\r\n"), "head ends with an empty line");
  request out;
  guard.fill(out, bytes);
  check(out.fields.size() <= framing_guard::max_fields, "at most 100 fields");
  check(out.method.data() == bytes.data() + head.begin, "method at the beginning");
  check(!out.target.empty() && out.target.size() <= framing_guard::max_target, "target within its bounds");
  auto const hosts = out.count("Host"), lengths = out.count("Content-Length"),
             codings = out.count("Transfer-Encoding");
  check(hosts == 1 || (hosts == 0 && head.version_minor == 0), "one host");
  check(lengths + codings <= 1, "one kind of framing");
  check((head.framing == body_framing::chunked) == (codings == 1), "chunked only by its field");
  check((head.framing == body_framing::content_length) == (lengths == 1), "length only by its field");
  check(codings == 0 || head.version_minor == 1, "no coding on HTTP/1.0");
  for (auto const& f : out.fields) {
    check(!f.name.empty() && f.name.find_first_of(" \t\r\n:") == std::string_view::npos, "names are tokens");
    check(f.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos, "values hold no control");
    check(f.value.empty() || (f.value.front() != ' ' && f.value.back() != ' '), "values are trimmed");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  auto const bytes = text_of(data + 2, size - 2);
  auto const cut = (std::size_t{data[0]} * 256 + data[1]) % (bytes.size() + 1);

  framing_guard whole;
  auto const verdict = whole.feed(bytes);
  framing_guard split;
  split.feed(bytes.substr(0, cut));
  check(split.feed(bytes) == verdict, "split and whole agree");
  check(same_verdict(whole, split, verdict), "split and whole say the same");

  framing_guard again;
  again.feed(
      "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nExpect: "
      "100-continue\r\n\r\n");
  again.reset();
  check(again.feed(bytes) == verdict && same_verdict(whole, again, verdict), "reset forgets");

  if (verdict == verdict::complete) check_head(whole, bytes);
  check(verdict != verdict::need_more || bytes.size() < framing_guard::max_head, "a full head is decided");
  return 0;
}
