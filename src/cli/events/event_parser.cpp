#include "cli/events/event_parser.hpp"

#include "svc/core/numbers.hpp"

namespace svc::cli {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

bool event_parser::feed(std::string_view bytes, std::function<void(event&&)> const& take) {
  while (!bytes.empty()) {
    // The line feed of a CRLF may be in the next piece.
    if (after_return_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_return_ = false;
    auto const end = bytes.find_first_of("\r\n");
    auto const piece = bytes.substr(0, end);
    if (rest_.size() + piece.size() > longest) return false;
    if (end == std::string_view::npos) {
      rest_.append(piece);
      return true;
    }
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (!rest_.empty()) rest_.append(piece);
    bool const fits = line(rest_.empty() ? piece : std::string_view(rest_), take);
    rest_.clear();
    if (!fits) return false;
  }
  return true;
}

bool event_parser::line(std::string_view text, std::function<void(event&&)> const& take) {
  if (!begun_ && text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  begun_ = true;
  if (text.empty()) {
    if (has_data_) {
      data_.pop_back();
      take({id_, type_.empty() ? "message" : type_, std::move(data_)});
    }
    type_.clear();
    data_.clear();
    has_data_ = false;
    return true;
  }
  auto const colon = text.find(':');
  auto const name = text.substr(0, colon);
  auto value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data") {
    if (data_.size() + value.size() > longest) return false;
    data_.append(value).append("\n");
    has_data_ = true;
  } else if (name == "event") {
    type_ = value;
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    id_ = value;
  } else if (name == "retry") {
    if (auto const notified = parse_number<std::uint32_t>(value)) retry_ = std::chrono::milliseconds(*notified);
  }
  return true;
}

}  // namespace svc::cli
