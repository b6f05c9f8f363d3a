#pragma once

#include "svc/core/result.hpp"

#include <boost/json/object.hpp>

#include <string_view>
#include <vector>

namespace svc::api {

/// The config by the rules of its type, defaults filled in; adds faults with pointers `/config/...`.
boost::json::object read_provider_config(std::string_view type, boost::json::object const& config,
                                         std::vector<field_error>& wrong);

}  // namespace svc::api
