#pragma once

#include <boost/json/object.hpp>

namespace svc::api {

/// RFC 7396: members of `patch` replace those of `target`, objects are merged, null removes.
boost::json::object merge_patch(boost::json::object target, boost::json::object const& patch);

}  // namespace svc::api
