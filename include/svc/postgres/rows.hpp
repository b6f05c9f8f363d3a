#pragma once

#include "svc/core/bytes.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct pg_result;

namespace svc::postgres {

/// One row of a result, by column position; valid while its `rows` lives. Results are in binary format.
/// A wrong type or an unexpected NULL is a bug: it throws `std::logic_error`, which names the column.
class row {
 public:
  row(pg_result const* result, int index) : result_(result), index_(index) {}

  bool is_null(int column) const;
  std::string_view text(int column) const;  ///< text, varchar, name, enum, json, jsonb (without its version byte)
  std::int64_t integer(int column) const;   ///< int2, int4, int8
  bool boolean(int column) const;
  double real(int column) const;  ///< float4, float8
  uuid id(int column) const;
  timestamp time(int column) const;  ///< timestamptz
  byte_view bytes(int column) const;
  std::vector<uuid> ids(int column) const;               ///< uuid[]
  std::vector<std::string> texts(int column) const;      ///< text[]
  std::vector<std::int64_t> integers(int column) const;  ///< int8[]

  std::optional<std::string> maybe_text(int column) const;
  std::optional<std::int64_t> maybe_integer(int column) const;
  std::optional<uuid> maybe_id(int column) const;
  std::optional<timestamp> maybe_time(int column) const;

 private:
  pg_result const* result_;
  int index_;
};

/// The rows that one statement returned. Owns the libpq result.
class rows {
 public:
  rows() = default;
  explicit rows(pg_result* owned);

  int size() const;
  bool empty() const { return size() == 0; }
  row operator[](int index) const { return {result_.get(), index}; }
  row front() const { return {result_.get(), 0}; }
  /// Returns the number of rows that an INSERT, UPDATE or DELETE changed.
  std::int64_t affected() const;

 private:
  std::shared_ptr<pg_result> result_;
};

}  // namespace svc::postgres
