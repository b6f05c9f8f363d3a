#pragma once

#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/http/contract.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::api {

// These functions read bodies that the contract's schema has accepted. Only the schema decides which bodies are
// allowed.

/// Applies a merge patch of RFC 7396: members of `patch` replace those of `target`, objects are merged, null removes.
boost::json::object merge_patch(boost::json::object target, boost::json::object const& patch);

/// Applies a merge patch to `now`. Returns the result if the contract's schema `schema` allows it, otherwise
/// `validation_failed`.
result<boost::json::object> patched(http::body_validator& contract, std::string_view schema, boost::json::object now,
                                    boost::json::object const& patch);

/// Returns the member, or `nullptr` when it is null or absent, which mean the same.
boost::json::value const* given(boost::json::object const& object, std::string_view name);

std::optional<std::string> text_in(boost::json::object const& object, std::string_view name);
std::optional<std::int64_t> number_in(boost::json::object const& object, std::string_view name);
bool flag_in(boost::json::object const& object, std::string_view name, bool otherwise);
/// Returns a time. If the stored time has the same text, this returns the stored one, because the text of an answer
/// has no microseconds: a patch of other members must not move a stored time.
std::optional<timestamp> time_in(boost::json::object const& object, std::string_view name,
                                 std::optional<timestamp> stored = std::nullopt);
/// Returns the ids of the list `name`: texts, or objects with a member `id`. Returns no ids if the list is absent.
std::vector<uuid> ids_in(boost::json::object const& object, std::string_view name);

/// Adds a fault if the text, which people see in lists and messages, has a character that nobody can see. The text
/// `stored` (null: none) passes, because its row may be older than this rule and must still be editable.
void find_hidden(std::string_view pointer, std::string_view text, std::string const* stored,
                 std::vector<field_error>& wrong);

/// Returns `validation_failed` with all faults, or success.
result<> verdict(std::vector<field_error> wrong);

}  // namespace svc::api
