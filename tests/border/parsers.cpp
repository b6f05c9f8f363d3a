#include "border/parsers.hpp"

#include "svc/http/chunk_guard.hpp"
#include "svc/http/error_table.hpp"
#include "svc/http/framing_guard.hpp"
#include "svc/http/target.hpp"

#include <algorithm>

namespace svc::test {
namespace {

using http::body_framing;
using http::verdict;

constexpr std::uint64_t body_limit = 1 << 20;

std::string refusal(error const& failure) {
  return "refused " + std::to_string(http::row_of(failure.code).status);
}

/// The bytes of a connection; at first only those before `cut` have arrived.
struct connection {
  std::string_view bytes;
  std::size_t cut;
  std::size_t position = 0;  ///< where the next message begins

  std::string_view first() const { return bytes.substr(position, cut > position ? cut - position : 0); }
  std::string_view all() const { return bytes.substr(position); }

  /// Reads one message; "" when it is complete.
  std::string message() {
    http::framing_guard guard;
    guard.feed(first());
    auto const verdict = guard.feed(all());
    if (verdict == verdict::need_more) return "more";
    if (verdict == verdict::refused) return refusal(guard.refusal());
    http::request head;
    guard.fill(head, all());
    auto const target = http::parse_target(head.target, head.find("host").value_or(""), head.method);
    position += guard.head().size;
    auto const end = body(guard.head());
    if (!end.empty()) return end;
    return std::string(target ? "ok" : "target") + (guard.head().keep_alive ? "" : ",closed");
  }

  std::string body(http::head_summary const& head) {
    if (head.framing != body_framing::chunked) {
      if (head.content_length > all().size()) return "more";
      position += head.content_length;
      return {};
    }
    http::chunk_guard chunks(body_limit);
    position += chunks.feed(first()).passed;
    auto const second = chunks.feed(all());
    position += second.passed;
    if (second.verdict == verdict::refused) return refusal(chunks.refusal());
    return second.verdict == verdict::complete ? "" : "more";
  }
};

}  // namespace

std::string play_parsers(std::string_view bytes, std::size_t cut) {
  connection connection{bytes, cut};
  std::string out;
  while (connection.position < bytes.size()) {
    auto const subject = connection.message();
    out += (out.empty() ? "" : ",") + subject;
    if (subject != "ok" && subject != "target") break;
  }
  return out;
}

}  // namespace svc::test
