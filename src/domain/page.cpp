#include "svc/domain/page.hpp"
#include "svc/core/numbers.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/utf8.hpp"

namespace svc {
namespace {

// Inside the base64url: the id, the order, a bar, then `t` and microseconds, or `n` and text.
constexpr std::size_t id_size = 36;

std::optional<timestamp> read_micros(std::string_view text) {
  auto const micros = parse_number<std::int64_t>(text);
  // No row has a year beyond 9999.
  constexpr std::int64_t most = 253'402'300'800'000'000;
  if (!micros || *micros < 0 || *micros >= most) return std::nullopt;
  return timestamp{*micros};
}

}  // namespace

std::string write_cursor(std::string_view order, page_key const& key) {
  std::string plain = key.id.to_string();
  plain.append(order).append("|");
  plain += key.time ? "t" + std::to_string(key.time->micros) : "n" + key.text.value_or("");
  return to_base64url(as_bytes(plain));
}

std::optional<page_key> read_cursor(std::string_view order, std::string_view cursor) {
  auto const bytes = from_base64url(cursor);
  if (!bytes) return std::nullopt;
  auto rest = as_text(*bytes);
  auto const id = uuid::parse(rest.substr(0, id_size));
  if (!id) return std::nullopt;
  rest.remove_prefix(id_size);
  if (!rest.starts_with(order)) return std::nullopt;
  rest.remove_prefix(order.size());
  if (rest.size() < 2 || rest[0] != '|') return std::nullopt;
  auto const value = rest.substr(2);
  page_key key{.id = *id};
  if (rest[1] == 't') {
    key.time = read_micros(value);
    return key.time ? std::optional(key) : std::nullopt;
  }
  // Only what PostgreSQL accepts as text: a made-up cursor is refused here instead of failing a statement.
  bool const storable = is_utf8(value) && value.find('\0') == value.npos;
  if (rest[1] != 'n' || value.empty() || !storable) return std::nullopt;
  key.text = std::string(value);
  return key;
}

}  // namespace svc
