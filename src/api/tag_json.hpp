#pragma once

#include "svc/core/result.hpp"
#include "svc/domain/test_case.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// The contract's `Tag`.
boost::json::object tag_json(tag const& of);

/// A whole tag as a client describes it. `validation_failed` with every fault.
result<tag_settings> read_tag(boost::json::object const& body);

/// The settings behind a merge patch.
result<tag_settings> patch_tag(tag const& current, boost::json::object const& patch);

}  // namespace svc::api
