#pragma once

#include "svc/core/result.hpp"
#include "svc/domain/test_case.hpp"

#include <boost/json.hpp>

#include <vector>

namespace svc::api {

/// The contract's `Test`.
boost::json::object test_json(test_case const& of, bool with_script);

/// A whole test as a client describes it, absent members by default. `validation_failed` with every fault.
result<test_settings> read_test(boost::json::object const& body);

/// The settings behind a merge patch.
result<test_settings> patch_test(test_case const& current, boost::json::object const& patch);

/// The contract's `TestTags`.
boost::json::object test_tags_json(test_case const& of);

/// The ids of `PutTestTags`. `validation_failed` with every fault, repeated ids (in whatever spelling) too.
result<std::vector<uuid>> read_test_tags(boost::json::object const& body);

}  // namespace svc::api
