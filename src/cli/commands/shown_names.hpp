#pragma once

#include "cli/commands/context.hpp"
#include "cli/commands/resource.hpp"

#include <boost/json/value.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>

namespace svc::cli {

using names_by_id = std::map<std::string, std::string, std::less<>>;

/// Returns the names of the ids, as far as the first 1000 objects of the resource's list have them. A list that the
/// caller may not read has no names.
names_by_id names_of(context& cx, resource const& r, std::set<std::string, std::less<>> wanted);

/// Puts names in place of the ids in an array. Ids without a known name stay, and any other value stays as it is.
void name_ids(context& cx, resource const& r, boost::json::value* ids);

}  // namespace svc::cli
