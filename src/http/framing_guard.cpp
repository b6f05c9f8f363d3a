// The scanner, which decides which bytes may follow each other. framing_fields.cpp interprets the fields.
#include "svc/http/framing_guard.hpp"

#include "http/chars.hpp"
#include "http/framing_state.hpp"
#include "svc/core/ascii.hpp"

#include <algorithm>

namespace svc::http {
namespace {

constexpr std::string_view version_pattern = "HTTP/d.d\r";

bool starts_with_scheme(std::string_view target) {
  return iequals(target.substr(0, 7), "http://") || iequals(target.substr(0, 8), "https://");
}

}  // namespace

verdict framing_guard::feed(std::string_view buffer) {
  auto const end = std::min(buffer.size(), max_head);
  while (verdict_ == verdict::need_more && offset_ < end) step(buffer, end);
  if (verdict_ == verdict::need_more && offset_ == max_head) {
    refuse(errc::head_too_large, "The request's head is larger than 16 KiB.");
  }
  return verdict_;
}

void framing_guard::reset() {
  // Everything but the field table, of which only field_count_ entries are valid: saves writing 800 bytes a request.
  offset_ = mark_ = field_count_ = 0;
  state_ = state{};
  verdict_ = verdict::need_more;
  head_ = {};
  host_ = length_ = close_ = persist_ = expect_ = upgrade_ = upgrade_option_ = coding_ = false;
  chunked_alone_ = codings_readable_ = false;
}

void framing_guard::fill(request& out, std::string_view buffer) const {
  out.method = method_.slice(buffer);
  out.target = target_.slice(buffer);
  out.version_minor = head_.version_minor;
  out.has_body = head_.has_body();
  out.fields.resize(field_count_);
  for (std::size_t i = 0; i < field_count_; ++i) {
    out.fields[i] = {fields_[i].name.slice(buffer), fields_[i].value.slice(buffer)};
  }
}

void framing_guard::refuse(errc code, std::string_view reason) {
  verdict_ = verdict::refused;
  refused_as_ = code;
  reason_ = reason;
}

framing_guard::span framing_guard::from_mark() const {
  return {static_cast<std::uint16_t>(mark_), static_cast<std::uint16_t>(offset_ - mark_)};
}

/// Looks at one byte or at a run of bytes of one kind; always moves on or refuses.
void framing_guard::step(std::string_view buffer, std::size_t end) {
  char const c = buffer[offset_];
  switch (state_) {
    case state::leading:
    case state::leading_lf:
    case state::start:
      return on_start(c);
    case state::method:
      return on_method(buffer, end);
    case state::target:
      return on_target(buffer, end);
    case state::version:
      return on_version(c);
    case state::request_line_lf:
      return on_request_line_end(buffer, c);
    case state::line_start:
      return on_line_start(c);
    case state::name:
      return on_name(buffer, end);
    case state::value_start:
      return on_value_start(c);
    case state::value:
      return on_value(buffer, end);
    case state::field_lf:
      return on_field_end(buffer, c);
    case state::head_lf:
      return on_head_end(buffer, c);
  }
}

/// RFC 9112 2.2: one empty line in front is tolerated, for clients that end a body with one too many.
void framing_guard::on_start(char c) {
  if (state_ == state::leading && c == '\r') {
    state_ = state::leading_lf;
  } else if (state_ == state::leading_lf && c == '\n') {
    state_ = state::start;
    head_.begin = offset_ + 1;
  } else if (state_ != state::leading_lf && chars::is_kind(chars::token, c)) {
    mark_ = offset_;
    state_ = state::method;
  } else {
    return refuse(errc::malformed_request, "The request must begin with a method.");
  }
  ++offset_;
}

void framing_guard::on_method(std::string_view buffer, std::size_t end) {
  auto const stop = std::min(end, mark_ + max_method + 1);
  while (offset_ < stop && chars::is_kind(chars::token, buffer[offset_])) ++offset_;
  if (offset_ - mark_ > max_method)
    return refuse(errc::malformed_request, "The method is longer than 32 characters.");
  if (offset_ == end) return;
  if (buffer[offset_] != ' ') {
    return refuse(errc::malformed_request, "The method must be a token followed by a single space.");
  }
  method_ = from_mark();
  mark_ = ++offset_;
  state_ = state::target;
}

void framing_guard::on_target(std::string_view buffer, std::size_t end) {
  auto const stop = std::min(end, mark_ + max_target + 1);
  while (offset_ < stop && chars::is_kind(chars::visible, buffer[offset_])) ++offset_;
  if (offset_ - mark_ > max_target) return refuse(errc::target_too_long, "The request target is longer than 8 KiB.");
  if (offset_ == end) return;
  if (buffer[offset_] != ' ' || offset_ == mark_) {
    return refuse(errc::malformed_request,
                  "The request target must be visible ASCII between single spaces; percent-encode other bytes.");
  }
  target_ = from_mark();
  mark_ = ++offset_;
  state_ = state::version;
}

void framing_guard::on_version(char c) {
  auto const i = offset_ - mark_;
  char const expected = version_pattern[i];
  if (expected == 'd' ? !chars::is_kind(chars::digit, c) : c != expected) {
    return refuse(errc::malformed_request, "The request line must end with HTTP/1.1 and CR LF.");
  }
  if (expected == 'd') version_[i == 5 ? 0 : 1] = c;
  ++offset_;
  if (i + 1 == version_pattern.size()) state_ = state::request_line_lf;
}

void framing_guard::on_request_line_end(std::string_view buffer, char c) {
  if (c != '\n') return refuse(errc::malformed_request, "CR must be followed by LF.");
  if (version_[0] != '1' || version_[1] > '1') {
    return refuse(errc::version_not_supported, "Use HTTP/1.1.");
  }
  head_.version_minor = version_[1] - '0';
  auto const method = method_.slice(buffer);
  auto const target = target_.slice(buffer);
  // Before the target's form: CONNECT has one of its own.
  if (method == "CONNECT") return refuse(errc::not_implemented, "This server is no proxy: CONNECT is not served.");
  bool const known_form =
      target.front() == '/' || (target == "*" && method == "OPTIONS") || starts_with_scheme(target);
  if (!known_form) return refuse(errc::malformed_request, "The request target must begin with a slash.");
  ++offset_;
  state_ = state::line_start;
}

void framing_guard::on_line_start(char c) {
  if (c == '\r') {
    state_ = state::head_lf;
    ++offset_;
    return;
  }
  if (c == ' ' || c == '\t') {
    return refuse(errc::malformed_request,
                  "A header line must not begin with white space (line folding is obsolete).");
  }
  if (field_count_ == max_fields) return refuse(errc::head_too_large, "The request has more than 100 header fields.");
  mark_ = offset_;
  state_ = state::name;
}

void framing_guard::on_name(std::string_view buffer, std::size_t end) {
  while (offset_ < end && chars::is_kind(chars::token, buffer[offset_])) ++offset_;
  if (offset_ == end) return;
  if (buffer[offset_] != ':' || offset_ == mark_) {
    return refuse(errc::malformed_request,
                  "A header line must be a name, directly followed by a colon, and a value.");
  }
  fields_[field_count_].name = from_mark();
  ++offset_;
  state_ = state::value_start;
}

void framing_guard::on_value_start(char c) {
  if (c == ' ' || c == '\t') {
    ++offset_;
    return;
  }
  mark_ = offset_;
  state_ = state::value;
}

void framing_guard::on_value(std::string_view buffer, std::size_t end) {
  while (offset_ < end && chars::is_kind(chars::field, buffer[offset_])) ++offset_;
  if (offset_ == end) return;
  if (buffer[offset_] != '\r') {
    return refuse(errc::malformed_request, "A header value must not hold control characters, and ends with CR LF.");
  }
  auto const size = trim(from_mark().slice(buffer)).size();  // begins with a visible character, or is empty
  fields_[field_count_].value = {static_cast<std::uint16_t>(mark_), static_cast<std::uint16_t>(size)};
  ++offset_;
  state_ = state::field_lf;
}

void framing_guard::on_field_end(std::string_view buffer, char c) {
  if (c != '\n') return refuse(errc::malformed_request, "CR must be followed by LF.");
  auto const& f = fields_[field_count_++];
  note_field(f.name.slice(buffer), f.value.slice(buffer));
  ++offset_;
  state_ = state::line_start;
}

void framing_guard::on_head_end(std::string_view, char c) {
  if (c != '\n') return refuse(errc::malformed_request, "CR must be followed by LF.");
  head_.size = ++offset_;
  conclude();
}

}  // namespace svc::http
