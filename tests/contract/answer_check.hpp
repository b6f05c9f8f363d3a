#pragma once

#include "contract/served_contract.hpp"
#include "support/https_client.hpp"

#include <string>
#include <string_view>

namespace svc::test {

/// One exchange, with facts that the answer does not show.
struct attempt {
  support::answer got{};
  bool counted = true;    ///< true: a window counted it, so limit headers are required; otherwise they are forbidden
  std::string about{};    ///< the variant, for readers of a failure
  std::string pointer{};  ///< pointer that `details` must name; empty: any
};

/// Returns the faults of an answer that should be this error; empty if it keeps the contract.
std::string check_error(served_contract& contract, http::operation const& op, attempt const& attempt,
                        std::string_view code);

/// Like `check_error`, for an answer without an error.
std::string check_success(served_contract& contract, http::operation const& op, attempt const& attempt,
                          unsigned status);

}  // namespace svc::test
