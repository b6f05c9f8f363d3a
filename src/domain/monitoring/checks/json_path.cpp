#include "svc/domain/monitoring/checks/json_path.hpp"

#include "svc/core/numbers.hpp"
#include "svc/core/utf8.hpp"

#include <optional>
#include <utility>

namespace svc::checks {

namespace json = boost::json;

namespace {

// RFC 9535 2.1: indexes are within the integers that a double holds exactly.
constexpr std::int64_t largest_index = (std::int64_t{1} << 53) - 1;

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// UTF-8 of a scalar value.
void append_utf8(std::string& out, unsigned c) {
  auto const tail = [&](unsigned shift) { out += static_cast<char>(0x80U | ((c >> shift) & 0x3FU)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0U | (c >> 6U));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0U | (c >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (c >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

unsigned hex_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

}  // namespace

/// Reads one path, and lives only for that. Functions that read return whether they could; the first fault stays.
class json_path_parser {
 public:
  explicit json_path_parser(std::string_view text) : text_(text) {}

  result<json_path> parse() {
    json_path out;
    if (!accept('$')) fail("must begin with $");
    while (wrong_.empty() && offset_ < text_.size()) {
      // RFC 9535 2.1.1: white space may stand between segments, but not at the end.
      skip_space();
      if (out.steps_.size() == json_path::most_steps) {
        fail("must have at most " + std::to_string(json_path::most_steps) + " steps");
      } else if (auto step = read_step()) {
        out.steps_.push_back(std::move(*step));
      }
    }
    if (wrong_.empty()) return out;
    return error(errc::validation_failed, std::move(wrong_));
  }

 private:
  using step = json_path::step;

  std::optional<step> read_step() {
    if (accept('.')) return read_dotted();
    if (accept('[')) return read_bracket();
    return fail("must go on with . or [");
  }

  std::optional<step> read_dotted() {
    if (peek() == '.') return fail("must not have .., which is not supported: name each step");
    if (accept('*')) return json_path::any{};
    if (!begins_name(peek())) return fail("must have a name or * after . (other names: ['name'])");
    auto const first = offset_;
    while (begins_name(peek()) || is_digit(peek())) ++offset_;
    auto const name = text_.substr(first, offset_ - first);
    if (!is_utf8(name)) return fail("must be UTF-8");
    return std::string(name);
  }

  std::optional<step> read_bracket() {
    skip_space();
    auto out = read_selector();
    if (!out) return out;
    skip_space();
    if (peek() == ':') return fail("must not have slices, which are not supported: use one index or *");
    if (peek() == ',') return fail("must have one selector in a bracket: several are not supported");
    if (!accept(']')) return fail("must have ] after the selector");
    return out;
  }

  std::optional<step> read_selector() {
    char const c = peek();
    if (c == '\'' || c == '"') return read_quoted();
    if (accept('*')) return json_path::any{};
    if (c == '?') return fail("must not have filters, which are not supported: use the comparison of the assertion");
    if (c == ':') return fail("must not have slices, which are not supported: use one index or *");
    return read_index();
  }

  std::optional<step> read_index() {
    auto const first = offset_;
    accept('-');
    auto const digits = offset_;
    while (is_digit(peek())) ++offset_;
    auto const number = parse_number<std::int64_t>(text_.substr(first, offset_ - first));
    bool const plain = offset_ == digits + 1 || (offset_ > digits && text_[digits] != '0');
    bool const minus_zero = digits > first && number == 0;
    if (!plain || minus_zero || !number || *number > largest_index || *number < -largest_index) {
      return fail("must have 'name', an index or * in brackets");
    }
    return *number;
  }

  std::optional<step> read_quoted() {
    char const quote = text_[offset_++];
    std::string out;
    for (;;) {
      auto const size = utf8_sequence(text_.substr(offset_));
      if (size == 0) return fail(offset_ < text_.size() ? "must be UTF-8" : "must have the closing quote of a name");
      auto const c = text_.substr(offset_, size);
      if (static_cast<unsigned char>(c[0]) < 0x20) return fail("must spell control characters as \\u00XX");
      offset_ += size;
      if (c[0] == quote) return out;
      if (c[0] != '\\') {
        out += c;
      } else if (!read_escape(quote, out)) {
        return fail("must not have such an escape in a name");
      }
    }
  }

  bool read_escape(char quote, std::string& out) {
    constexpr std::string_view names = R"(bfnrt/\)", meant = "\b\f\n\r\t/\\";
    char const c = peek();
    if (offset_ == text_.size()) return false;
    ++offset_;
    if (c == quote) {
      out += c;
      return true;
    }
    if (c == 'u') return read_code_point(out);
    auto const which = names.find(c);
    if (which == std::string_view::npos) return false;
    out += meant[which];
    return true;
  }

  bool read_code_point(std::string& out) {
    auto const first = read_hex();
    if (!first || (*first >= 0xDC00 && *first < 0xE000)) return false;
    if (*first < 0xD800 || *first >= 0xE000) {
      append_utf8(out, *first);
      return true;
    }
    if (!accept('\\') || !accept('u')) return false;
    auto const second = read_hex();
    if (!second || *second < 0xDC00 || *second >= 0xE000) return false;
    append_utf8(out, 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00));
    return true;
  }

  std::optional<unsigned> read_hex() {
    unsigned out = 0;
    for (int i = 0; i < 4; ++i) {
      auto const digit = hex_value(peek());
      if (digit > 15) return std::nullopt;
      out = out * 16 + digit;
      ++offset_;
    }
    return out;
  }

  /// 0 at the end.
  char peek() const { return offset_ < text_.size() ? text_[offset_] : '\0'; }
  bool accept(char c) {
    if (offset_ == text_.size() || text_[offset_] != c) return false;
    ++offset_;
    return true;
  }
  void skip_space() {
    while (offset_ < text_.size() && std::string_view(" \t\n\r").find(text_[offset_]) != std::string_view::npos)
      ++offset_;
  }
  std::nullopt_t fail(std::string reason) {
    if (wrong_.empty()) wrong_ = std::move(reason) + ", at character " + std::to_string(offset_ + 1);
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t offset_ = 0;
  std::string wrong_{};
};

result<json_path> json_path::parse(std::string_view text) {
  if (text.size() > longest_text) {
    return error(errc::validation_failed, "must have at most " + std::to_string(longest_text) + " bytes");
  }
  return json_path_parser(text).parse();
}

namespace {

using nodes_ptr = std::vector<json::value const*>;

void add_member(json::value const& value, std::string const& name, nodes_ptr& nodes) {
  if (auto const* object = value.if_object()) {
    if (auto const* found = object->if_contains(name)) nodes.push_back(found);
  }
}

void add_element(json::value const& value, std::int64_t index, nodes_ptr& nodes) {
  auto const* array = value.if_array();
  if (array == nullptr) return;
  auto const size = static_cast<std::int64_t>(array->size());
  auto const position = index < 0 ? size + index : index;
  if (position >= 0 && position < size) nodes.push_back(&(*array)[static_cast<std::size_t>(position)]);
}

void add_children(json::value const& value, nodes_ptr& nodes) {
  if (auto const* object = value.if_object()) {
    for (auto const& member : *object) {
      if (nodes.size() > json_path::most_nodes) return;
      nodes.push_back(&member.value());
    }
  } else if (auto const* array = value.if_array()) {
    for (auto const& element : *array) {
      if (nodes.size() > json_path::most_nodes) return;
      nodes.push_back(&element);
    }
  }
}

}  // namespace

json_path::selection json_path::select(json::value const& root) const {
  selection out{.nodes = {&root}};
  for (auto const& step : steps_) {
    nodes_ptr next;
    for (auto const* node : out.nodes) {
      if (auto const* name = std::get_if<std::string>(&step)) {
        add_member(*node, *name, next);
      } else if (auto const* index = std::get_if<std::int64_t>(&step)) {
        add_element(*node, *index, next);
      } else {
        add_children(*node, next);
      }
      if (next.size() > most_nodes) return {.too_many = true};
    }
    out.nodes = std::move(next);
  }
  return out;
}

}  // namespace svc::checks
