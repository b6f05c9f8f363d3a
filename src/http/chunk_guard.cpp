#include "svc/http/chunk_guard.hpp"

#include "http/chars.hpp"

#include <algorithm>

namespace svc::http {

/// The role of the next byte of a chunked body.
enum class chunk_guard::state : std::uint8_t {
  size,         ///< hexadecimal digits; then ";" or CR
  name_start,   ///< first byte of an extension name, after ";"
  name,         ///< rest of the name; then "=", ";" or CR
  value_start,  ///< a token or a quoted string
  value,        ///< a token; then ";" or CR
  quoted,       ///< inside a quoted string
  quoted_pair,  ///< after a backslash inside a quoted string
  value_end,    ///< after the closing quote: ";" or CR
  line_lf,      ///< the LF of a chunk line
  data,         ///< `size_` bytes
  data_cr,      ///< the CR after the data
  data_lf,      ///< the LF after the data
  last_cr,      ///< the CR after the last chunk's line; a trailer field would start here
  last_lf,      ///< the LF after the last CR
};

chunk_guard::outcome chunk_guard::feed(std::string_view bytes) {
  std::size_t offset = 0;
  while (offset < bytes.size() && verdict_ == verdict::need_more) {
    if (state_ == state::data) {
      auto const run = static_cast<std::size_t>(std::min<std::uint64_t>(size_, bytes.size() - offset));
      offset += run;
      size_ -= run;
      if (size_ == 0) state_ = state::data_cr;
      continue;
    }
    step(bytes[offset]);
    if (verdict_ != verdict::refused) ++offset;
  }
  return {verdict_, offset};
}

void chunk_guard::step(char c) {
  if (state_ < state::line_lf && c != '\r' && ++line_ > max_line) {
    return refuse(errc::malformed_request, "A chunk line is longer than 256 bytes.");
  }
  if (state_ == state::size) return on_size(c);
  if (state_ < state::line_lf) return on_extension(c);
  if (state_ == state::line_lf) return on_line_end(c);
  on_chunk_end(c);
}

void chunk_guard::on_size(char c) {
  if (int const value = chars::hex_value(c); value >= 0) {
    if (++digits_ > max_size_digits) {
      return refuse(errc::malformed_request, "A chunk size has more than 16 digits.");
    }
    size_ = size_ * 16 + static_cast<unsigned>(value);
    return;
  }
  if (digits_ == 0) return refuse(errc::malformed_request, "A chunk must begin with its size in hexadecimal digits.");
  on_extension(c);
}

/// Accepts chunk-ext without the RFC's "bad white space", which no client sends and which parsers read differently.
void chunk_guard::on_extension(char c) {
  if (state_ != state::size && ++extensions_ > max_extensions) {
    return refuse(errc::malformed_request, "The chunk extensions of this body are longer than 4 KiB.");
  }
  bool const element_ended =
      state_ == state::size || state_ == state::name || state_ == state::value || state_ == state::value_end;
  bool const is_token = chars::is_kind(chars::token, c);
  if (element_ended && c == '\r') {
    state_ = state::line_lf;
  } else if (element_ended && c == ';') {
    state_ = state::name_start;
  } else if (is_token && (state_ == state::name_start || state_ == state::name)) {
    state_ = state::name;
  } else if (state_ == state::name && c == '=') {
    state_ = state::value_start;
  } else if (is_token && (state_ == state::value_start || state_ == state::value)) {
    state_ = state::value;
  } else if (state_ == state::value_start && c == '"') {
    state_ = state::quoted;
  } else if (state_ == state::quoted && c == '"') {
    state_ = state::value_end;
  } else if (state_ == state::quoted && c == '\\') {
    state_ = state::quoted_pair;
  } else if ((state_ == state::quoted && chars::is_kind(chars::quoted, c)) ||
             (state_ == state::quoted_pair && chars::is_kind(chars::escaped, c))) {
    state_ = state::quoted;
  } else {
    refuse(errc::malformed_request, "A chunk line must be a hexadecimal size and CR LF.");
  }
}

void chunk_guard::on_line_end(char c) {
  if (c != '\n') return refuse(errc::malformed_request, "CR must be followed by LF.");
  if (size_ > left_) return refuse(errc::body_too_large, {});
  left_ -= size_;
  state_ = size_ == 0 ? state::last_cr : state::data;
  digits_ = line_ = 0;
}

void chunk_guard::on_chunk_end(char c) {
  bool const is_cr = state_ == state::data_cr || state_ == state::last_cr;
  if (c != (is_cr ? '\r' : '\n')) {
    return refuse(errc::malformed_request, state_ == state::last_cr ? "Trailer fields are not accepted."
                                                                    : "A chunk's data must be followed by CR LF.");
  }
  switch (state_) {
    case state::data_cr:
      state_ = state::data_lf;
      return;
    case state::data_lf:
      state_ = state::size;
      return;
    case state::last_cr:
      state_ = state::last_lf;
      return;
    default:
      verdict_ = verdict::complete;
      return;
  }
}

void chunk_guard::refuse(errc code, std::string_view reason) {
  verdict_ = verdict::refused;
  refused_as_ = code;
  reason_ = reason;
}

}  // namespace svc::http
