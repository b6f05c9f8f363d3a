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

/// What a request's body said, and what it may hold in memory until its answer is made.
struct taken_body {
  boost::json::value value{};  ///< null when there was none and none is needed
  http::body_share share;
};

/// How both contracts' pipelines take bodies: received within their user's budget, read piece by piece with other
/// requests' turns in between, and checked. Worker-local.
class body_intake {
 public:
  /// `most_values` of one document.
  body_intake(std::shared_ptr<http::contract const> of, http::body_budget& budget, std::size_t most_values)
      : validator_(http::body_validator::make(std::move(of))), budget_(budget), most_values_(most_values) {}

  task<result<taken_body>> take(http::operation const& op, http::request const& head, http::body_source& body,
                                uuid user);
  /// Requests whose body has not come to its end: they wait, and do no work.
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
