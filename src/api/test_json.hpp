#pragma once

#include "svc/core/async.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/test_case.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace svc::api {

/// The contract's `Test` without its script.
boost::json::object test_json(test_case const& of);
/// The whole of it, as text; of a large one, written in several turns.
task<std::string> test_text(test_case of);

/// A whole test as a client describes it, absent members by default, without its script, which is only checked.
/// `validation_failed` with every fault.
result<test_settings> read_test(boost::json::object const& body);

/// Takes the script out of the body of a request, if it is there; null is an empty one. Of a large one in several
/// turns. The body outlives the task.
task<std::optional<std::string>> take_script(boost::json::object& body);
/// `validation_failed` if it has another type or size than a script.
result<> check_script(boost::json::object const& body);

/// The settings behind a merge patch that has no script any more.
result<test_settings> patch_test(test_case const& current, boost::json::object const& patch);

/// The contract's `TestTags`.
boost::json::object test_tags_json(test_case const& of);

/// The ids of `PutTestTags`. `validation_failed` with every fault, repeated ids (in whatever spelling) too.
result<std::vector<uuid>> read_test_tags(boost::json::object const& body);

}  // namespace svc::api
