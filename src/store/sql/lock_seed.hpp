#pragma once

#include "store/sql/sql_text.hpp"

namespace svc::store {

/// The seed of the hash that makes a key of an advisory lock from a name in which a tenant chose a part. Names that
/// consist of a word and an id need none, because tenants choose no ids. Evaluated once for each statement, when it
/// is first needed.
inline constexpr auto lock_seed =
    sql("(SELECT CASE WHEN statement_timestamp() < since THEN 0 ELSE seed END FROM lock_seed)");

}  // namespace svc::store
