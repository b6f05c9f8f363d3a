#pragma once

#include "contract/served_contract.hpp"
#include "support/https_client.hpp"

#include <string>
#include <string_view>

namespace svc::test {

/// One exchange, and what is known about it beside the answer.
struct attempt {
  support::answer got{};
  bool counted = true;    ///< a window decided about it, so that limit headers are due; else none may be there
  std::string about{};    ///< which variant this was, for the reader of a failure
  std::string pointer{};  ///< what `details` has to name; empty: anything
};

/// What is wrong with an answer that had to be this error; empty when it keeps the contract.
std::string check_error(served_contract& contract, http::operation const& op, attempt const& of,
                        std::string_view code);

/// The same for an answer without an error.
std::string check_success(served_contract& contract, http::operation const& op, attempt const& of, unsigned status);

}  // namespace svc::test
