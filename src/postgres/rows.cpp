#include "svc/postgres/rows.hpp"
#include "svc/core/numbers.hpp"

#include "postgres/wire.hpp"
#include "svc/core/numbers.hpp"

#include <libpq-fe.h>

#include <stdexcept>

namespace svc::postgres {

namespace {

[[noreturn]] void complain(pg_result const* result, int column, std::string const& subject) {
  char const* name = result == nullptr ? nullptr : PQfname(result, column);
  throw std::logic_error("postgres: column " + std::to_string(column) +
                         (name == nullptr ? "" : " (" + std::string(name) + ")") + ": " + subject);
}

// libpq answers a position outside the result with a warning on stderr and a null pointer.
void check(pg_result const* result, int row, int column) {
  if (result == nullptr || row < 0 || row >= PQntuples(result)) complain(result, column, "no such row");
  if (column < 0 || column >= PQnfields(result)) complain(result, column, "no such column");
}

template <class Decode>
auto read(pg_result const* result, int row, int column, Decode decode) {
  check(result, row, column);
  if (PQgetisnull(result, row, column) != 0) complain(result, column, "NULL");
  if (PQfformat(result, column) != 1) complain(result, column, "not in binary format");
  auto const* bytes = reinterpret_cast<std::uint8_t const*>(PQgetvalue(result, row, column));
  auto const length = static_cast<std::size_t>(PQgetlength(result, row, column));
  try {
    return decode(cell{PQftype(result, column), {bytes, length}});
  } catch (std::logic_error const& e) {
    complain(result, column, e.what());
  }
}

}  // namespace

bool row::is_null(int column) const {
  check(result_, index_, column);
  return PQgetisnull(result_, index_, column) != 0;
}

std::string_view row::text(int column) const {
  return read(result_, index_, column, decode_text);
}
std::int64_t row::integer(int column) const {
  return read(result_, index_, column, decode_integer);
}
bool row::boolean(int column) const {
  return read(result_, index_, column, decode_boolean);
}
double row::real(int column) const {
  return read(result_, index_, column, decode_real);
}
uuid row::id(int column) const {
  return read(result_, index_, column, decode_uuid);
}
timestamp row::time(int column) const {
  return read(result_, index_, column, decode_time);
}
byte_view row::bytes(int column) const {
  return read(result_, index_, column, decode_bytes);
}
std::vector<uuid> row::ids(int column) const {
  return read(result_, index_, column, decode_uuids);
}
std::vector<std::string> row::texts(int column) const {
  return read(result_, index_, column, decode_texts);
}
std::vector<std::int64_t> row::integers(int column) const {
  return read(result_, index_, column, decode_integers);
}

std::optional<std::string> row::maybe_text(int column) const {
  if (is_null(column)) return std::nullopt;
  return std::string(text(column));
}
std::optional<std::int64_t> row::maybe_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}
std::optional<uuid> row::maybe_id(int column) const {
  if (is_null(column)) return std::nullopt;
  return id(column);
}
std::optional<timestamp> row::maybe_time(int column) const {
  if (is_null(column)) return std::nullopt;
  return time(column);
}

rows::rows(pg_result* owned) : result_(owned, &PQclear) {}

int rows::size() const {
  return result_ ? PQntuples(result_.get()) : 0;
}

std::int64_t rows::affected() const {
  if (!result_) return 0;
  // libpq gives an empty text for commands that have no row count.
  return parse_number<std::int64_t>(PQcmdTuples(result_.get())).value_or(0);
}

}  // namespace svc::postgres
