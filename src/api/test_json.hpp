#pragma once

#include "svc/core/async.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/test_case.hpp"
#include "svc/http/contract.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace svc::api {

/// The contract's `Test` without its script.
boost::json::object test_json(test_case const& of);
/// The whole of it, as text; of a large one, written in several turns.
task<std::string> test_text(test_case of);

/// The contract's `CreateTest`, which the contract has checked, without its script.
test_settings read_test(boost::json::object const& body);

/// Takes the script out of the body of a request, if it is there; a large one in several turns. The body outlives the
/// task.
task<std::optional<std::string>> take_script(boost::json::object& body);

/// The settings after a merge patch whose script was taken out. `validation_failed` when they are no `CreateTest`.
result<test_settings> patch_test(http::body_validator& contract, test_case const& current,
                                 boost::json::object const& patch);

/// The contract's `TestTags`.
boost::json::object test_tags_json(test_case const& of);

/// The ids of `PutTestTags`. `validation_failed` for ids that are repeated, in whatever spelling.
result<std::vector<uuid>> read_test_tags(boost::json::object const& body);

}  // namespace svc::api
