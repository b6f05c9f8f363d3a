#pragma once

#include "contract/served_contract.hpp"
#include "support/https_client.hpp"

#include <string>
#include <string_view>

namespace svc::test {

/// One exchange, and what is known about it besides the answer.
struct attempt {
  support::answer got{};
  bool counted = true;    ///< a window decided about it: limit headers are required, otherwise forbidden
  std::string about{};    ///< the variant, for readers of a failure
  std::string pointer{};  ///< what `details` must name; empty: anything
};

/// What is wrong with an answer that should be this error; empty when it keeps the contract.
std::string check_error(served_contract& contract, http::operation const& op, attempt const& attempt,
                        std::string_view code);

/// The same for an answer without an error.
std::string check_success(served_contract& contract, http::operation const& op, attempt const& attempt,
                          unsigned status);

}  // namespace svc::test
