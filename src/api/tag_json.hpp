#pragma once

#include "svc/core/result.hpp"
#include "svc/domain/test_case.hpp"
#include "svc/http/contract.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// The contract's `Tag`.
boost::json::object tag_json(tag const& of);

/// The contract's `CreateTag`, which the contract has checked.
tag_settings read_tag(boost::json::object const& body);

/// The settings after a merge patch. `validation_failed` when they are no `CreateTag`.
result<tag_settings> patch_tag(http::body_validator& contract, tag const& current, boost::json::object const& patch);

}  // namespace svc::api
