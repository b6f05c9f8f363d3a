#pragma once

#include "svc/core/async.hpp"
#include "svc/core/uuid.hpp"
#include "svc/http/body_budget.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/json_reader.hpp"
#include "svc/http/message.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <memory>

namespace svc::api {

/// A request's parsed body, and its share of the memory budget, held until the answer is made.
struct taken_body {
  /// Null if there was none and none is needed. A string of the bytes if the operation takes any media type.
  boost::json::value value{};
  http::body_share share;
};

/// Takes request bodies for the pipelines of both contracts: receives them within their user's budget, parses them
/// piece by piece with turns for other requests in between, and checks them. Worker-local.
class body_intake {
 public:
  /// `most_values`: the most JSON values that one document may have.
  body_intake(std::shared_ptr<http::contract const> contract, http::body_budget& budget, std::size_t most_values)
      : validator_(http::body_validator::make(std::move(contract))), budget_(budget), most_values_(most_values) {}

  task<result<taken_body>> take(http::operation const& op, http::request const& head, http::body_source& body,
                                uuid user);
  /// Requests whose body is still arriving: they wait, and do no work.
  std::size_t receiving() const { return receiving_; }
  http::body_validator& validator() { return *validator_; }

 private:
  task<result<http::body_text>> receive(http::operation const& op, http::body_source& body, uuid user);
  task<result<boost::json::value>> read(http::operation const& op, http::body_text text);

  std::unique_ptr<http::body_validator> validator_;
  http::body_budget& budget_;
  std::size_t const most_values_;
  std::size_t receiving_ = 0;
};

}  // namespace svc::api
