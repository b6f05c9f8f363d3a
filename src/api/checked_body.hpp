#pragma once

#include "svc/core/result.hpp"
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

// Reads bodies that the contract's schema has accepted. The schema alone decides what a body may be.

/// RFC 7396: members of `patch` replace those of `target`, objects are merged, null removes.
boost::json::object merge_patch(boost::json::object target, boost::json::object const& patch);

/// What a merge patch makes of `now`, if the contract's schema `schema` allows it. `validation_failed` otherwise.
result<boost::json::object> patched(http::body_validator& contract, std::string_view schema, boost::json::object now,
                                    boost::json::object const& patch);

/// The member; `nullptr` when it is null or absent, which mean the same.
boost::json::value const* given(boost::json::object const& object, std::string_view name);

std::optional<std::string> text_in(boost::json::object const& object, std::string_view name);
std::optional<std::int64_t> number_in(boost::json::object const& object, std::string_view name);
bool flag_in(boost::json::object const& object, std::string_view name, bool otherwise);
/// Ids of the list `name`: texts, or objects with a member `id`. None when it is absent.
std::vector<uuid> ids_in(boost::json::object const& object, std::string_view name);

/// `validation_failed` with all faults, or success.
result<> verdict(std::vector<field_error> wrong);

}  // namespace svc::api
